"""Bodies: bounded while they arrive, and kept as they were meant."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest

from switchboard.core.webhook_signatures import Verification

from . import senders
from .site import Site

LIMIT = 256 * 1024


async def test_a_body_at_the_cap_is_taken_and_one_byte_more_is_not(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.GITHUB, endpoint)
    for size, status in ((LIMIT, 202), (LIMIT + 1, 413)):
        body = b'"' + b"x" * (size - 2) + b'"'
        answer = await site.deliver(hook, body, senders.github(hook.secret, body, delivery=f"d-{size}"))
        assert answer.status_code == status
    assert answer.json()["error"] == {
        "code": "payload_too_large",
        "message": f"The body is larger than {LIMIT} bytes.",
        "limit": LIMIT,
    }
    (todo,) = await site.todos(endpoint)
    assert len(todo["payload"]) == LIMIT


async def test_a_chunked_body_is_refused_before_it_has_ended(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    address = urlsplit(site.server.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(
            f"POST {hook.path} HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-type: text/plain\r\n"
            "transfer-encoding: chunked\r\n\r\n".encode()
        )
        chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"  # 16 KiB
        for _ in range(LIMIT // 0x4000):
            writer.write(chunk)
        await writer.drain()
        answer = asyncio.create_task(reader.readline())
        done, _ = await asyncio.wait({answer}, timeout=0.3)
        assert not done  # the cap is reached and not passed: the server waits for more
        writer.write(b"1\r\nx\r\n")
        await writer.drain()
        # the last chunk never comes
        assert b" 413 " in await asyncio.wait_for(answer, 10)
    finally:
        writer.close()
    assert await site.events(hook) == []


@pytest.mark.parametrize(
    "body",
    [
        '{"a": [1, 2.50, -0.0, 1e2, 1E-7, true, false, null, ""], "b": {}, "": []}',
        '{"id": 12345678901234567890123456789, "ratio": 0.1000000000000000055511151231257827, "big": 1e300}',
        r'{"text": "a \"quote\" \\ \/ \b\f\n\r\t é ü \u00e9 \ud83d\ude00 😀  end"}',
        ' \n {"spaced" : [ 1 , 2 ] } \n',
        '"only text"',
        "null",
        "[" * 64 + "]" * 64,
    ],
)
@pytest.mark.parametrize("scheme", [Verification.STANDARD, Verification.TOKEN])
async def test_the_payload_means_what_was_sent(site: Site, body: str, scheme: Verification) -> None:
    endpoint = await site.endpoint(max_in_flight=0)
    hook = await site.hook(scheme, endpoint)
    sent = body.encode()
    headers = senders.JSON if scheme is Verification.TOKEN else senders.standard(hook.secret, sent)
    assert (await site.deliver(hook, sent, headers)).status_code == 202
    assert (await site.work(endpoint, "claim_next"))["empty"]  # also after it was deferred
    await site.set_policy(endpoint, max_in_flight=1)
    answer = await site.post(
        "/api/v1/worker/claim_next", json={}, headers={"authorization": f"Bearer {endpoint.credential}"}
    )
    (todo,) = _exact(answer.text)["todos"]
    assert todo["payload"] == _exact(body)
    (event,) = await site.events(hook)
    assert _exact(event["body"]) == _exact(body)


def _exact(text: str) -> Any:
    """Numbers as they are written, not as the nearest double."""
    return json.loads(text, parse_float=Decimal)
