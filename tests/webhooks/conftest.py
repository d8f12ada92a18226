from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import httpx
import pytest

from switchboard.service.services import services
from switchboard.store.database import Database, DatabaseSettings
from tests.support.databases import Databases
from tests.support.fixtures import clock, sql, world
from tests.support.servers import running_server

from .site import Site

__all__ = ["clock", "sql", "world"]


@pytest.fixture(scope="session")
async def site(databases: Databases) -> AsyncIterator[Site]:
    """One server for all tests here; each makes its own people, endpoints and webhooks in it."""
    async with databases.fresh() as url:
        database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
        await database.open()
        connection = await asyncpg.connect(url)
        try:
            with running_server(url) as server:
                async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
                    yield Site(url, services(database), connection, server, client)
        finally:
            await connection.close()
            await database.close()
