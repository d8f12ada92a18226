"""Claims of several servers at the same moment, stopped where it matters."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.faults.ground import Ground
from tests.faults.scenarios import HOUR_UTC, lost_and_refused, nineteen_exhausted, racers
from tests.support.barriers import Point, closed
from tests.support.claimers import Answer, Claimer, race
from tests.support.scenario import Endpoint, World
from tests.support.waiting import lock_waits, within_bound


async def test_a_hundred_racers_on_two_servers_share_a_budget_of_ten(shared: Ground) -> None:
    await racers(shared, 100, 10, "hundred")


async def test_refused_claims_and_claims_lost_to_a_race_write_nothing(ground: Ground) -> None:
    await lost_and_refused(ground, 300)


async def test_one_call_claims_from_the_twentieth_queue_when_nineteen_are_spent(ground: Ground) -> None:
    await nineteen_exhausted(ground, 5000)


async def _call(server: int, ground: Ground, endpoint: Endpoint, verb: str, **body: Any) -> Answer:
    caller = Claimer(ground.urls[server], endpoint.credential)
    try:
        return await caller.call(verb, **body)
    finally:
        await caller.close()


@pytest.mark.parametrize("by_id", [True, False], ids=["claim", "claim_next"])
@pytest.mark.parametrize("limits", ["cap", "window"])
async def test_a_claim_not_yet_committed_bars_another_servers(shared: Ground, limits: str, by_id: bool) -> None:
    """Cap 1, two todos: while the first claim is about to commit, the second waits, and is refused after it."""
    world = shared.world
    endpoint = await world.endpoint(f"open-{limits}-{by_id}".lower(), "q")
    await world.set_policy(
        endpoint,
        "q",
        **({"max_in_flight": 1} if limits == "cap" else {"max_claims_per_window": 1, "window": HOUR_UTC}),
    )
    first, second = await world.enqueue_many(endpoint, "q", 2)
    for server in (0, 1):  # both know the policy
        await _call(server, shared, endpoint, "admission_status")
    async with closed(shared.url, Point.COMMITTING) as gate:
        a = asyncio.create_task(_call(0, shared, endpoint, "claim", todo_id=first))
        await gate.arrived()
        b = asyncio.create_task(
            _call(1, shared, endpoint, "claim", todo_id=second) if by_id else _call(1, shared, endpoint, "claim_next")
        )
        await lock_waits(shared.sql, 2)  # the first at its barrier, the second at the policy's row
        assert not b.done()
    assert (await within_bound(a)).status == 200
    answer = await within_bound(b)
    reason = {"cap": "in_flight_full", "window": "window_exhausted"}[limits]
    if by_id:
        assert (answer.code, answer.body["error"]["reason"]) == ("deferred", reason)
    else:
        assert answer.body["empty"]
        assert [one["reason"] for one in answer.body["deferred"]] == [reason]
    assert await world.states(endpoint, "q") == {"claimed": 1, "pending": 1}
    await shared.check(expected=[first, second])


async def test_a_lapsed_claim_that_nobody_has_reaped_still_fills_the_cap(shared: Ground) -> None:
    world = shared.world
    endpoint = await world.endpoint("lapsed", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=10, window=HOUR_UTC)
    lapsed, other = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, lapsed)
    await shared.sql.execute(
        "update switchboard.todos set lease_expires_at = switchboard.clock() where id = $1", lapsed
    )
    refused = await _call(1, shared, endpoint, "claim", todo_id=other)
    assert (refused.code, refused.body["error"]["reason"]) == ("deferred", "in_flight_full")
    assert (await _call(1, shared, endpoint, "claim_next")).ids == [lapsed]
    assert (await _call(0, shared, endpoint, "claim_next")).body["empty"]
    await shared.sql.execute(
        "update switchboard.todos set lease_expires_at = switchboard.clock() where id = $1", lapsed
    )
    assert (await _call(0, shared, endpoint, "claim", todo_id=lapsed)).status == 200
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 3
    await shared.check(expected=[lapsed, other])


async def test_racers_for_one_lapsed_claim_at_the_cap_take_it_over_once(shared: Ground) -> None:
    world = shared.world
    endpoint = await world.endpoint("takeover", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=100, window=HOUR_UTC)
    lapsed, _ = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, lapsed)
    await shared.sql.execute(
        "update switchboard.todos set lease_expires_at = switchboard.clock() where id = $1", lapsed
    )
    answers = await race(20, shared.urls, [endpoint.credential], max=2)
    assert [todo_id for answer in answers for todo_id in answer.ids] == [lapsed]
    assert await world.used(endpoint, "q") == 2
    await shared.check()


async def test_a_policy_edited_on_one_server_holds_for_the_very_next_claim_on_the_other(shared: Ground) -> None:
    world = shared.world
    endpoint = await world.endpoint("edited", "q")
    token = await world.operator_token(endpoint.owner)
    operator = Claimer(shared.urls[0], token)
    worker = Claimer(shared.urls[1], endpoint.credential)
    await world.enqueue_many(endpoint, "q", 12)

    async def put(**policy: Any) -> None:
        body = {"max_in_flight": None, "max_claims_per_window": None, "window": None} | policy
        assert (await operator.request("PUT", "/api/v1/admission/endpoint:edited/q", body)).status == 200

    async def claims(number: int, reason: str) -> None:
        for _ in range(number):
            assert not (await worker.call("claim_next")).body["empty"]
        assert [one["reason"] for one in (await worker.call("claim_next")).body["deferred"]] == [reason]

    await put(max_claims_per_window=2, window=HOUR_UTC)
    await claims(2, "window_exhausted")
    await put(max_claims_per_window=5, window=HOUR_UTC)  # raised
    await claims(3, "window_exhausted")
    await put(max_claims_per_window=1, window=HOUR_UTC)  # lowered below what is used
    await claims(0, "window_exhausted")
    await put(max_in_flight=6)
    await claims(1, "in_flight_full")
    await put(max_in_flight=2)  # lowered below what is in flight
    await claims(0, "in_flight_full")
    await put(max_in_flight=0, max_claims_per_window=100, window=HOUR_UTC)
    await claims(0, "paused")
    await put(max_claims_per_window=6, window=HOUR_UTC)  # the five of this window are remembered
    await claims(1, "window_exhausted")
    assert (await operator.request("DELETE", "/api/v1/admission/endpoint:edited/q")).status == 200
    for _ in range(2):
        assert not (await worker.call("claim_next")).body["empty"]
    await put(max_claims_per_window=7, window=HOUR_UTC)  # cleared and set: neither forgets nor counts in between (D14)
    await claims(1, "window_exhausted")
    await operator.close()
    await worker.close()
    await shared.check()


async def test_one_name_on_two_endpoints_and_a_team_has_three_budgets(shared: Ground) -> None:
    world = shared.world
    one = await world.endpoint("name-one", "investigations")
    other = await world.endpoint("name-other", "investigations")
    pooled = await world.team_endpoints("namesakes", "investigations", "name-pool-1", "name-pool-2")
    plain = await world.endpoint("name-plain", "investigations")
    limits = [(one, 3), (other, 5), (pooled[0], 7)]
    for endpoint, limit in limits:
        await world.set_policy(
            endpoint, "investigations", max_in_flight=limit, max_claims_per_window=limit, window=HOUR_UTC
        )
    for endpoint in (one, other, pooled[0], plain):
        await world.enqueue_many(endpoint, "investigations", 20)
    everyone = [one, other, *pooled, plain]
    results = await asyncio.gather(*(race(20, shared.urls, [endpoint.credential]) for endpoint in everyone))
    counts = [sum(len(answer.ids) for answer in answers) for answers in results]
    assert counts[:2] == [3, 5]
    assert counts[2] + counts[3] == 7  # the team's endpoints share one budget
    assert counts[4] == 20
    for endpoint, limit in limits:
        assert await world.used(endpoint, "investigations") == limit
        assert await world.committed_claims(endpoint, "investigations") == limit
    assert await world.used(plain, "investigations") == 0
    await shared.check()


async def _each_reason_and_one_free(world: World, slug: str) -> Endpoint:
    """Queues that defer for every reason there is, each with older work than the one that admits."""
    endpoint = await world.endpoint(slug, "spent", "full", "paused", "broken", "free")
    await world.set_policy(endpoint, "spent", max_claims_per_window=1, window=HOUR_UTC)
    await world.set_policy(endpoint, "full", max_in_flight=1)
    await world.set_policy(endpoint, "paused", max_in_flight=0)
    await world.set_policy(endpoint, "broken", max_claims_per_window=9, window=HOUR_UTC)
    await world.sql.execute(
        "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", endpoint.queue_id("broken")
    )
    await world.set_policy(endpoint, "free", max_in_flight=5, max_claims_per_window=9, window=HOUR_UTC)
    for name in ("spent", "full"):
        await world.claim(endpoint, await world.enqueue(endpoint, name))
    for name in ("spent", "full", "paused", "broken"):
        await world.enqueue_many(endpoint, name, 3)
    return endpoint


@pytest.mark.parametrize("knowing", [True, False], ids=["knowing", "a new process"])
async def test_an_idle_worker_is_served_by_one_call_whatever_else_is_deferred(shared: Ground, knowing: bool) -> None:
    world = shared.world if knowing else shared.world.another_process()
    endpoint = await _each_reason_and_one_free(world, f"progress-{knowing}".lower())
    free = await world.enqueue_many(endpoint, "free", 3)
    if not knowing:
        world = shared.world.another_process()
    assert [todo.id for todo in (await world.claim_next(endpoint)).todos] == [free[0]]
    assert [todo.id for todo in (await world.claim_next(endpoint, max=100)).todos] == free[1:]
    answer = await world.claim_next(endpoint)
    assert {one.queue: one.reason.value for one in answer.deferred} == {
        "spent": "window_exhausted",
        "full": "in_flight_full",
        "paused": "paused",
        "broken": "admission_unavailable",
    }
    await shared.check()


async def test_a_freed_slot_is_taken_by_the_next_call_whatever_hint_was_given(shared: Ground) -> None:
    """The hint names a lease's end hours away; completing frees the slot at once, on any server."""
    world = shared.world
    endpoint = await world.endpoint("freed", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    ids = await world.enqueue_many(endpoint, "q", 6)
    held = (await _call(0, shared, endpoint, "claim_next", lease_seconds=86400)).ids
    for number, verb in enumerate(("complete", "fail", "release", "complete", "complete")):
        refused = await _call(1, shared, endpoint, "claim_next")
        (deferral,) = refused.body["deferred"]
        assert (deferral["reason"], deferral["exact"]) == ("in_flight_full", False)
        assert (await _call(number % 2, shared, endpoint, verb, todo_id=held[0])).status == 200
        held = (await _call(1 - number % 2, shared, endpoint, "claim_next", lease_seconds=86400)).ids
        assert len(held) == 1
    assert set(held) <= set(ids)
    await shared.check(expected=ids)
