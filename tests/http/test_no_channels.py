"""D1, D2: the browser is answered and never pushed to. No address opens a WebSocket or streams events."""

from __future__ import annotations

import pytest

from tests.support.raw_http import head, raw_connection

from .conftest import Site

PATHS = [
    "/",
    "/board",
    "/plain/board",
    "/_reactpy/stream/",
    "/_reactpy/stream/board",
    "/reactpy/stream",
    "/events",
    "/ws",
    "/api/queues",
    "/api/capabilities",
    "/api/events",
    "/api/v1/jobs/query",
]


@pytest.mark.parametrize("path", PATHS)
async def test_no_address_opens_a_websocket(site: Site, path: str) -> None:
    token = await site.world.operator_token((await site.endpoint("q")).owner)
    async with raw_connection(site.url) as connection:
        await connection.send(
            head(
                "GET",
                path,
                authorization=f"Bearer {token}",
                connection="Upgrade",
                upgrade="websocket",
                sec_websocket_key="dGhlIHNhbXBsZSBub25jZQ==",
                sec_websocket_version="13",
            )
        )
        answer = await connection.answer()
    assert answer.status in (200, 303, 403, 404, 405)
    assert "sec-websocket-accept" not in answer.headers
    assert "upgrade" not in answer.headers


@pytest.mark.parametrize("path", PATHS)
async def test_no_address_streams_events(site: Site, path: str) -> None:
    token = await site.world.operator_token((await site.endpoint("q")).owner)
    async with raw_connection(site.url) as connection:
        await connection.send(head("GET", path, authorization=f"Bearer {token}", accept="text/event-stream"))
        answer = await connection.answer()  # whole: its length was told before
    assert answer.headers.get("content-type", "").partition(";")[0] != "text/event-stream"
