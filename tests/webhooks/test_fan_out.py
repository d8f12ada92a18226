"""One delivery, a todo for each target, each governed by its own queue identity's policy alone (REQ-2)."""

from __future__ import annotations

import pytest

from switchboard.core.webhook_signatures import Verification
from switchboard_wire.errors import SwitchboardError

from . import senders
from .site import DAY, Endpoint, Site

BODY = b'{"n": 1}'


async def friends(site: Site, endpoint: Endpoint, **policy: object) -> Endpoint:
    """Another human's endpoint that accepts the webhooks of `endpoint`'s owner."""
    friend = await site.endpoint(**policy)
    await site.service.webhooks.accept(friend.owner, friend.target, endpoint.owner)
    return friend


async def test_each_copy_is_charged_to_its_own_identity(site: Site) -> None:
    mine = await site.endpoint(max_claims_per_window=5, window=DAY)
    also_mine = await site.endpoint(mine.owner, max_claims_per_window=5, window=DAY)
    friend = await friends(site, mine, max_claims_per_window=1, window=DAY)
    hook = await site.hook(Verification.STANDARD, mine, also_mine, friend)
    answer = await site.deliver(hook, BODY, senders.standard(hook.secret, BODY))
    assert answer.json()["todos"] == 3
    assert [await site.used(one) for one in (mine, also_mine, friend)] == [0, 0, 0]

    (claimed,) = (await site.work(mine, "claim_next"))["todos"]
    assert claimed["scope"] == f"endpoint:{mine.slug}"
    assert [await site.used(one) for one in (mine, also_mine, friend)] == [1, 0, 0]

    (claimed,) = (await site.work(friend, "claim_next"))["todos"]
    assert claimed["scope"] == f"endpoint:{friend.slug}"
    assert [await site.used(one) for one in (mine, also_mine, friend)] == [1, 0, 1]


async def test_a_friend_without_a_policy_is_charged_nothing_and_a_paused_owner_delays_nobody(site: Site) -> None:
    mine = await site.endpoint(max_in_flight=0)
    friend = await friends(site, mine)
    hook = await site.hook(Verification.TOKEN, mine, friend)
    assert (await site.deliver(hook, BODY, senders.JSON)).json()["todos"] == 2
    assert len((await site.work(friend, "claim_next"))["todos"]) == 1
    assert (await site.work(mine, "claim_next"))["deferred"][0]["reason"] == "paused"
    assert [await site.used(one) for one in (mine, friend)] == [0, 0]


async def test_each_copy_belongs_to_its_target_endpoint(site: Site) -> None:
    mine = await site.endpoint()
    friend = await friends(site, mine)
    hook = await site.hook(Verification.TOKEN, mine, friend)
    await site.deliver(hook, BODY, senders.JSON)
    for endpoint in (mine, friend):
        (todo,) = await site.todos(endpoint)
        slug = await site.sql.fetchval("select slug from switchboard.endpoints where id = $1", todo["endpoint_id"])
        assert (slug, todo["state"], todo["payload"]) == (endpoint.slug, "pending", '{"n": 1}')
    linked = await site.sql.fetch(
        "select l.todo_id from switchboard.webhook_event_todos l "
        "join switchboard.webhook_events e on e.id = l.event_id "
        "join switchboard.webhooks w on w.id = e.webhook_id where w.name = $1 order by 1",
        hook.name,
    )
    made = [*await site.todos(mine), *await site.todos(friend)]
    assert [row["todo_id"] for row in linked] == sorted(todo["id"] for todo in made)


async def test_a_revoked_target_endpoint_is_skipped_and_counted(site: Site) -> None:
    mine = await site.endpoint()
    gone = await site.endpoint(mine.owner)
    hook = await site.hook(Verification.TOKEN, mine, gone)
    await site.service.endpoints.revoke(gone.slug)
    answer = await site.deliver(hook, BODY, senders.JSON)
    assert answer.status_code == 202
    assert (answer.json()["todos"], answer.json()["skipped"]) == (1, 1)
    assert await site.todos(gone) == []


async def test_a_delivery_that_every_target_skips_is_recorded_all_the_same(site: Site) -> None:
    gone = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, gone)
    await site.service.endpoints.revoke(gone.slug)
    first = await site.deliver(hook, BODY, senders.JSON)
    assert (first.status_code, first.json()["todos"], first.json()["skipped"]) == (202, 0, 1)
    again = await site.deliver(hook, BODY, senders.JSON)
    assert (again.status_code, again.json()["event_id"]) == (200, first.json()["event_id"])


async def test_a_friend_who_takes_the_acceptance_back_gets_no_more(site: Site) -> None:
    mine = await site.endpoint()
    friend = await friends(site, mine)
    hook = await site.hook(Verification.TOKEN, mine, friend)
    await site.deliver(hook, b"1", senders.JSON)
    await site.service.webhooks.stop_accepting(friend.owner, friend.target, mine.owner)
    answer = await site.deliver(hook, b"2", senders.JSON)
    assert (answer.json()["todos"], answer.json()["skipped"]) == (1, 1)
    assert [len(await site.todos(one)) for one in (mine, friend)] == [2, 1]


async def test_a_queue_that_left_the_grant_gets_no_more(site: Site) -> None:
    mine = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, mine)
    await site.sql.execute(
        "delete from switchboard.endpoint_queues g using switchboard.endpoints e "
        "where g.endpoint_id = e.id and e.slug = $1",
        mine.slug,
    )
    answer = await site.deliver(hook, BODY, senders.JSON)
    assert (answer.json()["todos"], answer.json()["skipped"]) == (0, 1)


async def test_a_stranger_is_no_target(site: Site) -> None:
    mine, stranger = await site.endpoint(), await site.endpoint()
    with pytest.raises(SwitchboardError) as refusal:
        await site.hook(Verification.TOKEN, mine, stranger)
    assert (refusal.value.code.value, refusal.value.field) == ("invalid_argument", "targets[1]")
    # nor does an acceptance of someone else's webhooks make it one
    await site.service.webhooks.accept(stranger.owner, stranger.target, await site.human())
    with pytest.raises(SwitchboardError):
        await site.hook(Verification.TOKEN, mine, stranger)
