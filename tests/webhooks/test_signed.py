"""Signed deliveries, by both schemes, at the server."""

from __future__ import annotations

import json

import pytest

from switchboard.core.webhook_signatures import Verification

from . import senders
from .site import Site

BODY = b'{"type": "invoice.paid", "data": {"id": "in_1"}}'


async def test_a_standard_delivery_becomes_a_todo(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.STANDARD, endpoint, kind="invoice", title="An invoice was paid")
    answer = await site.deliver(hook, BODY, senders.standard(hook.secret, BODY))
    (event,) = await site.events(hook)
    assert answer.status_code == 202
    assert answer.json() == {"event_id": event["id"], "todos": 1, "skipped": 0, "duplicate": False}
    assert (event["delivery_id"], event["verification"]) == ("msg_1", "standard")
    assert json.loads(event["body"]) == json.loads(BODY)
    (todo,) = (await site.work(endpoint, "claim_next"))["todos"]
    assert todo["payload"] == json.loads(BODY)
    assert (todo["kind"], todo["title"], todo["source"]) == ("invoice", "An invoice was paid", hook.name)


async def test_a_github_delivery_becomes_a_todo_titled_by_its_event(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.GITHUB, endpoint)
    answer = await site.deliver(hook, BODY, senders.github(hook.secret, BODY, event="pull_request"))
    assert answer.status_code == 202
    (event,) = await site.events(hook)
    assert (event["delivery_id"], event["verification"]) == ("5d3f8f40-0001", "github")
    (todo,) = await site.todos(endpoint)
    assert (todo["kind"], todo["title"], todo["source"]) == ("webhook", "pull_request", hook.name)


@pytest.mark.parametrize("scheme", [Verification.STANDARD, Verification.GITHUB])
async def test_a_bad_signature_is_refused_and_makes_nothing(site: Site, scheme: Verification) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(scheme, endpoint)
    other = await site.hook(scheme, endpoint)
    sender = senders.standard if scheme is Verification.STANDARD else senders.github
    for body, headers in (
        (BODY, sender(other.secret, BODY)),
        (BODY + b" ", sender(hook.secret, BODY)),
        (BODY, senders.JSON),
        (b"not even JSON", senders.JSON),
    ):
        answer = await site.deliver(hook, body, headers)
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "unauthenticated"
        assert "bearer" not in answer.headers["www-authenticate"].lower()
    assert await site.events(hook) == []
    assert await site.todos(endpoint) == []


@pytest.mark.parametrize("age", [400, -400])
async def test_an_old_or_early_timestamp_is_refused(site: Site, age: float) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.STANDARD, endpoint)
    answer = await site.deliver(hook, BODY, senders.standard(hook.secret, BODY, age=age))
    assert answer.status_code == 401
    assert await site.todos(endpoint) == []


@pytest.mark.parametrize("scheme", [Verification.STANDARD, Verification.GITHUB])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello",
        b'{"a": 1',
        b'{"a": 1, "a": 2}',
        b"[NaN]",
        b'"\\u0000"',
        b'"\\ud800"',
        b"[" * 65 + b"]" * 65,
        b"[1e-20000]",
    ],
    ids=["empty", "text", "cut", "double", "nan", "nul", "surrogate", "deep", "fine"],
)
async def test_a_signed_body_that_is_no_json_is_refused(site: Site, scheme: Verification, body: bytes) -> None:
    hook = await site.hook(scheme, await site.endpoint())
    sender = senders.standard if scheme is Verification.STANDARD else senders.github
    answer = await site.deliver(hook, body, sender(hook.secret, body))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_argument"
    assert await site.events(hook) == []


@pytest.mark.parametrize("mime", ["application/x-www-form-urlencoded", "text/plain"])
async def test_githubs_form_encoding_is_refused_in_clear_words(site: Site, mime: str) -> None:
    hook = await site.hook(Verification.GITHUB, await site.endpoint())
    body = b"payload=%7B%22zen%22%3A%22Design%20for%20failure.%22%7D"
    headers = senders.github(hook.secret, body) | {"content-type": mime}
    answer = await site.deliver(hook, body, headers)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["field"] == "Content-Type"
    assert "application/json" in error["message"]


@pytest.mark.parametrize("delivery", [None, "", "x" * 201, "tab\there", "ümlaut"])
async def test_a_github_delivery_needs_a_usable_id(site: Site, delivery: str | None) -> None:
    hook = await site.hook(Verification.GITHUB, await site.endpoint())
    headers: dict[str, str | bytes] = dict(senders.github(hook.secret, BODY))
    del headers["x-github-delivery"]
    if delivery is not None:
        headers["x-github-delivery"] = delivery.encode("latin-1")
    answer = await site.deliver(hook, BODY, headers)  # type: ignore[arg-type]
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == "x-github-delivery"


async def test_a_header_given_twice_is_one_value(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.STANDARD, endpoint)
    headers = [*senders.standard(hook.secret, BODY).items(), ("webhook-id", "msg_2")]
    answer = await site.post(hook.path, content=BODY, headers=headers)
    assert answer.status_code == 401  # else the id that is signed and the one that is kept could differ
    assert await site.todos(endpoint) == []


async def test_a_delivery_neither_chooses_a_queue_nor_touches_a_policy(site: Site) -> None:
    endpoint = await site.endpoint(max_in_flight=1)
    other = await site.endpoint(endpoint.owner)
    hook = await site.hook(Verification.GITHUB, endpoint, kind="fixed")
    body = json.dumps(
        {
            "queue": "elsewhere",
            "queue_id": 1,
            "endpoint": other.slug,
            "target": f"{other.slug}:inbox",
            "kind": "chosen",
            "source": "someone",
            "idempotency_key": "mine",
            "max_in_flight": 9,
            "policy": {"max_in_flight": 9},
        }
    ).encode()
    policies = await site.sql.fetch("select * from switchboard.policies order by queue_id")
    queues = await site.sql.fetchval("select count(*) from switchboard.queues")
    headers = senders.github(hook.secret, body, queue="elsewhere")
    assert (await site.deliver(hook, body, headers)).status_code == 202
    (todo,) = await site.todos(endpoint)
    assert (todo["kind"], todo["source"]) == ("fixed", hook.name)
    assert todo["idempotency_key"].startswith("webhook:")
    assert await site.todos(other) == []
    assert await site.sql.fetch("select * from switchboard.policies order by queue_id") == policies
    assert await site.sql.fetchval("select count(*) from switchboard.queues") == queues


@pytest.mark.parametrize(
    ("more", "title"),
    [
        ({}, None),
        ({"title": "Always this"}, "Always this"),
        ({"title_header": "X-Event-Type"}, "invoice.paid"),
        ({"title_header": "X-Absent"}, None),
        ({"title_header": "X-Long"}, "y" * 200),
        ({"title_header": "X-Odd"}, "ab"),
    ],
)
async def test_the_title_is_a_fixed_text_or_a_header(site: Site, more: dict[str, str], title: str | None) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.STANDARD, endpoint, **more)
    headers = senders.standard(hook.secret, BODY) | {
        "x-event-type": "invoice.paid",
        "x-long": "y" * 300,
        "x-odd": "a\tb",
    }
    assert (await site.deliver(hook, BODY, headers)).status_code == 202
    (todo,) = await site.todos(endpoint)
    assert todo["title"] == (title or hook.name)
