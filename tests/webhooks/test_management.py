"""Webhooks as their owners make, change and end them."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.core.webhook_signatures import Verification
from switchboard.service.webhooks import MAX_TARGETS, NewWebhook, Target
from switchboard_wire.errors import SwitchboardError

from . import senders
from .site import Site


async def refused(awaitable: Any) -> tuple[str, str | None]:
    with pytest.raises(SwitchboardError) as refusal:
        await awaitable
    return refusal.value.code.value, refusal.value.field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "Capital"}, "name"),
        ({"name": "a" * 64}, "name"),
        ({"kind": ""}, "kind"),
        ({"kind": "k" * 201}, "kind"),
        ({"title": "two\nlines"}, "title"),
        ({"title": "t", "title_header": "x-event"}, "title_header"),
        ({"title_header": "no header"}, "title_header"),
        ({"targets": []}, "targets"),
        ({"targets": [Target(f"e{n}", "q") for n in range(MAX_TARGETS + 1)]}, "targets"),
        ({"targets": [Target("e", "q"), Target("e", "other")]}, "targets[1]"),
        ({"targets": [Target("no-such-endpoint", "q")]}, "targets[0]"),
    ],
)
async def test_a_wrong_wish_is_refused_and_names_its_field(site: Site, change: dict[str, Any], field: str) -> None:
    wish = {"name": site.name("wish"), "verification": Verification.TOKEN, "targets": [Target("e", "q")]} | change
    owner = await site.human()
    assert await refused(site.service.webhooks.add(owner, NewWebhook(**wish))) == ("invalid_argument", field)
    assert await site.sql.fetchval("select count(*) from switchboard.webhooks where human_id = $1", owner.id) == 0


async def test_foreign_revoked_and_missing_targets_are_refused_in_the_same_words(site: Site) -> None:
    mine, foreign = await site.endpoint(), await site.endpoint()
    revoked = await site.endpoint(mine.owner)
    await site.service.endpoints.revoke(revoked.slug)
    words = set()
    for target in (
        Target(foreign.slug, "inbox"),
        Target(mine.slug, "x"),
        Target("none", "x"),
        Target(revoked.slug, "inbox"),
    ):
        with pytest.raises(SwitchboardError) as refusal:
            await site.service.webhooks.add(mine.owner, NewWebhook(site.name("h"), Verification.TOKEN, [target]))
        words.add(refusal.value.message.replace(f"{target.endpoint}:{target.queue}", "X"))
    assert len(words) == 1


async def test_a_teams_queue_is_no_target(site: Site) -> None:
    mine = await site.endpoint()
    team_id = await site.sql.fetchval(
        "insert into switchboard.teams (slug) values ($1) returning id", site.name("team")
    )
    await site.sql.execute(
        "with q as (insert into switchboard.queues (team_id, name) values ($1, 'shared') returning id) "
        "insert into switchboard.endpoint_queues (endpoint_id, name, queue_id) "
        "select e.id, 'shared', q.id from q, switchboard.endpoints e where e.slug = $2",
        team_id,
        mine.slug,
    )
    ask = NewWebhook(site.name("h"), Verification.TOKEN, [Target(mine.slug, "shared")])
    assert await refused(site.service.webhooks.add(mine.owner, ask)) == ("invalid_argument", "targets[0]")


async def test_a_name_is_taken_until_its_webhook_is_revoked(site: Site) -> None:
    mine = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, mine)
    ask = NewWebhook(hook.name, Verification.TOKEN, [mine.target])
    assert await refused(site.service.webhooks.add(mine.owner, ask)) == ("conflict", "name")
    await site.service.webhooks.revoke(hook.name)
    assert await refused(site.service.webhooks.revoke(hook.name)) == ("not_found", "name")
    again = await site.service.webhooks.add(mine.owner, ask)
    assert again.token != hook.token
    assert (await site.deliver(hook, b"{}", senders.JSON)).status_code == 404
    assert (await site.post(f"/webhooks/w/{again.token}", content=b"{}", headers=senders.JSON)).status_code == 202


async def test_a_renewed_secret_ends_the_old_one_at_once(site: Site) -> None:
    hook = await site.hook(Verification.STANDARD, await site.endpoint())
    new = await site.service.webhooks.renew_secret(hook.name)
    assert new != hook.secret
    assert (await site.deliver(hook, b"{}", senders.standard(hook.secret, b"{}"))).status_code == 401
    assert (await site.deliver(hook, b"{}", senders.standard(new, b"{}"))).status_code == 202


async def test_a_senders_own_secret_is_taken(site: Site) -> None:
    hook = await site.hook(Verification.STANDARD, await site.endpoint())
    theirs = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    assert await refused(site.service.webhooks.renew_secret(hook.name, "whsec_short")) == ("invalid_argument", "secret")
    assert await site.service.webhooks.renew_secret(hook.name, theirs) == theirs
    assert (await site.deliver(hook, b"{}", senders.standard(theirs, b"{}"))).status_code == 202


async def test_there_is_no_secret_to_renew_under_token_trust_or_after_the_end(site: Site) -> None:
    endpoint = await site.endpoint()
    unsigned, ended = await site.hook(Verification.TOKEN, endpoint), await site.hook(Verification.GITHUB, endpoint)
    await site.service.webhooks.revoke(ended.name)
    assert await refused(site.service.webhooks.renew_secret(unsigned.name)) == ("conflict", None)
    assert await refused(site.service.webhooks.renew_secret(ended.name)) == ("not_found", "name")


async def test_the_list_says_why_a_target_takes_nothing(site: Site) -> None:
    mine = await site.endpoint()
    revoked, friend, stranger = await site.endpoint(mine.owner), await site.endpoint(), await site.endpoint()
    for one in (friend, stranger):
        await site.service.webhooks.accept(one.owner, one.target, mine.owner)
    hook = await site.hook(Verification.GITHUB, mine, revoked, friend, stranger)
    await site.service.endpoints.revoke(revoked.slug)
    await site.service.webhooks.stop_accepting(stranger.owner, stranger.target, mine.owner)
    (view,) = [one for one in await site.service.webhooks.list() if one.name == hook.name]
    assert (view.human, view.verification, view.state) == (mine.owner.name, Verification.GITHUB, "active")
    assert {one.endpoint: one.state for one in view.targets} == {
        mine.slug: "active",
        revoked.slug: "endpoint_revoked",
        friend.slug: "active",
        stranger.slug: "not_accepted",
    }
    assert view.last_event_at is None
    await site.deliver(hook, b"{}", senders.github(hook.secret, b"{}"))
    (view,) = [one for one in await site.service.webhooks.list() if one.name == hook.name]
    assert view.last_event_at is not None


async def test_only_a_queues_owner_accepts_for_it(site: Site) -> None:
    mine, friend = await site.endpoint(), await site.endpoint()
    webhooks = site.service.webhooks
    assert await refused(webhooks.accept(mine.owner, friend.target, mine.owner)) == ("conflict", None)
    other = await site.human()
    assert await refused(webhooks.accept(other, friend.target, mine.owner)) == ("not_found", "target")
    assert await refused(webhooks.stop_accepting(friend.owner, friend.target, mine.owner)) == ("not_found", None)
    await webhooks.accept(friend.owner, friend.target, mine.owner)
    await webhooks.accept(friend.owner, friend.target, mine.owner)
    await webhooks.stop_accepting(friend.owner, friend.target, mine.owner)
