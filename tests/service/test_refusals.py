"""A refusal writes nothing at all: no row of claims, charges, policies or audit is even rewritten (D17)."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_wire.errors import SwitchboardError
from switchboard_wire.worker import Complete, Fail, Heartbeat, Release
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, World

POLICIES: dict[str, dict[str, Any]] = {
    "paused": {"max_in_flight": 0},
    "window_exhausted": {"max_claims_per_window": 1, "window": DAY_UTC},
    "in_flight_full": {"max_in_flight": 1},
}


@pytest.mark.parametrize("reason", POLICIES)
async def test_a_deferred_claim_writes_nothing(world: World, clock: Clock, reason: str) -> None:
    endpoint = await world.endpoint("e", "q")
    held, waiting = await world.enqueue_many(endpoint, "q", 2)
    if reason == "window_exhausted":
        await world.set_policy(endpoint, "q", **POLICIES[reason])
    await world.claim(endpoint, held)
    await world.set_policy(endpoint, "q", **POLICIES[reason])
    before = await world.rows()
    sequence = await world.sql.fetchval("select last_value from switchboard.policy_versions")
    for process in (world, world.another_process()):
        for _ in range(3):
            answer = await process.claim_next(endpoint, max=5)
            assert [one.reason for one in answer.deferred] == [reason]
            with pytest.raises(SwitchboardError) as refusal:
                await process.claim(endpoint, waiting)
            assert refusal.value.details["reason"] == reason
    assert await world.rows() == before
    assert await world.sql.fetchval("select last_value from switchboard.policy_versions") == sequence


async def test_a_claim_that_admission_refuses_under_the_lock_writes_nothing(world: World) -> None:
    """The unlocked look lets it pass for the lapsed todo; the lock then refuses, since others fill the lowered cap."""
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3)
    lapsing, live, *_ = await world.enqueue_many(endpoint, "q", 4)
    await world.claim(endpoint, lapsing)
    await world.claim(endpoint, live)
    await world.sql.execute("update switchboard.todos set lease_expires_at = clock_timestamp() where id = $1", lapsing)
    await world.set_policy(endpoint, "q", max_in_flight=1)
    before = await world.rows()
    assert [one.reason for one in (await world.claim_next(endpoint)).deferred] == ["in_flight_full"]
    with pytest.raises(SwitchboardError):
        await world.claim(endpoint, lapsing)
    assert await world.rows() == before


async def test_verbs_of_who_does_not_hold_the_todo_write_nothing(world: World) -> None:
    mine, other = await world.endpoint("mine", "q"), await world.endpoint("other", "q", owner="grace")
    foreign, pending = await world.enqueue(other, "q"), await world.enqueue(mine, "q")
    await world.claim(other, foreign)
    before = await world.rows()
    drain = world.service.drain
    for todo_id in (foreign, pending, 10_000):
        for act in (
            world.service.complete.complete(mine.caller, Complete(todo_id=todo_id)),
            drain.fail(mine.caller, Fail(todo_id=todo_id)),
            drain.release(mine.caller, Release(todo_id=todo_id)),
            drain.heartbeat(mine.caller, Heartbeat(todo_id=todo_id)),
            world.claim(mine, foreign),
        ):
            with pytest.raises(SwitchboardError):
                await act
    assert await world.rows() == before
