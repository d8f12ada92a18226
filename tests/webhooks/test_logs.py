"""Nothing of payloads, tokens or secrets in the server's log, whatever happens."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import httpx

from switchboard.core.webhook_signatures import Verification
from tests.support.servers import Server, running_server

from . import senders
from .site import Hook, Site

MARK = "mark-of-the-log-test"
BODY = b'{"note": "%s"}' % MARK.encode()


async def hang_up_halfway(server: Server, hook: Hook) -> None:
    """Returns when the server has noticed, and closed its side."""
    address = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"POST {hook.path} HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-length: 999\r\n\r\n".encode() + BODY)
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), 30) == b""
    writer.close()
    await writer.wait_closed()


async def test_a_sender_who_hangs_up_halfway_leaves_nothing(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    with running_server(site.database_url) as server:
        await hang_up_halfway(server, hook)
        server.stop()
        log = server.log()
    assert "internal_error" not in log
    assert hook.token not in log
    assert MARK not in log
    assert await site.events(hook) == []


async def test_no_answer_leaves_a_trace_of_its_secrets(site: Site) -> None:
    endpoint = await site.endpoint()
    hooks = {one: await site.hook(one, endpoint) for one in Verification}
    token, signed = hooks[Verification.TOKEN], hooks[Verification.GITHUB]
    with running_server(site.database_url) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
            answers = [
                await client.post(token.path, content=BODY, headers=senders.JSON),
                await client.post(token.path, content=BODY, headers=senders.JSON),
                await client.post(signed.path, content=BODY, headers=senders.github("wrong", BODY)),
                await client.post(signed.path, content=BODY[:-1], headers=senders.github(signed.secret, BODY[:-1])),
                await client.post(token.path, content=BODY * 10_000, headers=senders.JSON),
                await client.get(token.path),
                await client.post(token.path + "/", content=BODY),
                await client.post(token.path + "/more", content=BODY),
            ]
            assert [answer.status_code for answer in answers] == [202, 200, 401, 400, 413, 405, 404, 404]
            await site.sql.execute("alter table switchboard.webhook_events rename to webhook_events_away")
            try:
                broken = await client.post(token.path, content=BODY + b" ", headers=senders.JSON)
            finally:
                await site.sql.execute("alter table switchboard.webhook_events_away rename to webhook_events")
            assert broken.status_code == 500
        server.stop()
        log = server.log()
    assert signed.name in log  # a refused signature is told, by the webhook's name
    for hook in hooks.values():
        assert hook.token not in log
        assert not hook.secret or hook.secret not in log
        assert all(hook.token not in answer.text for answer in answers)
    assert MARK not in log
