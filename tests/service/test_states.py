"""D5: a todo is in one of seven states, and admission adds none: what waits for it is pending."""

from __future__ import annotations

import asyncpg
import pytest

from switchboard_wire.todo import TodoState
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, World

SEVEN = ["scheduled", "pending", "claimed", "done", "failed", "dead", "canceled"]


async def test_the_database_and_the_wire_know_seven_states_and_no_other(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    todo_id = await world.enqueue(endpoint, "q")
    for state in SEVEN:
        await world.sql.execute("update switchboard.todos set state = $2 where id = $1", todo_id, state)
    for state in ("deferred", "paused", "waiting", "expired", ""):
        with pytest.raises(asyncpg.CheckViolationError):
            await world.sql.execute("update switchboard.todos set state = $2 where id = $1", todo_id, state)
    assert sorted(TodoState) == sorted(SEVEN)


async def test_what_every_reason_defers_is_pending(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "paused", "spent", "full", "broken")
    await world.set_policy(endpoint, "paused", max_in_flight=0)
    await world.set_policy(endpoint, "spent", max_claims_per_window=1, window=DAY_UTC)
    await world.set_policy(endpoint, "full", max_in_flight=1)
    await world.set_policy(endpoint, "broken", max_claims_per_window=1, window=DAY_UTC)
    for queue in ("spent", "full"):
        await world.enqueue(endpoint, queue)
        await world.claim_next(endpoint, queues=(queue,), lease_seconds=86_400)
    await world.sql.execute(
        "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", endpoint.queue_id("broken")
    )
    waiting = {queue: await world.enqueue(endpoint, queue) for queue in ("paused", "spent", "full", "broken")}
    answer = await world.claim_next(endpoint)
    assert {one.queue: one.reason.value for one in answer.deferred} == {
        "paused": "paused",
        "spent": "window_exhausted",
        "full": "in_flight_full",
        "broken": "admission_unavailable",
    }
    await clock.advance(minutes=10)
    await world.sweep()
    for todo_id in waiting.values():
        todo = await world.todo(todo_id)
        assert (todo["state"], todo["attempt"], todo["max_attempts"], todo["next_retry_at"]) == ("pending", 0, 5, None)
