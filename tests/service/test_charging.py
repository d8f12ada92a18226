"""REQ-3: every committed claim is charged once, nothing else is, and nothing gives a charge back."""

from __future__ import annotations

import pytest

from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import Complete, Fail, Heartbeat, Release
from tests.support.clock import Clock, instant
from tests.support.scenario import DAY_UTC, Endpoint, World


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    made = await world.endpoint("e", "q")
    await world.set_policy(made, "q", max_claims_per_window=10, window=DAY_UTC)
    return made


async def test_claim_and_claim_next_are_each_charged_one_unit(world: World, endpoint: Endpoint) -> None:
    first, second = await world.enqueue_many(endpoint, "q", 2)
    claimed = await world.claim(endpoint, second)
    assert claimed.admission is not None
    assert claimed.admission.used == 1
    answer = await world.claim_next(endpoint)
    assert answer.todos[0].id == first
    assert answer.admission is not None
    assert answer.admission.used == 2
    assert await world.used(endpoint, "q") == 2


async def test_each_todo_of_a_batch_is_charged(world: World, endpoint: Endpoint) -> None:
    await world.enqueue_many(endpoint, "q", 7)
    answer = await world.claim_next(endpoint, max=5)
    assert len(answer.todos) == 5
    assert answer.admission is not None
    assert (answer.admission.used, answer.admission.remaining) == (5, 5)
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 5


async def test_a_retry_is_charged(world: World, endpoint: Endpoint, clock: Clock) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    failed = await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id))
    assert (failed.todo.state, await world.used(endpoint, "q")) == ("failed", 1)
    assert (await world.claim_next(endpoint)).empty
    await clock.advance(seconds=30)
    again = await world.claim_next(endpoint)
    assert (again.todos[0].id, again.todos[0].attempt) == (todo_id, 2)
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 2


async def test_a_retry_that_the_sweep_brought_back_is_charged(world: World, endpoint: Endpoint, clock: Clock) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id))
    await clock.advance(seconds=30)
    await world.sweep()
    assert (await world.todo(todo_id))["state"] == "pending"
    await world.claim(endpoint, todo_id)
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 2


async def test_a_claim_after_retry_now_is_charged_and_the_retry_itself_is_not(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id))
    retried = await world.service.operator_todos.retry_now(endpoint.owner, todo_id)
    assert (retried.todo.state, retried.todo.attempt, await world.used(endpoint, "q")) == ("pending", 0, 1)
    assert (await world.claim_next(endpoint)).todos[0].attempt == 1
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 2


async def test_the_operators_board_claim_is_charged_and_refused_like_any(world: World, endpoint: Endpoint) -> None:
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_UTC)
    claimed = await world.service.operator_todos.claim(endpoint.owner, first)
    assert claimed.admission is not None
    assert (claimed.todo.state, claimed.admission.used) == ("claimed", 1)
    with pytest.raises(SwitchboardError) as refusal:
        await world.service.operator_todos.claim(endpoint.owner, second)
    assert (refusal.value.code, refusal.value.details["reason"]) == (ErrorCode.DEFERRED, "window_exhausted")
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 1


@pytest.mark.parametrize("by_id", [True, False])
async def test_a_takeover_is_charged(world: World, endpoint: Endpoint, clock: Clock, by_id: bool) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, lease_seconds=60)
    await clock.advance(seconds=60)
    if by_id:
        await world.claim(endpoint, todo_id)
    else:
        assert (await world.claim_next(endpoint)).todos[0].id == todo_id
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 2
    outcomes = await world.sql.fetch("select seq, outcome from switchboard.attempts order by seq")
    assert [(row["seq"], row["outcome"]) for row in outcomes] == [(1, "lapsed"), (2, None)]


async def test_a_release_does_not_refund_and_the_next_claim_is_charged_again(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    released = await world.service.drain.release(endpoint.caller, Release(todo_id=todo_id))
    assert (released.todo.state, released.todo.attempt) == ("pending", 0)
    assert await world.used(endpoint, "q") == 1
    assert (await world.claim_next(endpoint)).todos[0].attempt == 1
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 2


async def test_nothing_that_happens_to_a_claim_gives_its_charge_back(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    completed, failed, dead, released, lapsed, held = await world.enqueue_many(endpoint, "q", 6)
    assert len((await world.claim_next(endpoint, max=6, lease_seconds=60)).todos) == 6
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=completed))
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=failed))
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=dead, retry=False))
    await world.service.drain.release(endpoint.caller, Release(todo_id=released))
    await world.service.drain.heartbeat(endpoint.caller, Heartbeat(todo_id=held, lease_seconds=3600))
    await clock.advance(seconds=61)
    await world.sweep()
    await world.service.operator_todos.retry_now(endpoint.owner, dead)
    await world.service.operator_todos.cancel(endpoint.owner, dead)
    assert (await world.todo(lapsed))["state"] == "pending"
    await world.set_policy(endpoint, "q", max_claims_per_window=20, window=DAY_UTC)
    await world.clear_policy(endpoint, "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=10, window=DAY_UTC)
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 6


async def test_a_duplicate_delivery_is_free(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q", idempotency_key="delivery-1")
    await world.claim_next(endpoint)
    assert await world.enqueue(endpoint, "q", idempotency_key="delivery-1") == todo_id
    assert await world.used(endpoint, "q") == 1


async def test_a_refused_claim_is_not_charged_however_often_it_asks(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=10, window=DAY_UTC)
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, first)
    for _ in range(5):
        assert (await world.claim_next(endpoint)).empty
        with pytest.raises(SwitchboardError):
            await world.claim(endpoint, second)
    assert await world.used(endpoint, "q") == 1


async def test_a_claim_that_another_has_won_is_not_charged(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim(endpoint, todo_id)
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, todo_id)
    assert refusal.value.code is ErrorCode.CONFLICT
    assert await world.used(endpoint, "q") == 1


async def test_a_claim_is_charged_to_the_window_that_it_commits_in(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    await world.enqueue_many(endpoint, "q", 3)
    for at in ("2026-09-22T23:59:59.999999", "2026-09-23T00:00:00", "2026-09-23T23:59:59.999999"):
        await clock.set(at)
        await world.claim_next(endpoint)
    assert await world.charges(endpoint, "q") == {instant("2026-09-22"): 1, instant("2026-09-23"): 2}


async def test_claims_without_a_window_limit_are_not_charged(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=5)
    await world.enqueue_many(endpoint, "q", 3)
    answer = await world.claim_next(endpoint, max=3)
    assert answer.admission is not None
    assert (answer.admission.in_flight, answer.admission.used, answer.admission.remaining) == (3, None, None)
    assert await world.used(endpoint, "q") == 0
