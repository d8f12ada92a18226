"""Migrated databases for tests, one each: clones of a template that is migrated once."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.migrations import migrate

_TEMPLATE = "migrated"


class Databases:
    """Databases on one throw-away server. `url` is the server's own database, for administration."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._numbers = itertools.count(1)
        self._template_made = False

    @asynccontextmanager
    async def fresh(self) -> AsyncIterator[str]:
        """The URL of a migrated database of its own; gone at the end, with whoever is still connected."""
        async with _admin(self.url) as admin:
            if not self._template_made:
                await admin.execute(f"create database {_TEMPLATE}")
                database = Database(DatabaseSettings(self._named(_TEMPLATE), claim_connections=1, read_connections=1))
                await database.open()
                await migrate(database, post=False)
                await database.close()
                self._template_made = True
            name = f"test_{next(self._numbers)}"
            await admin.execute(f"create database {name} template {_TEMPLATE} strategy file_copy")
        try:
            yield self._named(name)
        finally:
            async with _admin(self.url) as admin:
                await admin.execute(f"drop database {name} with (force)")

    @asynccontextmanager
    async def empty(self) -> AsyncIterator[str]:
        """The URL of a database without a single migration."""
        name = f"test_{next(self._numbers)}"
        async with _admin(self.url) as admin:
            await admin.execute(f"create database {name}")
        try:
            yield self._named(name)
        finally:
            async with _admin(self.url) as admin:
                await admin.execute(f"drop database {name} with (force)")

    def _named(self, name: str) -> str:
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))


@asynccontextmanager
async def _admin(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()
