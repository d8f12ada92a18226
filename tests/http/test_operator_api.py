"""The operator API of policies: bearer only, what is not yours does not exist, every change audited (REQ-10)."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

import asyncpg
import httpx
import pytest

from tests.support.raw_http import head, raw_connection
from tests.support.scenario import DAY_LOS_ANGELES, DAY_UTC, Endpoint

from .conftest import PASSWORD, Site, bearer, sign_in

PREFIX = "/api/v1/admission"
NOT_FOUND = b'{"error":{"code":"not_found","message":"There is no such queue that you may manage."}}'


def path_of(endpoint: Endpoint, queue: str = "q") -> str:
    return f"{PREFIX}/endpoint:{endpoint.slug}/{quote(queue, safe='')}"


async def test_put_get_list_and_delete(site: Site) -> None:
    endpoint = await site.endpoint("q", "r")
    owner = endpoint.owner.name
    headers = await site.operator(endpoint.owner)
    policy = {"max_in_flight": 5, "max_claims_per_window": 100, "window": DAY_LOS_ANGELES}
    stored = policy | {"window": DAY_LOS_ANGELES | {"weekday": None}}

    put = await site.http.put(path_of(endpoint), json=policy, headers=headers)
    assert put.status_code == 200
    view = put.json()
    assert set(view) == {"admission", "created_by", "updated_by", "created_at", "updated_at", "audit"}
    assert (view["created_by"], view["updated_by"]) == (owner, owner)
    assert set(view["admission"]) == {
        "queue_id", "scope", "queue", "policy", "fault", "status", "in_flight", "used", "remaining",
        "window_started_at", "window_resets_at",
    }  # fmt: skip
    assert view["admission"]["policy"] == stored
    assert (view["admission"]["used"], view["admission"]["remaining"]) == (0, 100)
    (record,) = view["audit"]
    assert record["at"] >= view["created_at"] == view["updated_at"]
    assert record == {
        "at": record["at"],
        "action": "create",
        "human": owner,
        "endpoint": None,
        "before": None,
        "after": stored,
    }

    got = await site.http.get(path_of(endpoint), headers=headers)
    assert (got.status_code, got.json()) == (200, view)

    listed = await site.http.get(PREFIX, headers=headers)
    assert listed.status_code == 200
    q, r = listed.json()["queues"]
    assert q == view["admission"]
    assert (r["queue"], r["policy"], r["status"]["state"]) == ("r", None, "admitted")

    for cleared in (True, False):
        deleted = await site.http.delete(path_of(endpoint), headers=headers)
        assert (deleted.status_code, deleted.json()) == (200, {"cleared": cleared})
    after = (await site.http.get(path_of(endpoint), headers=headers)).json()
    assert (after["admission"]["policy"], after["created_by"], after["created_at"]) == (None, None, None)
    assert [(one["action"], one["before"], one["after"]) for one in after["audit"]] == [
        ("delete", stored, None),
        ("create", None, stored),
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"max_claims_per_window":5,"window":{"period":"day","tz":"Mars/Olympus","start":"00:00"}}', "window.tz"),
        (b'{"max_in_flight":10001}', "max_in_flight"),
        (b'{"max_in_flight":1,"max_in_flight":2}', "max_in_flight"),
        (b'{"max_in_flight":1,"note":"x"}', "note"),
        (b"{}", "max_in_flight"),
        (b"", "body"),
        (b"null", "body"),
        (b'{"max_in_flight":' + b"[" * 17 + b"]" * 17 + b"}", "body"),
    ],
)
async def test_a_bad_policy_names_its_field_and_changes_nothing(site: Site, body: bytes, field: str) -> None:
    endpoint = await site.endpoint("q")
    headers = await site.operator(endpoint.owner) | {"content-type": "application/json"}
    before = (await site.http.put(path_of(endpoint), content=b'{"max_in_flight":7}', headers=headers)).json()
    answer = await site.http.put(path_of(endpoint), content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
    assert answer.json()["error"]["field"] == field
    assert (await site.http.get(path_of(endpoint), headers=headers)).json() == before


NAMES = [
    "a/b",
    "a%2Fb",
    "..",
    ".",
    "%",
    "a b",
    "a+b",
    "?x=1",
    "#fragment",
    "q;x",
    "a\\b",
    '"quoted"',
    "\U0001f600",
    "ä漢",
    "q" * 200,
    "\U0001f600" * 200,
    "endpoint:e/q",
]


@pytest.mark.parametrize("name", NAMES)
async def test_a_queue_of_any_printable_name_can_be_managed(site: Site, name: str) -> None:
    endpoint = await site.endpoint(name, "b", "q")
    token = await site.world.operator_token(endpoint.owner)
    target = path_of(endpoint, name)
    answers = []
    async with raw_connection(site.url) as connection:  # no client is to tidy the address up
        body = b'{"max_in_flight":3}'
        for method in ("PUT", "GET", "DELETE"):
            headers = {"authorization": f"Bearer {token}"}
            if method == "PUT":
                headers |= {"content_type": "application/json", "content_length": str(len(body))}
            await connection.send(head(method, target, **headers) + (body if method == "PUT" else b""))
            answers.append(await connection.answer())
    assert [answer.status for answer in answers] == [200, 200, 200]
    row = await site.sql.fetchrow(
        "select q.name, a.action from switchboard.policy_audit a join switchboard.queues q on q.id = a.queue_id"
        " where q.endpoint_id = $1 order by a.id",
        endpoint.caller.endpoint_id,
    )
    assert tuple(row) == (name, "create")


async def test_the_hash_and_the_percent_of_an_address_are_not_decoded_twice(site: Site) -> None:
    endpoint = await site.endpoint("a/b", "a%2Fb")
    headers = await site.operator(endpoint.owner)
    await site.world.set_policy(endpoint, "a/b", max_in_flight=1)
    await site.world.set_policy(endpoint, "a%2Fb", max_in_flight=2)
    once = await site.http.get(f"{PREFIX}/endpoint:{endpoint.slug}/a%2Fb", headers=headers)
    twice = await site.http.get(f"{PREFIX}/endpoint:{endpoint.slug}/a%252Fb", headers=headers)
    assert (once.json()["admission"]["queue"], twice.json()["admission"]["queue"]) == ("a/b", "a%2Fb")


ABSENT = [
    "endpoint:{foreign}/q",
    "endpoint:{foreign}/a%2Fb",
    "endpoint:{foreign_id}/q",
    "endpoint:none/q",
    "team:{foreign}/q",
    "human:{owner}/q",
    "{foreign}/q",
    "endpoint:{mine}/none",
    "endpoint:{mine}/Q",
    "endpoint:{mine}/" + "x" * 201,
    "endpoint:{mine}",
    "endpoint:{mine}/",
    "endpoint:{mine}/q/",
    "endpoint:{mine}/q/r",
    "/q",
    "endpoint:{mine}/%FF",
    "endpoint:{mine}/%00",
    "endpoint:{mine}/%0A",
    "endpoint:{mine}/q%0A",
]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_foreign_unknown_and_unmanageable_queues_are_the_same_404_to_the_byte(site: Site, method: str) -> None:
    foreign = await site.endpoint("q", "a/b")
    await site.world.set_policy(foreign, "q", max_in_flight=1)
    answers = []
    for target in ABSENT:
        mine = await site.endpoint("q")  # of an owner of its own, whose writes nothing limits
        path = target.format(
            mine=mine.slug, foreign=foreign.slug, foreign_id=foreign.caller.endpoint_id, owner=foreign.owner.name
        )
        headers = await site.operator(mine.owner)
        body = {"max_in_flight": 2}
        answers.append((path, await site.http.request(method, f"{PREFIX}/{path}", json=body, headers=headers)))
    operator = await site.world.human(f"operator{next(site.numbers)}", operator=True)
    headers = await site.operator(operator)
    answers.append(("operator", await site.http.request(method, path_of(foreign), json={}, headers=headers)))
    assert {(path, answer.status_code, answer.content) for path, answer in answers} == {
        (path, 404, NOT_FOUND) for path, _ in answers
    }
    assert len({frozenset((dict(answer.headers) | {"date": ""}).items()) for _, answer in answers}) == 1
    assert (
        await site.sql.fetchval(
            "select max_in_flight from switchboard.policies where queue_id = $1", foreign.queue_id("q")
        )
        == 1
    )


async def test_a_name_with_a_line_break_inside_is_the_same_404(site: Site) -> None:
    mine = await site.endpoint("q")
    headers = await site.operator(mine.owner)
    answer = await site.http.get(f"{PREFIX}/endpoint:{mine.slug}/q%0Ar", headers=headers)
    assert (answer.status_code, answer.content) == (404, NOT_FOUND)


async def test_who_may_not_manage_a_queue_learns_nothing_from_how_a_body_is_judged(site: Site) -> None:
    mine, foreign = await site.endpoint("q"), await site.endpoint("q")
    headers = await site.operator(mine.owner)
    for body in ({}, {"max_in_flight": -1}, {"max_in_flight": 1}):
        answers = [
            await site.http.put(target, json=body, headers=headers)
            for target in (path_of(foreign), path_of(mine, "none"))
        ]
        assert [(answer.status_code, answer.content) for answer in answers] == [(404, NOT_FOUND)] * 2


async def test_nobody_gets_the_same_401_for_every_queue(site: Site) -> None:
    endpoint = await site.endpoint("q")
    seen = set()
    for target in (PREFIX, path_of(endpoint), path_of(endpoint, "none")):
        for headers in ({}, bearer("sbo_none"), bearer(endpoint.credential)):
            answer = await site.http.get(target, headers=headers)
            assert answer.status_code == 401
            seen.add(answer.content)
    assert len(seen) == 1


async def test_a_session_cookie_opens_nothing_here(site: Site) -> None:
    endpoint = await site.endpoint("q")
    human = endpoint.owner
    await site.world.service.accounts.set_password(human, PASSWORD)
    async with httpx.AsyncClient(base_url=site.url) as browser:
        assert (await sign_in(browser, human.name, PASSWORD)).status_code == 303
        assert (await browser.get("/api/queues")).status_code == 200
        for method, target in (("GET", PREFIX), ("GET", path_of(endpoint)), ("DELETE", path_of(endpoint))):
            assert (await browser.request(method, target)).status_code == 401
        put = await browser.put(path_of(endpoint), json={"max_in_flight": 0})
        assert put.status_code == 401
    assert (
        await site.sql.fetchval("select count(*) from switchboard.policies where queue_id = $1", endpoint.queue_id("q"))
        == 0
    )


async def test_a_replaced_token_is_nobody(site: Site) -> None:
    human = await site.world.human(f"renewing{next(site.numbers)}")
    old = await site.operator(human)
    assert (await site.http.get(PREFIX, headers=old)).status_code == 200
    new = await site.operator(human)
    assert (await site.http.get(PREFIX, headers=old)).status_code == 401
    assert (await site.http.get(PREFIX, headers=new)).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PATCH", "OPTIONS"])
async def test_other_methods_are_a_json_405(site: Site, method: str) -> None:
    endpoint = await site.endpoint("q")
    answer = await site.http.request(method, path_of(endpoint))
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "PUT", "DELETE"}


async def test_a_revoked_endpoints_policy_is_read_only(site: Site) -> None:
    endpoint = await site.endpoint("q")
    headers = await site.operator(endpoint.owner)
    await site.world.set_policy(endpoint, "q", max_in_flight=1)
    await site.world.service.endpoints.revoke(endpoint.slug)
    assert (await site.http.get(path_of(endpoint), headers=headers)).status_code == 200
    for answer in (
        await site.http.put(path_of(endpoint), json={"max_in_flight": 2}, headers=headers),
        await site.http.delete(path_of(endpoint), headers=headers),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")


async def test_eight_writers_at_once_leave_a_gapless_audit(site: Site) -> None:
    endpoint = await site.endpoint("q")
    owners = [await site.operator(endpoint.owner)] * 8

    async def write(number: int, headers: dict[str, str]) -> int:
        body: dict[str, Any] = {"max_claims_per_window": number, "window": DAY_UTC}
        return (await site.http.put(path_of(endpoint), json=body, headers=headers)).status_code

    statuses = await asyncio.gather(*(write(number, headers) for number, headers in enumerate(owners, 1)))
    assert set(statuses) == {200}
    records = await site.sql.fetch(
        "select action, before->>'max_claims_per_window' as before, after->>'max_claims_per_window' as after"
        " from switchboard.policy_audit where queue_id = $1 order by id",
        endpoint.queue_id("q"),
    )
    assert [row["action"] for row in records] == ["create"] + ["change"] * 7
    assert [row["before"] for row in records[1:]] == [row["after"] for row in records[:-1]]
    assert sorted(int(row["after"]) for row in records) == list(range(1, 9))


async def test_writes_of_one_human_are_limited_to_a_burst_of_ten(site: Site) -> None:
    endpoint, other = await site.endpoint("q"), await site.endpoint("q")
    headers = await site.operator(endpoint.owner)

    async def write() -> httpx.Response:
        return await site.http.put(path_of(endpoint), json={"max_in_flight": 1}, headers=headers)

    answers = await asyncio.gather(*(write() for _ in range(40)))
    limited = [answer for answer in answers if answer.status_code == 429]
    assert {answer.status_code for answer in answers} == {200, 429}
    assert limited[0].json()["error"]["code"] == "rate_limited"
    assert int(limited[0].headers["retry-after"]) >= 1
    assert (await site.http.get(path_of(endpoint), headers=headers)).status_code == 200
    unlimited = await site.http.put(path_of(other), json={"max_in_flight": 1}, headers=await site.operator(other.owner))
    assert unlimited.status_code == 200


@pytest.fixture
async def refusing_audit(site: Site) -> Any:
    """One queue whose audit cannot be written."""
    endpoint = await site.endpoint("q")
    connection: asyncpg.Connection = site.sql
    await connection.execute(
        "create function public.refuse() returns trigger language plpgsql as"
        " $$ begin raise exception using errcode = '57P03', message = 'not now'; end $$;"
        "create trigger refuse before insert on switchboard.policy_audit for each row"
        f" when (new.queue_id = {endpoint.queue_id('q')}) execute function public.refuse()"
    )
    yield endpoint
    await connection.execute("drop trigger refuse on switchboard.policy_audit; drop function public.refuse()")


async def test_a_policy_whose_audit_cannot_be_written_is_not_written(site: Site, refusing_audit: Endpoint) -> None:
    headers = await site.operator(refusing_audit.owner)
    answer = await site.http.put(path_of(refusing_audit), json={"max_in_flight": 1}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert (
        await site.sql.fetchval(
            "select count(*) from switchboard.policies where queue_id = $1", refusing_audit.queue_id("q")
        )
        == 0
    )
