"""Expensive reads: four at once, sixteen wait for a quarter of a second, the rest are told to come again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import httpx
import pytest

from tests.support.raw_http import head, raw_connection
from tests.support.servers import Server, running_server
from tests.support.waiting import holding

from .conftest import Site

QUERY = {"version": 1, "filter": {}, "page": {}}
LOCK = "lock table switchboard.todos in access exclusive mode"
WAITING = "application_name = 'switchboard reads' and state = 'active' and wait_event_type = 'Lock'"


@dataclass
class Busy:
    """A server of its own, so that no other test reads there."""

    server: Server
    http: httpx.AsyncClient
    sql: asyncpg.Connection
    token: str
    url: str


@pytest.fixture
async def busy(site: Site) -> AsyncIterator[Busy]:
    endpoint = await site.endpoint("q")
    token = await site.world.operator_token(endpoint.owner)
    headers = {"authorization": f"Bearer {token}"}
    # A lock is waited for as long as a read may take, so that only what a test does ends it.
    limits = {"SWITCHBOARD_LOCK_WAIT_SECONDS": "15", "SWITCHBOARD_STATEMENT_SECONDS": "15"}
    with running_server(site.database_url, limits) as server:
        pool = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60, limits=pool) as client:
            yield Busy(server, client, site.sql, token, site.database_url)
        assert server.stop() == 0


async def reading(sql: asyncpg.Connection, number: int) -> None:
    """Until exactly so many reads of that server are at the database."""
    while True:
        now = await sql.fetchval(f"select count(*) from pg_stat_activity where {WAITING}")
        if now == number:
            return
        await sql.execute("select pg_sleep(0.01)")


async def test_the_twenty_first_read_is_refused_at_once_and_those_that_wait_too_long_after_it(busy: Busy) -> None:
    async with holding(busy.url, LOCK) as holder:
        running = [asyncio.create_task(busy.http.post("/api/v1/jobs/query", json=QUERY)) for _ in range(4)]
        await reading(busy.sql, 4)
        more = await asyncio.gather(*(busy.http.post("/api/v1/jobs/query", json=QUERY) for _ in range(17)))
        assert Counter(answer.status_code for answer in more) == {429: 17}
        for answer in more:
            assert answer.json()["error"]["code"] == "rate_limited"
            assert answer.headers["retry-after"] == "2"
        await reading(busy.sql, 4)  # none of the refused came near the database
        await holder.execute("rollback")
    assert [answer.status_code for answer in await asyncio.gather(*running)] == [200] * 4


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/v1/jobs/count", {"version": 1, "filter": {}}),
        ("GET", "/api/jobs", None),
        ("GET", "/api/queues", None),
    ],
)
async def test_counts_lists_and_fills_compete_for_the_same_permits(
    busy: Busy, method: str, path: str, body: dict[str, object] | None
) -> None:
    async with holding(busy.url, LOCK) as holder:
        running = [asyncio.create_task(busy.http.post("/api/v1/jobs/query", json=QUERY)) for _ in range(4)]
        await reading(busy.sql, 4)
        answer = await busy.http.request(method, path, json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "rate_limited")
        await holder.execute("rollback")
    await asyncio.gather(*running)


async def test_what_is_cached_and_what_reads_nothing_needs_no_permit(busy: Busy) -> None:
    kept = await busy.http.get("/api/queues")
    async with holding(busy.url, LOCK) as holder:
        running = [asyncio.create_task(busy.http.post("/api/v1/jobs/query", json=QUERY)) for _ in range(4)]
        await reading(busy.sql, 4)
        hit = await busy.http.get("/api/queues")
        assert (hit.status_code, hit.content) == (200, kept.content)
        assert hit.headers["observed-at"] == kept.headers["observed-at"]
        assert int(hit.headers["cache-age-ms"]) > 0
        assert hit.headers["served-at"] > kept.headers["served-at"]
        assert (await busy.http.get("/api/capabilities")).status_code == 200
        await holder.execute("rollback")
    await asyncio.gather(*running)


async def test_a_reader_who_hangs_up_gives_the_permit_back_and_its_statement_ends(busy: Busy) -> None:
    """Ten times as many readers leave as there are permits and connections; the next ones are served as ever."""
    request = head(
        "POST",
        "/api/v1/jobs/query",
        content_type="application/json",
        content_length="38",
        authorization=f"Bearer {busy.token}",
    )
    body = b'{"version":1,"filter":{},"page":{}}   '
    for _ in range(10):
        async with holding(busy.url, LOCK) as holder:
            for _ in range(4):
                async with raw_connection(busy.server.url) as connection:
                    await connection.send(request + body)
                    await reading(busy.sql, 1)
                await reading(busy.sql, 0)
            await holder.execute("rollback")
    answers = await asyncio.gather(*(busy.http.post("/api/v1/jobs/query", json=QUERY) for _ in range(4)))
    assert [answer.status_code for answer in answers] == [200] * 4
    idle = await busy.sql.fetchval(
        "select count(*) from pg_stat_activity where application_name = 'switchboard reads' and state <> 'idle'"
    )
    assert idle == 0
