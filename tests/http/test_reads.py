"""The page's reads: the strict query's envelope to the byte, observation headers, and who may read from where."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import httpx
import pytest

from switchboard.core.zones import ZONE_DATABASE_VERSION
from switchboard_wire.envelope import decode_observation_headers
from tests.support.raw_http import head, raw_connection
from tests.support.scenario import DAY_UTC

from .conftest import Site, bearer

QUERY = "/api/v1/jobs/query"
EVERYTHING = {"version": 1, "filter": {}, "page": {}}
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")
JOB = {
    "id", "scope", "queue", "queue_id", "kind", "source", "title", "tags", "state", "attempt", "max_attempts",
    "created_at", "updated_at", "claimed_at", "lease_expires_at", "next_retry_at", "not_before", "finished_at",
    "claimant", "worker", "error", "admission",
}  # fmt: skip


async def test_the_envelope_is_exactly_version_data_and_observation(site: Site) -> None:
    endpoint = await site.endpoint("q")
    await site.world.set_policy(endpoint, "q", max_in_flight=0)
    first, second = await site.world.enqueue(endpoint, "q"), await site.world.enqueue(endpoint, "q", tags=("x",))
    answer = await site.http.post(
        QUERY,
        json={"version": 1, "filter": {"states": ["pending"]}, "page": {"limit": 1}},
        headers=await site.operator(endpoint.owner),
    )
    assert (answer.status_code, answer.headers["content-type"], answer.headers["cache-control"]) == (
        200,
        "application/json",
        "no-store",
    )
    body = answer.json()
    assert list(body) == ["version", "data", "observation"]
    assert type(body["version"]) is int
    assert body["version"] == 1
    assert set(body["data"]) == {"jobs", "next_before_id"}
    (job,) = body["data"]["jobs"]
    assert set(job) == JOB
    assert (job["id"], job["tags"], body["data"]["next_before_id"]) == (second, ["x"], second)
    assert job["admission"] == {"state": "deferred", "reason": "paused", "next_eligible_at": None, "exact": None}
    assert set(body["observation"]) == {"observed_at", "served_at", "cache_age_ms"}
    observed, served = (body["observation"][name] for name in ("observed_at", "served_at"))
    assert INSTANT.fullmatch(observed)
    assert INSTANT.fullmatch(served)
    assert datetime.fromisoformat(observed) <= datetime.fromisoformat(served)
    assert body["observation"]["cache_age_ms"] == 0
    rest = await site.http.post(
        QUERY,
        json={"version": 1, "filter": {"states": ["pending"]}, "page": {"before_id": second}},
        headers=await site.operator(endpoint.owner),
    )
    assert ([one["id"] for one in rest.json()["data"]["jobs"]], rest.json()["data"]["next_before_id"]) == (
        [first],
        None,
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"version":2,"filter":{},"page":{}}', "version"),
        (b'{"version":1.0,"filter":{},"page":{}}', "version"),
        (b'{"version":true,"filter":{},"page":{}}', "version"),
        (b'{"version":1,"filter":{"state":"pending"},"page":{}}', "filter.state"),
        (b'{"version":1,"filter":{"ids":[1,1]},"page":{}}', "filter.ids[1]"),
        (b'{"version":1,"filter":{"kind":null},"page":{}}', "filter.kind"),
        (b'{"version":1,"filter":{},"page":{"limit":1001}}', "page.limit"),
        (b'{"version":1,"version":1,"filter":{},"page":{}}', "version"),
        (b'{"version":1,"filter":{},"page":{}} ', None),
        (b'{"version":1,"filter":{},"page":{}}x', "body"),
        (b"", "body"),
    ],
)
async def test_a_query_is_read_strictly(site: Site, body: bytes, field: str | None) -> None:
    human = await site.world.human("strict")
    headers = await site.operator(human) | {"content-type": "application/json"}
    answer = await site.http.post(QUERY, content=body, headers=headers)
    if field is None:
        assert answer.status_code == 200
    else:
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert (error["code"], error["field"]) == ("invalid_argument", field)


async def test_a_query_finds_only_what_its_reader_may_see(site: Site) -> None:
    mine, foreign = await site.endpoint("q"), await site.endpoint("q")
    own, other = await site.world.enqueue(mine, "q"), await site.world.enqueue(foreign, "q")
    operator = await site.world.human(f"sees-all{next(site.numbers)}", operator=True)
    query = {"version": 1, "filter": {"ids": [own, other]}, "page": {}}
    seen = []
    for human in (mine.owner, foreign.owner, operator):
        answer = await site.http.post(QUERY, json=query, headers=await site.operator(human))
        seen.append([job["id"] for job in answer.json()["data"]["jobs"]])
    assert seen == [[own], [other], [other, own]]


async def test_queues_carry_their_admission_and_their_observation_in_headers(site: Site) -> None:
    endpoint = await site.endpoint("q")
    await site.world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_UTC)
    await site.world.enqueue_many(endpoint, "q", 3)
    await site.world.claim_next(endpoint)
    answer = await site.http.get("/api/queues", headers=await site.operator(endpoint.owner))
    assert answer.status_code == 200
    observation = decode_observation_headers(answer.headers)
    assert (observation.observed_at <= observation.served_at, observation.cache_age_ms) == (True, 0)
    (queue,) = answer.json()["queues"]
    assert set(queue) == {"admission", "pending", "pending_capped", "manageable"}
    assert (queue["pending"], queue["pending_capped"], queue["manageable"]) == (2, False, True)
    assert queue["admission"]["used"] == 1
    assert queue["admission"]["status"]["reason"] == "window_exhausted"
    assert queue["admission"]["status"]["next_eligible_at"] == queue["admission"]["window_resets_at"]


async def test_capabilities(site: Site) -> None:
    headers = await site.operator(await site.world.human("capable"))
    first, second = [await site.http.get("/api/capabilities", headers=headers) for _ in range(2)]
    body = first.json()
    assert body == second.json()
    assert set(body) == {"release", "zone_database", "read_only", "backend", "job_filter_protocols", "limits"}
    assert set(body["backend"]) == {"process", "database"}
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in body["backend"].values())
    assert (body["zone_database"], body["read_only"]) == (ZONE_DATABASE_VERSION, False)
    assert body["job_filter_protocols"]["jobs_query"] == {"path": QUERY, "versions": [1]}
    assert body["limits"] == {
        "whole_read_deadline_ms": 15_000,
        "cached_refresh_floor_ms": 5_000,
        "uncached_refresh_floor_ms": 2_000,
        "max_body_bytes": 65_536,
        "max_page": 1000,
    }
    decode_observation_headers(first.headers)


READS: list[tuple[str, str, Any]] = [
    ("POST", QUERY, EVERYTHING),
    ("GET", "/api/queues", None),
    ("GET", "/api/capabilities", None),
]


async def read(client: httpx.AsyncClient, row: tuple[str, str, Any], headers: Any = None) -> httpx.Response:
    method, path, body = row
    return await client.request(method, path, json=body, headers=headers)


@pytest.mark.parametrize("row", READS, ids=lambda row: row[1])
async def test_a_read_needs_a_session_or_an_operators_token(site: Site, row: tuple[str, str, Any]) -> None:
    endpoint = await site.endpoint("q")
    for headers in ({}, bearer(endpoint.credential), bearer("sbo_none"), {"cookie": "switchboard_session=sbs_none"}):
        answer = await read(site.http, row, headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthenticated")
    assert (await read(site.http, row, await site.operator(endpoint.owner))).status_code == 200
    name = f"session{next(site.numbers)}"
    async with site.signed_in(name) as browser:
        assert (await read(browser, row)).status_code == 200
        # a bearer that is wrong is not saved by a cookie that is right
        assert (await read(browser, row, bearer("sbo_none"))).status_code == 401


def origins(site: Site) -> dict[str, list[tuple[str, str]]]:
    """Headers of a request whose origin may not read here."""
    port = site.url.rpartition(":")[2]
    return {
        "foreign": [("origin", "https://evil.example")],
        "null": [("origin", "null")],
        "empty": [("origin", "")],
        "sub-domain": [("origin", f"http://evil.127.0.0.1:{port}")],
        "prefix": [("origin", f"http://127.0.0.1:{port}.evil.example")],
        "another port": [("origin", "http://127.0.0.1:1")],
        "another scheme": [("origin", f"https://127.0.0.1:{port}")],
        "with a path": [("origin", f"http://127.0.0.1:{port}/")],
        "upper case": [("origin", f"HTTP://127.0.0.1:{port}")],
        "ours twice": [("origin", site.url), ("origin", site.url)],
        "ours and a foreign one": [("origin", site.url), ("origin", "https://evil.example")],
        "two in one": [("origin", f"{site.url}, https://evil.example")],
        "believed by a forwarded host": [("origin", "https://evil.example"), ("x-forwarded-host", "evil.example")],
        "believed by the host": [("origin", "http://evil.example"), ("host", "evil.example")],
    }


@pytest.mark.parametrize("row", READS, ids=lambda row: row[1])
async def test_a_foreign_origin_is_refused_with_the_right_credentials(site: Site, row: tuple[str, str, Any]) -> None:
    token = (await site.operator(await site.world.human("origins")))["authorization"]
    for why, headers in origins(site).items():
        answer = await read(site.http, row, [*headers, ("authorization", token)])
        assert (why, answer.status_code) == (why, 403)
        assert answer.json() == {
            "error": {"code": "forbidden", "message": "This origin may not read here.", "field": "Origin"}
        }
        assert not any(name.startswith("access-control-") for name in answer.headers)


@pytest.mark.parametrize("row", READS, ids=lambda row: row[1])
async def test_our_own_origin_and_none_are_let_in(site: Site, row: tuple[str, str, Any]) -> None:
    headers = await site.operator(await site.world.human("origins"))
    localhost = site.url.replace("127.0.0.1", "localhost")
    for origin in ({}, {"origin": site.url}, {"origin": localhost}):
        assert (await read(site.http, row, headers | origin)).status_code == 200


@pytest.mark.parametrize("row", READS, ids=lambda row: row[1])
async def test_a_preflight_is_refused(site: Site, row: tuple[str, str, Any]) -> None:
    headers = {"origin": site.url, "access-control-request-method": row[0]}
    answer = await site.http.options(row[1], headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    assert not any(name.startswith("access-control-") for name in answer.headers)


@pytest.mark.parametrize("query", ["x=1", "limit=10", "limit=", "=1", "a=1&a=2", "x"])
@pytest.mark.parametrize("path", ["/api/queues", "/api/capabilities"])
async def test_an_unknown_parameter_is_refused(site: Site, path: str, query: str) -> None:
    headers = await site.operator(await site.world.human("parameters"))
    answer = await site.http.get(f"{path}?{query}", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")


async def test_a_forged_host_changes_nothing_of_an_answer(site: Site) -> None:
    token = await site.world.operator_token(await site.world.human("host"))
    async with raw_connection(site.url) as connection:
        request = head("GET", "/api/queues", authorization=f"Bearer {token}", x_forwarded_proto="https")
        await connection.send(request)
        answer = await connection.answer()
    assert (answer.status, answer.body) == (200, b'{"queues":[]}')
