"""One throw-away PostgreSQL for the whole run, a database of its own for each test that asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from switchboard.service.services import Services, services
from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.embedded import temporary_postgres
from tests.support.databases import Databases


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    with temporary_postgres({"max_connections": 300}) as url:
        yield Databases(url)


@pytest.fixture
async def database_url(databases: Databases) -> AsyncIterator[str]:
    """A migrated, empty database."""
    async with databases.fresh() as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = Database(DatabaseSettings(database_url, claim_connections=5, read_connections=2))
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def service(database: Database) -> Services:
    return services(database)
