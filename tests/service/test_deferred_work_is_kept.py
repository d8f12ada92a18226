"""REQ-6: deferred work outlives retention, however long it waits, and keeps its place under its idempotency key."""

from __future__ import annotations

from tests.support.clock import Clock
from tests.support.scenario import World


async def test_a_deferred_todo_is_neither_pruned_nor_dead_nor_doubled_after_a_hundred_days(
    world: World, clock: Clock
) -> None:
    endpoint = await world.endpoint("e", "paused", "free")
    await world.set_policy(endpoint, "paused", max_in_flight=0)
    waiting = await world.enqueue(endpoint, "paused", idempotency_key="k")
    canceled = await world.enqueue(endpoint, "free")
    await world.service.operator_todos.cancel(endpoint.owner, canceled)
    for _ in range(10):
        await clock.advance(days=10)
        assert [one.reason.value for one in (await world.claim_next(endpoint)).deferred] == ["paused"]
        await world.sweep()
    assert await world.states(endpoint, "free") == {}  # retention did run
    todo = await world.todo(waiting)
    assert (todo["state"], todo["attempt"], todo["max_attempts"], todo["next_retry_at"]) == ("pending", 0, 5, None)
    assert await world.enqueue(endpoint, "paused", idempotency_key="k") == waiting
    await world.clear_policy(endpoint, "paused")
    assert [one.id for one in (await world.claim_next(endpoint)).todos] == [waiting]
