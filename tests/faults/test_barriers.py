"""The barriers themselves: a claim comes by every point, in order, and can be stopped at each."""

from __future__ import annotations

import asyncio

import pytest

from switchboard_wire.worker import Claim, ClaimNext
from tests.faults.ground import Ground
from tests.faults.scenarios import FAR
from tests.support.barriers import EVERY_POINT, Point, closed, holding_policy, holding_todo
from tests.support.scenario import Endpoint
from tests.support.waiting import within_bound

pytestmark = pytest.mark.usefixtures("shared")


async def endpoint(ground: Ground, slug: str) -> Endpoint:
    made = await ground.world.endpoint(slug, "q")
    await ground.world.set_policy(made, "q", max_in_flight=50, max_claims_per_window=100, window=FAR)
    return made


@pytest.mark.parametrize("verb", ["claim", "claim_next"])
async def test_a_claim_passes_every_point_in_order(shared: Ground, verb: str) -> None:
    made = await endpoint(shared, f"points-{verb.replace('_', '-')}")
    todo_id = await shared.world.enqueue(made, "q")
    await shared.world.claim(made, await shared.world.enqueue(made, "q"))  # the policy is known from here on
    stops = [closed(shared.url, point) for point in EVERY_POINT]
    gates = [await stop.__aenter__() for stop in stops]
    claim = asyncio.create_task(
        shared.world.service.claim.claim(made.caller, Claim(todo_id=todo_id))
        if verb == "claim"
        else shared.world.service.claim.claim_next(made.caller, ClaimNext())
    )
    for gate in gates:
        assert len(await gate.arrived()) == 1
        assert not claim.done()
        await gate.let_go()
    await within_bound(claim)
    for stop in stops:
        await stop.__aexit__(None, None, None)
    assert (await shared.world.todo(todo_id))["state"] == "claimed"
    await shared.check()


async def test_what_a_claim_has_written_at_a_point_is_seen_by_nobody(shared: Ground) -> None:
    made = await endpoint(shared, "unseen")
    todo_id = await shared.world.enqueue(made, "q")
    async with closed(shared.url, Point.COMMITTING) as gate:
        claim = asyncio.create_task(shared.world.claim(made, todo_id))
        await gate.arrived()
        assert (await shared.world.todo(todo_id))["state"] == "pending"
        assert await shared.world.used(made, "q") == 0
    await within_bound(claim)
    assert await shared.world.used(made, "q") == 1
    await shared.check()


async def test_held_rows_stop_a_claim(shared: Ground) -> None:
    made = await endpoint(shared, "rows")
    todo_id = await shared.world.enqueue(made, "q")
    async with holding_todo(shared.url, todo_id) as gate:
        assert (await shared.world.claim_next(made)).empty
        claim = asyncio.create_task(shared.world.claim(made, todo_id))
        await gate.arrived()
    await within_bound(claim)
    await shared.world.enqueue_many(made, "q", 2)
    async with holding_policy(shared.url, made.queue_id("q")) as gate:
        claims = [asyncio.create_task(shared.world.claim_next(made)) for _ in range(2)]
        assert len(await gate.arrived(2)) == 2
    for one in claims:
        assert not (await within_bound(one)).empty
    await shared.check()
