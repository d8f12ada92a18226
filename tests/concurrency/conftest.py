"""Real server processes on one database, and clients that race on them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import httpx
import pytest

from switchboard.store.database import Database, DatabaseSettings
from tests.support.databases import Databases
from tests.support.scenario import Endpoint, World
from tests.support.servers import Server, running_server


@dataclass
class Fleet:
    """Servers that share one database, with a client for each."""

    servers: Sequence[Server]
    clients: Sequence[httpx.AsyncClient]
    world: World
    database_url: str
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    async def endpoint(self, *queues: str) -> Endpoint:
        number = next(self.numbers)
        return await self.world.endpoint(f"e{number}", *queues, owner=f"h{number}")

    async def verb(self, server: int, endpoint: Endpoint, verb: str, **body: Any) -> httpx.Response:
        return await self.clients[server % len(self.clients)].post(
            f"/api/v1/worker/{verb}",
            json=body,
            headers={"authorization": f"Bearer {endpoint.credential}"},
        )

    async def race(self, endpoint: Endpoint, number: int, verb: str, **body: Any) -> list[dict[str, Any]]:
        """The bodies of so many calls at once, dealt out over the servers."""
        answers = await asyncio.gather(*(self.verb(turn, endpoint, verb, **body) for turn in range(number)))
        assert {answer.status_code for answer in answers} <= {200, 409}
        return [answer.json() for answer in answers]

    async def books_balance(self, endpoint: Endpoint, queue: str, expected: int) -> None:
        """Attempts, claims and charges are one number (REQ-3)."""
        assert await self.world.committed_claims(endpoint, queue) == expected
        assert await self.world.used(endpoint, queue) == expected

    async def leave_database(self) -> None:
        """Closes the test's own connections; the servers' are what a test of an outage is about."""
        await self.world.database.close()
        await self.world.sql.close()

    def clean(self, server: int) -> None:
        """The log of that server holds no error of its own."""
        lines = self.servers[server].log().splitlines()
        assert [line for line in lines if "Traceback" in line or '"level": "error"' in line] == []


@asynccontextmanager
async def fleet_on(url: str, number: int, environment: Mapping[str, str] | None = None) -> AsyncIterator[Fleet]:
    """At the end every server that still runs must stop cleanly."""
    async with AsyncExitStack() as stack:
        servers = [stack.enter_context(running_server(url, environment)) for _ in range(number)]
        sql = await asyncpg.connect(url)
        stack.push_async_callback(sql.close)
        database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
        await database.open()
        stack.push_async_callback(database.close)
        clients = [
            await stack.enter_async_context(httpx.AsyncClient(base_url=server.url, timeout=60)) for server in servers
        ]
        fleet = Fleet(servers, clients, World(database, sql), url)
        yield fleet
        for place, server in enumerate(servers):
            if server.process.poll() is None:
                assert server.stop() == 0
            fleet.clean(place)


@pytest.fixture(scope="session")
async def pair(databases: Databases) -> AsyncIterator[Fleet]:
    """Two servers for the whole folder; a test takes endpoints of its own and leaves the clock alone."""
    async with databases.fresh() as url, fleet_on(url, 2) as fleet:
        yield fleet


@pytest.fixture
async def own_pair(databases: Databases) -> AsyncIterator[Fleet]:
    """Two servers for one test, which may stop them or move the clock."""
    async with databases.fresh() as url, fleet_on(url, 2) as fleet:
        yield fleet
