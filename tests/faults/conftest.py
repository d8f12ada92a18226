"""Fault tests run on a PostgreSQL of their own, which keeps commit times and counts statements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from switchboard.store.embedded import temporary_postgres
from tests.faults.ground import Ground, ground_on
from tests.support.databases import Databases
from tests.support.properties import use_profile
from tests.support.servers import Server, running_server

use_profile()

SETTINGS = {
    "max_connections": 300,
    "track_commit_timestamp": True,
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track": "all",
}
# Whatever asyncio or a destructor has to complain about is in the server's log, and fails the test that looks there.
DEBUGGING = {"PYTHONASYNCIODEBUG": "1", "PYTHONWARNINGS": "default"}


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    with temporary_postgres(SETTINGS) as url:
        yield Databases(url)


@pytest.fixture
async def ground(database_url: str) -> AsyncIterator[Ground]:
    """A database of the test's own, with the ledger, and the services of one process on it."""
    async with ground_on(database_url) as made:
        yield made


@pytest.fixture
def pair(ground: Ground) -> Iterator[tuple[Server, Server]]:
    """Two servers on the test's own database."""
    with (
        running_server(ground.url, DEBUGGING) as one,
        running_server(ground.url, DEBUGGING) as other,
    ):
        yield one, other


@pytest.fixture(scope="session")
async def shared(databases: Databases) -> AsyncIterator[Ground]:
    """One database with two servers for all tests that harm neither. Take an endpoint and queues of your own."""
    async with databases.fresh() as url, ground_on(url, barriers_up=True) as made:
        with running_server(url, DEBUGGING) as one, running_server(url, DEBUGGING) as other:
            made.servers = [one, other]
            await made.start_of_run()
            yield made
