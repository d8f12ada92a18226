"""Every refusal is JSON of one shape, with the status that the reference gives its code."""

from __future__ import annotations

import httpx
import pytest

from switchboard_wire.worker import Verb
from tests.support.scenario import Endpoint

from .conftest import Site, bearer


def error(answer: httpx.Response) -> dict[str, object]:
    """The error object, after all that every error must be."""
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert list(body) == ["error"]
    assert list(body["error"])[:2] == ["code", "message"]
    found: dict[str, object] = body["error"]
    return found


@pytest.fixture(scope="module")
async def endpoint(site: Site) -> Endpoint:
    return await site.endpoint("q")


CREDENTIALS = {
    "none": {},
    "empty": {"authorization": ""},
    "no scheme": {"authorization": "sbk_x"},
    "basic": {"authorization": "Basic c2JrX3g6"},
    "unknown": {"authorization": "Bearer sbk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
    "blank": {"authorization": "Bearer"},
    "another prefix": {"authorization": "Bearer sbs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
    "latin-1": {"authorization": "Bearer sbk_\xe9"},
    "a cookie": {"cookie": "switchboard_session=sbk_AAAA"},
}


@pytest.mark.parametrize("headers", CREDENTIALS.values(), ids=CREDENTIALS.keys())
@pytest.mark.parametrize("verb", ["claim_next", "enqueue", "admission_status"])
async def test_no_verb_without_an_endpoints_credential(site: Site, headers: dict[str, str], verb: str) -> None:
    raw = {name: value.encode("latin-1") for name, value in headers.items()}
    answer = await site.http.post(f"/api/v1/worker/{verb}", json={}, headers=raw)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert error(answer) == {
        "code": "unauthenticated",
        "message": "Send an endpoint's credential: Authorization: Bearer sbk_...",
    }


async def test_an_operators_token_is_no_endpoints_credential_nor_the_other_way_round(
    site: Site, endpoint: Endpoint
) -> None:
    token = await site.operator(endpoint.owner)
    assert (await site.http.post("/api/v1/worker/claim_next", json={}, headers=token)).status_code == 401
    assert (await site.http.get("/api/v1/admission", headers=bearer(endpoint.credential))).status_code == 401


async def test_a_revoked_endpoint_and_a_replaced_credential_are_nobody(site: Site) -> None:
    endpoint = await site.endpoint("q")
    renewed = await site.world.service.endpoints.renew(endpoint.slug)
    assert (await site.verb(endpoint, "claim_next")).status_code == 401
    assert (await site.http.post("/api/v1/worker/claim_next", headers=bearer(renewed))).status_code == 200
    await site.world.service.endpoints.revoke(endpoint.slug)
    assert (await site.http.post("/api/v1/worker/claim_next", headers=bearer(renewed))).status_code == 401


@pytest.mark.parametrize("verb", [verb for verb in Verb if verb is not Verb.ENQUEUE])
async def test_a_verb_outside_the_grant_is_forbidden_before_its_body_is_looked_at(site: Site, verb: Verb) -> None:
    endpoint = await site.endpoint("q", verbs=(Verb.ENQUEUE,))
    answer = await site.http.post(f"/api/v1/worker/{verb}", content=b"not json", headers=bearer(endpoint.credential))
    assert answer.status_code == 403
    assert error(answer) == {"code": "forbidden", "message": f"Your grant does not hold the verb {verb}."}


@pytest.mark.parametrize("claiming", [Verb.CLAIM, Verb.CLAIM_NEXT])
async def test_either_claim_verb_brings_admission_status_along(site: Site, claiming: Verb) -> None:
    endpoint = await site.endpoint("q", verbs=(claiming,))
    assert (await site.verb(endpoint, "admission_status")).status_code == 200
    assert (await site.verb(endpoint, "enqueue", queue="q", kind="k")).status_code == 403


@pytest.mark.parametrize("verb", ["set_admission_policy", "clear_admission_policy"])
async def test_by_default_an_agent_cannot_raise_its_own_ceiling(site: Site, verb: str) -> None:
    endpoint = await site.endpoint("q")
    await site.world.set_policy(endpoint, "q", max_in_flight=1)
    policy = {"max_in_flight": 100}
    for answer in (
        await site.verb(endpoint, verb, queue="q", policy=policy),
        await site.http.put(
            f"/api/v1/admission/endpoint:{endpoint.slug}/q", json=policy, headers=bearer(endpoint.credential)
        ),
        await site.http.delete(f"/api/v1/admission/endpoint:{endpoint.slug}/q", headers=bearer(endpoint.credential)),
    ):
        assert answer.status_code in (401, 403, 404)
    row = await site.sql.fetchrow(
        "select max_in_flight from switchboard.policies where queue_id = $1", endpoint.queue_id("q")
    )
    assert row["max_in_flight"] == 1


BAD = [
    ("claim", b'{"todo_id":"1"}', "todo_id"),
    ("claim", b"{}", "todo_id"),
    ("claim_next", b'{"max":0}', "max"),
    ("claim_next", b'{"max":1,"max":2}', "max"),
    ("claim_next", b'{"maximum":1}', "maximum"),
    ("claim_next", b"[]", "body"),
    ("claim_next", b"{", "body"),
    ("claim_next", b'{"worker":"\xff"}', "body"),
    ("enqueue", b'{"queue":"q","kind":"k","payload":NaN}', "body"),
    ("enqueue", b'{"queue":"q","kind":"k","tags":["a","a"]}', "tags[1]"),
    ("enqueue", b'{"queue":"q","kind":"k","payload":' + b"[" * 64 + b"]" * 64 + b"}", "body"),
    ("complete", b'{"todo_id":1,"next":{"max":101}}', "next.max"),
    ("complete", b'{"todo_id":1,"fence":"short"}', "fence"),
    ("complete", b"{}", "todo_id"),
    ("complete", b'{"todo_id":1,"todos":[{"todo_id":2}]}', "todo_id"),
    ("complete", b'{"todos":[{"todo_id":2},{"todo_id":2}]}', "todos[1].todo_id"),
]


@pytest.mark.parametrize(("verb", "body", "field"), BAD)
async def test_a_bad_body_names_its_field(site: Site, endpoint: Endpoint, verb: str, body: bytes, field: str) -> None:
    headers = bearer(endpoint.credential) | {"content-type": "application/json"}
    answer = await site.http.post(f"/api/v1/worker/{verb}", content=body, headers=headers)
    assert answer.status_code == 400
    found = error(answer)
    assert (found["code"], found["field"], set(found)) == ("invalid_argument", field, {"code", "message", "field"})


async def test_a_payload_may_nest_64_deep_with_the_body_around_it(site: Site, endpoint: Endpoint) -> None:
    headers = bearer(endpoint.credential) | {"content-type": "application/json"}
    body = b'{"queue":"q","kind":"k","payload":' + b"[" * 63 + b"]" * 63 + b"}"
    assert (await site.http.post("/api/v1/worker/enqueue", content=body, headers=headers)).status_code == 200


@pytest.mark.parametrize(
    "mime", [None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json"]
)
async def test_a_body_that_is_not_called_json_is_not_read(site: Site, endpoint: Endpoint, mime: str | None) -> None:
    headers = bearer(endpoint.credential) | ({} if mime is None else {"content-type": mime})
    answer = await site.http.post("/api/v1/worker/claim_next", content=b'{"max":1}', headers=headers)
    assert answer.status_code == 415
    assert error(answer) == {
        "code": "unsupported_media_type",
        "message": "Send JSON, with the header Content-Type: application/json.",
    }


@pytest.mark.parametrize("mime", ["application/json", "Application/JSON; charset=utf-8"])
async def test_json_may_name_its_charset(site: Site, endpoint: Endpoint, mime: str) -> None:
    headers = bearer(endpoint.credential) | {"content-type": mime}
    answer = await site.http.post("/api/v1/worker/claim_next", content=b"{}", headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
async def test_a_verb_takes_posts_only(site: Site, method: str) -> None:
    answer = await site.http.request(method, "/api/v1/worker/claim_next")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    if method != "HEAD":
        assert error(answer) == {"code": "method_not_allowed", "message": f"{method} is not possible here."}


async def test_a_todo_that_is_not_there_not_mine_or_not_free(site: Site) -> None:
    mine, other = await site.endpoint("q"), await site.endpoint("q")
    foreign, held = await site.world.enqueue(other, "q"), await site.world.enqueue(mine, "q")
    await site.world.claim(mine, held)
    answers = [await site.verb(mine, "claim", todo_id=todo_id) for todo_id in (2**63 - 1, foreign, held)]
    assert [answer.status_code for answer in answers] == [404, 403, 409]
    assert [error(answer) for answer in answers] == [
        {"code": "not_found", "message": "There is no such todo.", "field": "todo_id"},
        {"code": "forbidden", "message": "This todo is in a queue outside your grant.", "field": "todo_id"},
        {
            "code": "conflict",
            "message": "This todo is claimed and cannot be claimed by you now.",
            "field": "todo_id",
            "state": "claimed",
        },
    ]


@pytest.mark.parametrize("verb", ["complete", "fail", "release", "heartbeat", "get_todo"])
async def test_a_foreign_todo_is_as_unknown_as_none(site: Site, verb: str) -> None:
    mine, other = await site.endpoint("q"), await site.endpoint("q")
    foreign = await site.world.enqueue(other, "q")
    answers = [await site.verb(mine, verb, todo_id=todo_id) for todo_id in (foreign, 2**63 - 1)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize("verb", ["complete", "fail", "release", "heartbeat"])
async def test_a_todo_that_i_do_not_hold_is_a_conflict(site: Site, verb: str) -> None:
    mine = await site.endpoint("q")
    todo_id = await site.world.enqueue(mine, "q")
    answer = await site.verb(mine, verb, todo_id=todo_id)
    assert answer.status_code == 409
    assert error(answer) == {
        "code": "conflict",
        "message": "You do not hold this todo; it is pending.",
        "field": "todo_id",
        "state": "pending",
    }


async def test_status_of_a_queue_out_of_scope_reveals_nothing(site: Site) -> None:
    mine, other = await site.endpoint("q"), await site.endpoint("secret")
    await site.world.set_policy(other, "secret", max_in_flight=1)
    answers = [await site.verb(mine, "admission_status", queue=name) for name in ("secret", "none")]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert answers[0].content == answers[1].content
    assert error(answers[0]) == {
        "code": "forbidden",
        "message": "This queue is outside your grant.",
        "field": "queue",
    }


UNKNOWN = [
    "/api",
    "/api/",
    "/api/nothing",
    "/api/v1",
    "/api/v1/worker",
    "/api/v1/worker/steal",
    "/api/v1/worker/claim_next/more",
    "/api/v2/worker/claim_next",
    "/api/queues/none/such",
    "/api/v1/jobs",
    "/api/%2e%2e/board",
    "/api/queues%2fx",
    "/api/\U0001f600",
]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])
@pytest.mark.parametrize("path", UNKNOWN)
async def test_an_unknown_address_under_api_is_a_json_404_whatever_the_method(
    site: Site, method: str, path: str
) -> None:
    answer = await site.http.request(method, path)
    assert answer.status_code == 404
    assert error(answer) == {"code": "not_found", "message": "There is nothing at this address."}


@pytest.mark.parametrize("path", ["/api/queues/", "/api/queues%2f", "/api/v1/worker/claim_next/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_slash_too_many_is_an_unknown_address_and_no_redirect(site: Site, method: str, path: str) -> None:
    answer = await site.http.request(method, path)
    assert answer.status_code == 404
    assert error(answer)["code"] == "not_found"


@pytest.mark.parametrize("path", ["/board/", "/api/queues/", "/sign-in/", "/static/runtime"])
async def test_no_answer_sends_the_browser_to_a_host_that_the_request_named(site: Site, path: str) -> None:
    answer = await site.http.get(path, headers={"host": "evil.example", "x-forwarded-host": "evil.example"})
    assert "evil.example" not in answer.headers.get("location", "")


@pytest.mark.parametrize(
    "path", ["/nothing", "/board/deep", "/apiary", "/static/none.css", "/static/../pyproject.toml"]
)
async def test_an_unknown_page_is_a_readable_404(site: Site, path: str) -> None:
    answer = await site.http.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "<h1>Page not found</h1>" in answer.text


async def test_what_a_caller_sends_is_never_echoed_as_markup(site: Site) -> None:
    answer = await site.http.get("/%3Cscript%3Ealert(1)%3C/script%3E")
    assert answer.status_code == 404
    assert "<script>" not in answer.text
