"""The database that a command works on: the configured one, or the embedded one of the data folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from switchboard.service.services import Services, services
from switchboard.settings import Settings, read_settings
from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.embedded import EmbeddedPostgres
from switchboard.store.migrations import migrate

T = TypeVar("T")


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """Starts the embedded server, or joins the one that runs; the last one to leave stops it."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    with EmbeddedPostgres(settings.data) as url:
        yield url


def with_services(work: Callable[[Services], Awaitable[T]], data: Path | None = None) -> T:
    """Runs one piece of work beside whatever servers run. Applies missing `pre` migrations first."""
    settings = read_settings(os.environ, data=data)

    async def run(url: str) -> T:
        database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1, pooled=settings.pooled))
        await database.open()
        try:
            await migrate(database, post=False)
            return await work(services(database))
        finally:
            await database.close()

    with database_url(settings) as url:
        return asyncio.run(run(url))
