"""A read-only server, whose role may only read, answers every read and refuses every change."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx
import pytest

from switchboard.store.database import Database, DatabaseSettings
from tests.support.databases import Databases
from tests.support.scenario import Endpoint, World
from tests.support.servers import running_server

from .conftest import bearer


@dataclass
class Reader:
    http: httpx.AsyncClient
    world: World
    endpoint: Endpoint
    token: dict[str, str]
    operator: dict[str, str]


@pytest.fixture(scope="module")
async def reader(databases: Databases) -> AsyncIterator[Reader]:
    async with databases.fresh() as url:
        database = Database(DatabaseSettings(url, claim_connections=1, read_connections=1))
        await database.open()
        sql = await asyncpg.connect(url)
        await sql.execute("drop role if exists reader")
        await sql.execute(
            "create role reader login password 'p'; grant usage on schema switchboard to reader;"
            " grant select on all tables in schema switchboard to reader"
        )
        world = World(database, sql)
        endpoint = await world.endpoint("e", "q")
        await world.enqueue(endpoint, "q")
        token = bearer(await world.operator_token(endpoint.owner))
        operator = bearer(await world.operator_token(await world.human("root", operator=True)))
        address = urlsplit(url)
        powerless = urlunsplit(address._replace(netloc=f"reader:p@{address.hostname}:{address.port}"))
        try:
            with running_server(powerless, {"SWITCHBOARD_READ_ONLY": "1"}) as server:
                async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
                    yield Reader(http, world, endpoint, token, operator)
                assert server.stop() == 0
                assert server.log() == ""
        finally:
            await database.close()
            await sql.execute("drop owned by reader; drop role reader")
            await sql.close()


async def test_it_says_so_and_reads(reader: Reader) -> None:
    capabilities = (await reader.http.get("/api/capabilities", headers=reader.token)).json()
    assert capabilities["read_only"] is True
    queues = (await reader.http.get("/api/queues", headers=reader.token)).json()["queues"]
    assert [(queue["admission"]["queue"], queue["pending"]) for queue in queues] == [("q", 1)]
    query = {"version": 1, "filter": {"queue": "q"}, "page": {}}
    jobs = (await reader.http.post("/api/v1/jobs/query", json=query, headers=reader.token)).json()["data"]["jobs"]
    assert [job["state"] for job in jobs] == ["pending"]
    worker = bearer(reader.endpoint.credential)
    for verb in ("list_todos", "admission_status"):
        assert (await reader.http.post(f"/api/v1/worker/{verb}", headers=worker)).status_code == 200


READS = [
    "/api/capabilities", "/api/jobs", "/api/jobs/1", "/api/queues", "/api/queues/1", "/api/workers", "/api/dlq",
    "/api/dlq/depth", "/api/schedules", "/api/operations", "/api/audit", "/api/stats", "/api/stats/timeseries",
    "/api/kinds", "/api/storage", "/api/v1/admission",
]  # fmt: skip


@pytest.mark.parametrize("path", READS)
async def test_every_read_is_answered_with_its_observation(reader: Reader, path: str) -> None:
    answer = await reader.http.get(path, headers=reader.operator)
    assert answer.status_code == 200, answer.text
    assert ("observed-at" in answer.headers) == (path != "/api/v1/admission")


async def test_a_preview_is_a_read(reader: Reader) -> None:
    ask = {"kind": "cancel", "filter": {"queue": "q"}}
    answer = await reader.http.post("/api/operations/preview", json=ask, headers=reader.token)
    assert (answer.status_code, answer.json()["count"], answer.json()["eligible"]) == (200, 1, 1)
    for path, body in (("/api/v1/jobs/count", {"version": 1, "filter": {}}),):
        assert (await reader.http.post(path, json=body, headers=reader.token)).json()["data"]["count"] == 1
    empty = {"version": 1, "filter": {}, "page": {}}
    dead = await reader.http.post("/api/v1/dlq/query", json=empty, headers=reader.token)
    assert dead.json()["data"] == {"jobs": [], "next": None}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/worker/claim_next"),
        ("POST", "/api/v1/worker/enqueue"),
        ("PUT", "/api/v1/admission/endpoint:e/q"),
        ("DELETE", "/api/v1/admission/endpoint:e/q"),
        ("POST", "/api/jobs/1/retry"),
        ("POST", "/api/dlq/purge-matching"),
        ("POST", "/api/queues/1/pause"),
        ("POST", "/webhooks/w/sbw_unknown"),
        ("POST", "/api/of/a/later/release"),
    ],
)
async def test_a_change_is_refused_and_nothing_is_written(reader: Reader, method: str, path: str) -> None:
    answer = await reader.http.request(method, path, headers=reader.token, json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "read_only")
    assert await reader.world.states(reader.endpoint, "q") == {"pending": 1}


async def test_a_person_who_signs_in_reads_why_not(reader: Reader) -> None:
    answer = await reader.http.post("/sign-in", data={"name": "ada", "password": "x"})
    assert (answer.status_code, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert "This server is read-only; nothing was changed." in answer.text
