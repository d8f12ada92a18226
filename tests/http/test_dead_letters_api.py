"""The routes that change dead letters, and todos by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import asyncpg
import httpx
import pytest

from switchboard.store.database import Database
from tests.support.dead import died, many_died
from tests.support.scenario import Endpoint, World
from tests.support.servers import running_server

from .conftest import Site, bearer


async def post(
    site: Site, endpoint: Endpoint, path: str, body: Any = None, headers: Mapping[str, str] | None = None
) -> httpx.Response:
    headers = await site.operator(endpoint.owner) if headers is None else headers
    return await site.http.post(path, json={} if body is None else body, headers=headers)


async def test_one_is_retried_purged_or_moved(site: Site) -> None:
    endpoint = await site.endpoint("q", "r")
    retried, purged, moved = [await died(site.world, endpoint) for _ in range(3)]

    answer = await post(site, endpoint, f"/api/dlq/{retried}/retry")
    assert (answer.status_code, answer.json()["todo"]["state"]) == (200, "pending")
    answer = await post(site, endpoint, f"/api/dlq/{purged}/purge")
    assert (answer.status_code, answer.json()) == (200, {"purged": 1})
    answer = await post(site, endpoint, f"/api/dlq/{moved}/move", {"queue": "r"})
    assert (answer.status_code, answer.json()["todo"]["queue"]) == (200, "r")
    answer = await post(site, endpoint, f"/api/dlq/{retried}/retry")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")


async def test_what_matches_is_retried_and_what_matches_is_purged(site: Site) -> None:
    endpoint = await site.endpoint("q")
    await many_died(site.world, endpoint, 3, kind="mail", keys=True)
    await many_died(site.world, endpoint, 2, kind="build")
    await site.world.enqueue(endpoint, "q", idempotency_key="k1")

    answer = await post(site, endpoint, "/api/dlq/retry-matching", {"filter": {"kind": "mail"}, "all": False})
    assert (answer.status_code, answer.json()) == (200, {"retried": 2, "conflicts": 1})
    answer = await post(site, endpoint, "/api/dlq/purge-matching", {"filter": {}, "all": True})
    assert (answer.status_code, answer.json()) == (200, {"purged": 3})


@pytest.mark.parametrize("verb", ["retry-matching", "purge-matching"])
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "filter"),
        ({"all": True}, "filter"),
        ({"filter": {}}, "filter"),
        ({"filter": {}, "all": False}, "filter"),
        ({"filter": None, "all": True}, "filter"),
        ({"filter": {}, "all": 1}, "all"),
        ({"filter": {}, "all": "true"}, "all"),
        ({"filter": {}, "all": None}, "all"),
        ({"filter": {"kind": "mail"}, "all": True}, "all"),
        ({"filter": {"kind": "mail"}, "queue": "q"}, "queue"),
        ({"kind": "mail"}, "kind"),
        ({"filter": {"states": ["dead"]}}, "filter.states"),
        ({"filter": {"Kind": "mail"}}, "filter.Kind"),
        ({"filter": {"kind": "mail", "tag": "a"}}, "filter.tag"),
        ({"filter": {"kind": ""}}, "filter.kind"),
        ({"filter": {"ids": [1, 1]}}, "filter.ids[1]"),
    ],
)
async def test_no_body_widens_the_set(site: Site, verb: str, body: Any, field: str) -> None:
    endpoint = await site.endpoint("q")
    await many_died(site.world, endpoint, 1, kind="mail")

    answer = await post(site, endpoint, f"/api/dlq/{verb}", body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
    assert answer.json()["error"]["field"] == field
    assert await site.world.states(endpoint, "q") == {"dead": 1}


async def test_todos_are_retried_and_canceled_by_their_ids(site: Site) -> None:
    endpoint = await site.endpoint("q")
    dead, pending = await died(site.world, endpoint), await site.world.enqueue(endpoint, "q")

    answer = await post(site, endpoint, "/api/jobs/retry", {"ids": [dead, pending, 2**62]})
    assert (answer.status_code, answer.json()) == (200, {"retried": 1, "not_found": 1, "conflicts": 1})
    answer = await post(site, endpoint, "/api/jobs/cancel", {"ids": [dead, pending]})
    assert (answer.status_code, answer.json()) == (200, {"canceled": 2, "not_found": 0, "conflicts": 0})


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "ids"),
        ({"ids": []}, "ids"),
        ({"ids": None}, "ids"),
        ({"ids": [1, 1]}, "ids[1]"),
        ({"ids": [0]}, "ids[0]"),
        ({"ids": ["1"]}, "ids[0]"),
        ({"ids": [1.0]}, "ids[0]"),
        ({"ids": list(range(1, 1002))}, "ids"),
        ({"ids": [1], "all": True}, "all"),
    ],
)
async def test_ids_are_1_to_1000_distinct_ones_and_nothing_else(site: Site, body: Any, field: str) -> None:
    endpoint = await site.endpoint("q")
    for verb in ("retry", "cancel"):
        answer = await post(site, endpoint, f"/api/jobs/{verb}", body)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.mark.parametrize(
    "path",
    [
        "/api/dlq/1/retry",
        "/api/dlq/1/purge",
        "/api/dlq/1/move",
        "/api/dlq/retry-matching",
        "/api/dlq/purge-matching",
        "/api/jobs/retry",
        "/api/jobs/cancel",
        "/api/queues/1/pause",
        "/api/queues/1/resume",
        "/api/queues/1/drain",
    ],
)
async def test_none_of_it_without_an_operator(site: Site, path: str) -> None:
    assert (await site.http.post(path, json={})).status_code == 401
    endpoint = await site.endpoint("q")
    assert (await post(site, endpoint, path, headers=bearer(endpoint.credential))).status_code == 401
    origin = await site.operator(endpoint.owner) | {"origin": "https://evil.example"}
    assert (await post(site, endpoint, path, headers=origin)).status_code == 403


@pytest.mark.parametrize(
    ("verb", "done"), [("retry-matching", {"retried": 3000, "conflicts": 0}), ("purge-matching", {"purged": 3000})]
)
async def test_bulk_work_ends_on_a_server_whose_reads_may_take_ten_milliseconds(
    database: Database, database_url: str, verb: str, done: dict[str, int]
) -> None:
    sql = await asyncpg.connect(database_url)
    world = World(database, sql)
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 3000)
    # each batch alone takes longer than a whole read may
    await sql.execute(
        "create function public.slow() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(0.03); return null; end $$;"
        " create trigger slow after update or delete on switchboard.todos execute function public.slow()"
    )
    token = bearer(await world.operator_token(endpoint.owner))
    with running_server(database_url, {"SWITCHBOARD_READ_SECONDS": "0.01"}) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
            answer = await http.post(f"/api/dlq/{verb}", json={"filter": {}, "all": True}, headers=token)
    await sql.close()
    assert (answer.status_code, answer.json()) == (200, done)
