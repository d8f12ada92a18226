"""enqueue: into a granted queue, once for each key among the endpoint's live todos."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import Complete, Enqueue, Fail, GetTodo
from tests.support.clock import Clock, instant
from tests.support.scenario import Endpoint, World


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q", "r")


async def test_a_todo_is_pending_with_what_was_sent(world: World, endpoint: Endpoint, clock: Clock) -> None:
    answer = await world.service.enqueue.enqueue(
        endpoint.caller,
        Enqueue("q", "build", "Title", "source", {"a": 1}, ("x", "y"), "key", 3),
    )
    todo = answer.todo
    assert (todo.queue, todo.kind, todo.title, todo.source, todo.tags) == ("q", "build", "Title", "source", ("x", "y"))
    assert (todo.state, todo.attempt, todo.max_attempts, todo.idempotency_key) == ("pending", 0, 3, "key")
    assert (todo.created_at, todo.claimant, todo.admission, answer.duplicate) == (clock.now, None, None, False)


async def test_a_duplicate_is_the_todo_that_stands(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q", idempotency_key="k", title="first")
    before = await world.rows()
    answer = await world.service.enqueue.enqueue(endpoint.caller, Enqueue("r", "other", "second", idempotency_key="k"))
    assert (answer.todo.id, answer.todo.title, answer.todo.queue, answer.duplicate) == (todo_id, "first", "q", True)
    assert await world.rows() == before


async def test_twenty_senders_of_one_key_leave_one_todo(world: World, endpoint: Endpoint) -> None:
    ask = Enqueue("q", "k", idempotency_key="k")
    answers = await asyncio.gather(*(world.service.enqueue.enqueue(endpoint.caller, ask) for _ in range(20)))
    assert len({answer.todo.id for answer in answers}) == 1
    assert sorted(answer.duplicate for answer in answers) == [False] + [True] * 19


@pytest.mark.parametrize("live", ["scheduled", "pending", "claimed", "failed"])
async def test_a_live_todo_holds_its_key(world: World, endpoint: Endpoint, clock: Clock, live: str) -> None:
    later = instant("2026-09-23T00:00") if live == "scheduled" else None
    todo_id = await world.enqueue(endpoint, "q", idempotency_key="k", not_before=later)
    if live in ("claimed", "failed"):
        await world.claim_next(endpoint)
    if live == "failed":
        await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id))
    assert (await world.todo(todo_id))["state"] == live
    assert await world.enqueue(endpoint, "q", idempotency_key="k") == todo_id


@pytest.mark.parametrize("ended", ["done", "dead", "canceled"])
async def test_an_ended_todo_frees_its_key(world: World, endpoint: Endpoint, ended: str) -> None:
    todo_id = await world.enqueue(endpoint, "q", idempotency_key="k")
    if ended == "canceled":
        await world.service.operator_todos.cancel(endpoint.owner, todo_id)
    else:
        await world.claim_next(endpoint)
        if ended == "done":
            await world.service.complete.complete(endpoint.caller, Complete(todo_id=todo_id))
        else:
            await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, retry=False))
    assert await world.enqueue(endpoint, "q", idempotency_key="k") != todo_id


async def test_the_same_key_of_another_endpoint_is_another_key(world: World, endpoint: Endpoint) -> None:
    other = await world.endpoint("f", "q", owner="grace")
    assert await world.enqueue(endpoint, "q", idempotency_key="k") != await world.enqueue(
        other, "q", idempotency_key="k"
    )


async def test_a_queue_outside_the_grant_is_forbidden(world: World, endpoint: Endpoint) -> None:
    with pytest.raises(SwitchboardError) as refusal:
        await world.enqueue(endpoint, "secret")
    assert (refusal.value.code, refusal.value.field) == (ErrorCode.FORBIDDEN, "queue")


@pytest.mark.parametrize(
    ("not_before", "state"),
    [
        ("2026-09-22T17:00:00.000001", "scheduled"),
        ("2026-09-22T17:00:00", "pending"),
        ("0001-01-01T00:00:00.000001", "pending"),
        ("9999-12-31T23:59:59.999998", "scheduled"),
    ],
)
async def test_a_todo_of_the_future_is_scheduled(world: World, endpoint: Endpoint, not_before: str, state: str) -> None:
    todo_id = await world.enqueue(endpoint, "q", not_before=instant(not_before))
    todo = await world.todo(todo_id)
    assert (todo["state"], todo["not_before"]) == (state, instant(not_before))
    assert (await world.claim_next(endpoint)).empty is (state == "scheduled")


@pytest.mark.parametrize("end_of_time", ["0001-01-01T00:00:00", "9999-12-31T23:59:59.999999"])
async def test_the_ends_of_time_are_kept_exactly_or_refused_but_never_turned_into_infinity(
    world: World, endpoint: Endpoint, end_of_time: str
) -> None:
    try:
        todo_id = await world.enqueue(endpoint, "q", not_before=instant(end_of_time))
    except SwitchboardError as refusal:
        assert (refusal.code, refusal.field) == (ErrorCode.INVALID_ARGUMENT, "not_before")  # noqa: PT017
        return
    got = (await world.service.todos.get_todo(endpoint.caller, GetTodo(todo_id=todo_id))).todo
    assert got.not_before == instant(end_of_time)  # aware, as every instant on the wire


async def test_a_todo_into_a_deferred_queue_says_at_once_that_it_waits(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=0)
    answer = await world.service.enqueue.enqueue(endpoint.caller, Enqueue("q", "k"))
    assert answer.todo.admission == AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.PAUSED)


@pytest.mark.parametrize("payload", [2**63, 2**64, -(2**64), 10**300, {"a": [10**40]}])
async def test_a_payload_may_hold_any_integer_that_the_decoder_lets_through(
    world: World, endpoint: Endpoint, payload: Any
) -> None:
    todo_id = await world.enqueue(endpoint, "q", payload=payload)
    stored = await world.sql.fetchval("select payload from switchboard.todos where id = $1", todo_id)
    assert stored.replace(" ", "") == repr(payload).replace("'", '"').replace(" ", "")
