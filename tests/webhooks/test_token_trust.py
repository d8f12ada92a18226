"""Token trust: the secret path vouches, the sender signs nothing."""

from __future__ import annotations

import hashlib
import json

import pytest

from switchboard.core.webhook_signatures import Verification

from . import senders
from .site import Site


async def test_the_path_is_trust_enough(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    answer = await site.deliver(hook, b'{"a": 1}', senders.JSON)
    assert answer.status_code == 202
    (event,) = await site.events(hook)
    assert event["verification"] == "token"
    (todo,) = await site.todos(endpoint)
    assert (json.loads(todo["payload"]), todo["title"]) == ({"a": 1}, hook.name)


async def test_an_idempotency_key_tells_deliveries_apart(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    first = await site.deliver(hook, b"{}", senders.JSON | {"idempotency-key": "a"})
    again = await site.deliver(hook, b'{"changed": true}', senders.JSON | {"idempotency-key": "a"})
    other = await site.deliver(hook, b"{}", senders.JSON | {"idempotency-key": "b"})
    assert [one.status_code for one in (first, again, other)] == [202, 200, 202]
    assert again.json()["event_id"] == first.json()["event_id"] != other.json()["event_id"]
    assert len(await site.todos(endpoint)) == 2


async def test_without_a_key_the_body_does(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    first = await site.deliver(hook, b'{"n": 1}', senders.JSON)
    again = await site.deliver(hook, b'{"n": 1}', senders.JSON)
    other = await site.deliver(hook, b'{"n": 2}', senders.JSON)
    assert [one.status_code for one in (first, again, other)] == [202, 200, 202]
    assert again.json() == {"event_id": first.json()["event_id"], "todos": 0, "skipped": 0, "duplicate": True}
    assert len(await site.todos(endpoint)) == 2


async def test_the_same_body_to_another_webhook_is_another_delivery(site: Site) -> None:
    endpoint = await site.endpoint()
    hooks = [await site.hook(Verification.TOKEN, endpoint) for _ in range(2)]
    answers = [await site.deliver(hook, b"{}", senders.JSON | {"idempotency-key": "a"}) for hook in hooks]
    assert [one.status_code for one in answers] == [202, 202]
    assert len(await site.todos(endpoint)) == 2


@pytest.mark.parametrize("mime", ["text/plain; charset=utf-8", "application/x-www-form-urlencoded", None])
async def test_a_body_that_is_not_declared_as_json_is_kept_as_text(site: Site, mime: str | None) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    text = 'disk "full"=1 & näher\n'
    answer = await site.deliver(hook, text.encode(), {} if mime is None else {"content-type": mime})
    assert answer.status_code == 202
    (todo,) = await site.todos(endpoint)
    assert json.loads(todo["payload"]) == text


@pytest.mark.parametrize(
    ("mime", "body"),
    [
        ("application/json", b"hello"),
        ("application/cloudevents+json", b"hello"),
        ("text/plain", b"\xff\xfe"),
        ("text/plain", b"nul \x00"),
    ],
)
async def test_a_body_that_cannot_be_kept_is_refused(site: Site, mime: str, body: bytes) -> None:
    hook = await site.hook(Verification.TOKEN, await site.endpoint())
    answer = await site.deliver(hook, body, {"content-type": mime})
    assert answer.status_code == 400
    assert await site.events(hook) == []


async def test_a_worker_that_guesses_at_keys_swallows_no_delivery(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    hook_id = await site.sql.fetchval("select id from switchboard.webhooks where name = $1", hook.name)
    guesses = ("a", f"webhook:{hook_id}:a", f"webhook:{hook_id}:{hashlib.sha256(b'a').hexdigest()}")
    for key in guesses:
        await site.work(endpoint, "enqueue", queue="inbox", kind="mine", idempotency_key=key)
    answer = await site.deliver(hook, b"{}", senders.JSON | {"idempotency-key": "a"})
    assert answer.json()["todos"] == 1
    assert len(await site.todos(endpoint)) == len(guesses) + 1
