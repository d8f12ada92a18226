"""Whoever does not know a token learns nothing: not even whether it was one."""

from __future__ import annotations

import secrets

import httpx
import pytest

from switchboard.core.webhook_signatures import Verification

from . import senders
from .site import Site


def seen(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """All of an answer but the time."""
    return answer.status_code, answer.content, {name: value for name, value in answer.headers.items() if name != "date"}


async def test_unknown_and_revoked_tokens_get_identical_bytes(site: Site) -> None:
    endpoint = await site.endpoint()
    hooks = {one: await site.hook(one, endpoint) for one in Verification}
    for hook in hooks.values():
        await site.service.webhooks.revoke(hook.name)
    unknown = seen(await site.post(f"/webhooks/w/sbw_{secrets.token_urlsafe(32)}", content=b"{}"))
    assert unknown[0] == 404
    answers = [
        *[await site.deliver(hook, b"{}", senders.JSON) for hook in hooks.values()],
        await site.deliver(hooks[Verification.GITHUB], b"{}", senders.github(hooks[Verification.GITHUB].secret, b"{}")),
        await site.deliver(
            hooks[Verification.STANDARD], b"{}", senders.standard(hooks[Verification.STANDARD].secret, b"{}")
        ),
    ]
    assert [seen(answer) for answer in answers] == [unknown] * 5
    assert await site.todos(endpoint) == []


@pytest.mark.parametrize(
    "path", ["", "sbw_", "x", "a/b", "a%2Fb", "..%2f..", "%00", "%ff", "sbk_" + "A" * 43, "sbw_" + "A" * 5000]
)
async def test_what_is_no_token_gets_the_same(site: Site, path: str) -> None:
    unknown = seen(await site.post(f"/webhooks/w/sbw_{secrets.token_urlsafe(32)}", content=b"{}"))
    assert seen(await site.post(f"/webhooks/w/{path}", content=b"{}")) == unknown


async def test_an_unknown_token_has_no_body_read_for_it(site: Site) -> None:
    answer = await site.post(f"/webhooks/w/sbw_{secrets.token_urlsafe(32)}", content=b"x" * 300_000)
    assert answer.status_code == 404


async def test_the_token_is_stored_as_a_hash_only(site: Site) -> None:
    hook = await site.hook(Verification.GITHUB, await site.endpoint())
    row = await site.sql.fetchrow(
        "select w::text as text, secret from switchboard.webhooks w where name = $1", hook.name
    )
    assert hook.token not in row["text"]
    assert hook.token.removeprefix("sbw_").encode().hex() not in row["text"]
    await site.service.webhooks.revoke(hook.name)
    assert await site.sql.fetchval("select secret from switchboard.webhooks where name = $1", hook.name) is None
