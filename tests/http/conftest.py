"""One real server for the whole folder; each test has people, endpoints and queues of its own on it."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg
import httpx
import pytest

from switchboard.core.identity import Human
from switchboard.store.database import Database, DatabaseSettings
from tests.support.databases import Databases
from tests.support.scenario import Endpoint, World
from tests.support.servers import Server, running_server

PASSWORD = "correct horse battery"


@dataclass
class Site:
    """A server, its database, and a client without credentials or cookies."""

    server: Server
    database_url: str
    world: World
    http: httpx.AsyncClient
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def sql(self) -> asyncpg.Connection:
        return self.world.sql

    async def endpoint(self, *queues: str, owner: str | None = None, **grant: object) -> Endpoint:
        """A new endpoint of a new owner, unless one is named."""
        number = next(self.numbers)
        return await self.world.endpoint(f"e{number}", *queues, owner=owner or f"h{number}", **grant)  # type: ignore[arg-type]

    async def verb(self, endpoint: Endpoint, verb: str, **body: object) -> httpx.Response:
        return await self.http.post(f"/api/v1/worker/{verb}", json=body, headers=bearer(endpoint.credential))

    async def operator(self, human: Human) -> dict[str, str]:
        """The headers of this human's programs."""
        return bearer(await self.world.operator_token(human))

    @asynccontextmanager
    async def signed_in(self, name: str, *, operator: bool = False) -> AsyncIterator[httpx.AsyncClient]:
        """A browser in which a new human is signed in."""
        await self.world.service.accounts.add_human(name, PASSWORD, operator=operator)
        async with httpx.AsyncClient(base_url=self.url) as browser:
            answer = await sign_in(browser, name, PASSWORD)
            assert answer.status_code == 303
            yield browser


def bearer(credential: str) -> dict[str, str]:
    return {"authorization": f"Bearer {credential}"}


async def sign_in(browser: httpx.AsyncClient, name: str, password: str) -> httpx.Response:
    """As a human does: open the form, send it."""
    await browser.get("/sign-in")
    form = {"csrf_token": browser.cookies["switchboard_form"], "name": name, "password": password}
    return await browser.post("/sign-in", data=form)


@pytest.fixture(scope="session")
async def site(databases: Databases) -> AsyncIterator[Site]:
    async with databases.fresh() as url:
        with running_server(url) as server:
            sql = await asyncpg.connect(url)
            database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
            await database.open()
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
                yield Site(server, url, World(database, sql), client)
            await database.close()
            await sql.close()
            assert server.stop() == 0


@pytest.fixture(autouse=True)
def clean_log(site: Site) -> Iterator[None]:
    """No test of this folder may make the server write of an error of its own."""
    before = len(site.server.log())
    yield
    lines = site.server.log()[before:].splitlines()
    assert [line for line in lines if "Traceback" in line or '"level": "error"' in line] == []
