"""D28: what ends a read too early says which bound it was, and when to try again. Claims know no such bound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import httpx
import pytest

from switchboard.store.database import Database, DatabaseSettings
from tests.support.databases import Databases
from tests.support.raw_http import head, raw_connection
from tests.support.scenario import World
from tests.support.servers import running_server
from tests.support.waiting import holding, patient_locks, waits_for

from .conftest import Site

QUERY = {"version": 1, "filter": {}, "page": {}}
LOCK = "lock table switchboard.todos in access exclusive mode"
# By what ends the read first, while the table stays locked: how a server is set up, and what it answers.
BOUNDS = {
    "whole read": (
        {"SWITCHBOARD_READ_SECONDS": "0.2"},
        "read_deadline_exceeded",
        "This read did not end within its time; it may be retried.",
    ),
    "statement": (
        {"SWITCHBOARD_STATEMENT_SECONDS": "0.2", "SWITCHBOARD_LOCK_WAIT_SECONDS": "15"},
        "read_statement_timeout",
        "The database took too long for this read.",
    ),
    "lock": (
        {"SWITCHBOARD_LOCK_WAIT_SECONDS": "0.2"},
        "read_lock_timeout",
        "This read waited too long for a lock.",
    ),
}


@pytest.mark.parametrize("bound", BOUNDS)
async def test_each_bound_is_a_503_with_its_own_code_and_the_server_reads_on(site: Site, bound: str) -> None:
    endpoint = await site.endpoint("q")
    todo_id = await site.world.enqueue(endpoint, "q")
    headers = await site.operator(endpoint.owner)
    environment, code, message = BOUNDS[bound]
    with running_server(site.database_url, environment) as server:
        async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60) as client:
            async with holding(site.database_url, LOCK):
                for _ in range(6):  # more often than the server has connections for reads
                    answer = await client.post("/api/v1/jobs/query", json=QUERY)
                    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
                    assert answer.json() == {"error": {"code": code, "message": message}}
            found = await client.post("/api/v1/jobs/query", json=QUERY)
            assert [job["id"] for job in found.json()["data"]["jobs"]] == [todo_id]
        assert server.stop() == 0


async def test_the_deadline_counts_waiting_for_a_connection(site: Site) -> None:
    """Five reads share one connection, and the one that has it waits for a lock: all of them end by the deadline."""
    endpoint = await site.endpoint("q")
    headers = await site.operator(endpoint.owner)
    limits = {"SWITCHBOARD_READ_SECONDS": "0.3", "SWITCHBOARD_READ_CONNECTIONS": "1"}
    with running_server(site.database_url, limits) as server:
        async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60) as client:
            async with holding(site.database_url, LOCK):
                answers = await asyncio.gather(*(client.get("/api/queues") for _ in range(5)))
            assert [answer.json()["error"]["code"] for answer in answers] == ["read_deadline_exceeded"] * 5
            assert (await client.get("/api/queues")).status_code == 200
        assert server.stop() == 0


async def test_the_deadline_counts_waiting_for_the_body(site: Site) -> None:
    token = await site.world.operator_token((await site.endpoint("q")).owner)
    with running_server(site.database_url, {"SWITCHBOARD_READ_SECONDS": "0.2"}) as server:
        async with raw_connection(server.url) as connection:
            headers = {"content_type": "application/json", "content_length": "36", "authorization": f"Bearer {token}"}
            await connection.send(head("POST", "/api/v1/jobs/query", **headers) + b'{"version":1,"filter":')
            answer = await connection.answer()  # the rest never comes
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        assert b'"code":"read_deadline_exceeded"' in answer.body
        assert server.stop() == 0


async def test_the_bounds_of_reads_do_not_end_a_claim(databases: Databases) -> None:
    """A claim waits for the table for longer than a whole read of that server may take, and is answered then."""
    async with databases.fresh() as url, _world(url) as world:
        await patient_locks(world.sql)
        endpoint = await world.endpoint("e", "q")
        todo_id = await world.enqueue(endpoint, "q")
        reader = {"authorization": f"Bearer {await world.operator_token(endpoint.owner)}"}
        worker = {"authorization": f"Bearer {endpoint.credential}"}
        with running_server(url, {"SWITCHBOARD_READ_SECONDS": "0.05"}) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
                async with holding(url, LOCK) as holder:
                    asked = client.post("/api/v1/worker/claim", json={"todo_id": todo_id}, headers=worker)
                    claiming = asyncio.create_task(asked)
                    await waits_for(world.sql, holder)
                    read = await client.get("/api/queues", headers=reader)  # from beginning to end within the claim
                    assert read.json()["error"]["code"] == "read_deadline_exceeded"
                    assert not claiming.done()
                claim = await claiming
            assert (claim.status_code, claim.json()["todo"]["id"]) == (200, todo_id)
            assert server.stop() == 0


@asynccontextmanager
async def _world(url: str) -> AsyncIterator[World]:
    sql = await asyncpg.connect(url)
    database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
    await database.open()
    yield World(database, sql)
    await database.close()
    await sql.close()
