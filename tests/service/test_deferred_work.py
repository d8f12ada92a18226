"""REQ-6: deferred work is kept as it is, and says why it waits and until when."""

from __future__ import annotations

import pytest

from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason
from switchboard_wire.todo import TodoState
from switchboard_wire.worker import Fail, GetTodo, ListTodos
from tests.support.clock import Clock, instant
from tests.support.scenario import DAY_LOS_ANGELES, DAY_UTC, Endpoint, World

MIDNIGHT = instant("2026-09-23T00:00-07:00")
EXHAUSTED = AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.WINDOW_EXHAUSTED, MIDNIGHT, True)


@pytest.fixture
async def exhausted(world: World, clock: Clock) -> Endpoint:
    """Its queue q has used its budget of this Pacific day at 10:00."""
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, lease_seconds=86_400)
    return endpoint


async def test_an_exhausted_day_keeps_its_work(world: World, exhausted: Endpoint, clock: Clock) -> None:
    ids = []
    for _ in range(40):
        ids.append(await world.enqueue(exhausted, "q"))
        await clock.advance(minutes=20)
        assert (await world.claim_next(exhausted)).empty
    await clock.set("2026-09-22T23:59-07:00")
    await world.sweep()
    listed = await world.service.todos.list_todos(exhausted.caller, ListTodos(states=(TodoState.PENDING,)))
    assert [todo.id for todo in listed.todos] == ids[::-1]
    assert {(todo.attempt, todo.max_attempts, todo.next_retry_at) for todo in listed.todos} == {(0, 5, None)}
    assert {todo.admission for todo in listed.todos} == {EXHAUSTED}


async def test_deferral_outlives_the_retry_backoff(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    todo_id = await world.enqueue(endpoint, "q")
    await clock.set("2026-09-22T16:00-07:00")
    await world.claim_next(endpoint)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id))
    await clock.set("2026-09-22T16:00:29.999999-07:00")
    await world.sweep()
    assert (await world.todo(todo_id))["state"] == "failed"
    await clock.set("2026-09-22T16:01-07:00")
    await world.sweep()
    todo = await world.todo(todo_id)
    assert (todo["state"], todo["attempt"], todo["next_retry_at"]) == ("pending", 1, None)
    answer = await world.claim_next(endpoint)
    assert [(one.reason, one.next_eligible_at) for one in answer.deferred] == [("window_exhausted", MIDNIGHT)]
    await clock.set("2026-09-22T23:59:59-07:00")
    await world.sweep()
    assert ((await world.todo(todo_id))["state"], (await world.todo(todo_id))["attempt"]) == ("pending", 1)
    await clock.set(MIDNIGHT)
    assert (await world.claim_next(endpoint)).todos[0].attempt == 2


async def test_a_deferred_todo_keeps_its_dedup_slot(world: World, exhausted: Endpoint) -> None:
    todo_id = await world.enqueue(exhausted, "q", idempotency_key="k")
    assert (await world.claim_next(exhausted)).empty
    assert await world.enqueue(exhausted, "q", idempotency_key="k") == todo_id


async def test_every_read_of_a_pending_todo_tells_the_same_status(world: World, exhausted: Endpoint) -> None:
    todo_id = await world.enqueue(exhausted, "q")
    listed = await world.service.todos.list_todos(exhausted.caller, ListTodos())
    got = await world.service.todos.get_todo(exhausted.caller, GetTodo(todo_id=todo_id))
    assert [todo.admission for todo in listed.todos] == [EXHAUSTED, None]
    assert got.todo.admission == EXHAUSTED


async def test_only_pending_todos_of_a_queue_with_a_policy_carry_a_status(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "with", "without")
    await world.set_policy(endpoint, "with", max_in_flight=5)
    for queue in ("with", "without"):
        for _ in range(2):
            await world.enqueue(endpoint, queue)
        await world.claim_next(endpoint, queues=(queue,))
    listed = await world.service.todos.list_todos(endpoint.caller, ListTodos())
    assert [(todo.queue, todo.state, todo.admission) for todo in listed.todos] == [
        ("without", "pending", None),
        ("without", "claimed", None),
        ("with", "pending", AdmissionStatus(AdmissionState.ADMITTED)),
        ("with", "claimed", None),
    ]


async def test_a_full_flight_hints_at_the_earliest_live_lease(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=2)
    first, second, third = await world.enqueue_many(endpoint, "q", 3)
    await world.claim(endpoint, first, lease_seconds=600)
    await world.claim(endpoint, second, lease_seconds=90)

    async def hint() -> AdmissionStatus | None:
        said = (await world.service.todos.get_todo(endpoint.caller, GetTodo(todo_id=third))).todo.admission
        (deferred,) = (await world.claim_next(endpoint)).deferred
        assert said is not None
        assert (said.reason, said.next_eligible_at, said.exact) == (
            deferred.reason,
            deferred.next_eligible_at,
            deferred.exact,
        )
        return said

    full = DeferralReason.IN_FLIGHT_FULL
    deferred = AdmissionState.DEFERRED
    assert await hint() == AdmissionStatus(deferred, full, instant("2026-09-22T17:02:00"), False)
    await clock.advance(seconds=89)
    assert await hint() == AdmissionStatus(deferred, full, instant("2026-09-22T17:02:00"), False)


async def test_a_full_flight_without_a_live_lease_hints_at_the_reaper(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    spent = await world.enqueue(endpoint, "q", max_attempts=1)
    await world.enqueue(endpoint, "q")
    await world.claim(endpoint, spent, lease_seconds=60)
    await clock.advance(seconds=61)
    (deferred,) = (await world.claim_next(endpoint)).deferred
    assert (deferred.reason, deferred.next_eligible_at, deferred.exact) == (
        "in_flight_full",
        instant("2026-09-22T17:01:31"),
        False,
    )


async def test_a_claimed_todo_is_as_it_was_enqueued_although_it_waited_for_days(
    world: World, exhausted: Endpoint, clock: Clock
) -> None:
    payload = {"a": [1, 2.5, None, True, "ä\U0001f600"], "b": {"c": ""}}
    todo_id = await world.enqueue(exhausted, "q", payload=payload, title="t", source="s", tags=("x", "y"))
    for _ in range(3):
        await world.claim_next(exhausted)
    await clock.advance(days=3)
    await world.set_policy(exhausted, "q", max_claims_per_window=1, window=DAY_UTC)
    todo = (await world.claim(exhausted, todo_id)).todo
    assert (todo.title, todo.source, todo.tags, todo.attempt) == ("t", "s", ("x", "y"), 1)
    stored = await world.sql.fetchval(
        "select payload = $2::text::jsonb from switchboard.todos where id = $1",
        todo_id,
        '{"a": [1, 2.5, null, true, "ä\U0001f600"], "b": {"c": ""}}',
    )
    assert stored is True
