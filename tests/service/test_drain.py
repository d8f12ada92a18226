"""How a claim goes on and ends: heartbeat, complete, fail, release, fences, and who still holds a lapsed lease."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.core.raw_json import RawJson
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import ClaimNext, Complete, Fail, GetTodo, Heartbeat, Release
from tests.support.clock import Clock, instant
from tests.support.scenario import Endpoint, World


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q")


async def refused(act: Any) -> tuple[str, dict[str, Any]]:
    with pytest.raises(SwitchboardError) as refusal:
        await act
    return refusal.value.code.value, refusal.value.details


async def test_a_completed_todo_keeps_its_result_and_its_attempt(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, worker="w")
    await clock.advance(seconds=9)
    done = (await world.service.complete.complete(endpoint.caller, Complete(todo_id=todo_id, result={"n": [1]}))).todo
    assert (done.state, done.attempt, done.finished_at, done.lease_expires_at) == ("done", 1, clock.now, None)
    assert isinstance(done.result, RawJson)
    assert done.result.text == '{"n": [1]}'
    history = await world.service.todos.get_todo(endpoint.caller, GetTodo(todo_id=todo_id))
    assert [(one.seq, one.claimant, one.worker, one.outcome, one.duration_ms) for one in history.attempts] == [
        (1, "e", "w", "completed", 9000)
    ]


async def test_a_failed_todo_parks_until_its_backoff_and_is_dead_after_its_last_attempt(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    todo_id = await world.enqueue(endpoint, "q", max_attempts=2)
    await world.claim_next(endpoint)
    failed = (await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, error="first"))).todo
    assert (failed.state, failed.error, failed.next_retry_at) == ("failed", "first", instant("2026-09-22T17:00:30"))
    await clock.set("2026-09-22T17:00:29.999999")
    assert (await refused(world.claim(endpoint, todo_id)))[0] == "conflict"
    assert (await world.claim_next(endpoint)).empty
    await clock.set("2026-09-22T17:00:30")
    assert (await world.claim_next(endpoint)).todos[0].id == todo_id
    dead = (await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, error="second"))).todo
    assert (dead.state, dead.error, dead.next_retry_at, dead.finished_at) == ("dead", "second", None, clock.now)
    await clock.advance(days=1)
    await world.sweep()
    assert (await world.claim_next(endpoint)).empty


async def test_a_failure_without_retry_is_dead_at_once(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    dead = await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, retry=False))
    assert (dead.todo.state, dead.todo.attempt) == ("dead", 1)


async def test_a_release_gives_the_attempt_back_and_the_todo_at_once(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q", max_attempts=1)
    for _ in range(3):
        await world.claim_next(endpoint)
        released = (await world.service.drain.release(endpoint.caller, Release(todo_id=todo_id))).todo
        assert (released.state, released.attempt, released.claimant, released.worker) == ("pending", 0, None, None)
    outcomes = await world.sql.fetch("select seq, outcome from switchboard.attempts order by seq")
    assert [tuple(row) for row in outcomes] == [(1, "released"), (2, "released"), (3, "released")]


async def test_a_heartbeat_sets_the_lease_from_now(world: World, endpoint: Endpoint, clock: Clock) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, lease_seconds=60)
    await clock.advance(seconds=50)
    beaten = await world.service.drain.heartbeat(endpoint.caller, Heartbeat(todo_id=todo_id, lease_seconds=90))
    assert beaten.todo.lease_expires_at == instant("2026-09-22T17:02:20")
    shortened = await world.service.drain.heartbeat(endpoint.caller, Heartbeat(todo_id=todo_id, lease_seconds=1))
    assert shortened.todo.lease_expires_at == instant("2026-09-22T17:00:51")
    default = await world.service.drain.heartbeat(endpoint.caller, Heartbeat(todo_id=todo_id))
    assert default.todo.lease_expires_at == instant("2026-09-22T17:05:50")


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail", "release"])
async def test_a_lapsed_holder_may_go_on_until_it_is_taken_over(world: World, clock: Clock, verb: str) -> None:
    slow, quick = await world.team_endpoints("crew", "lane", "slow", "quick")
    drain = world.service.drain
    acts = {
        "heartbeat": lambda who, todo_id: drain.heartbeat(who.caller, Heartbeat(todo_id=todo_id)),
        "complete": lambda who, todo_id: world.service.complete.complete(who.caller, Complete(todo_id=todo_id)),
        "fail": lambda who, todo_id: drain.fail(who.caller, Fail(todo_id=todo_id)),
        "release": lambda who, todo_id: drain.release(who.caller, Release(todo_id=todo_id)),
    }
    lapsed, taken = await world.enqueue_many(slow, "lane", 2)
    for todo_id in (lapsed, taken):
        await world.claim(slow, todo_id, lease_seconds=60)
    await clock.advance(seconds=61)
    await acts[verb](slow, lapsed)
    await world.claim(quick, taken)
    assert await refused(acts[verb](slow, taken)) == ("conflict", {"state": "claimed"})
    await acts[verb](quick, taken)


async def test_a_reaped_holder_holds_nothing(world: World, endpoint: Endpoint, clock: Clock) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, lease_seconds=60)
    await clock.advance(seconds=60)
    await world.sweep()
    assert await refused(world.service.complete.complete(endpoint.caller, Complete(todo_id=todo_id))) == (
        "conflict",
        {"state": "pending"},
    )


async def test_a_fence_of_an_earlier_claim_ends_no_later_one(world: World, endpoint: Endpoint, clock: Clock) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    first = (await world.claim_next(endpoint, fence=True, lease_seconds=60)).todos[0].fence
    await clock.advance(seconds=60)
    second = (await world.claim(endpoint, todo_id, fence=True)).todo.fence
    assert first is not None
    assert second is not None
    assert first != second
    drain, caller = world.service.drain, endpoint.caller
    for fence in (first, None):
        assert (await refused(world.service.complete.complete(caller, Complete(todo_id=todo_id, fence=fence))))[
            0
        ] == "conflict"
        assert (await refused(drain.heartbeat(caller, Heartbeat(todo_id=todo_id, fence=fence))))[0] == "conflict"
        assert (await refused(drain.release(caller, Release(todo_id=todo_id, fence=fence))))[0] == "conflict"
        assert (await refused(drain.fail(caller, Fail(todo_id=todo_id, fence=fence))))[0] == "conflict"
    done = (await world.service.complete.complete(caller, Complete(todo_id=todo_id, fence=second))).todo
    assert (done.state, done.fence) == ("done", None)


async def test_a_fence_is_told_to_the_claim_alone(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    fence = (await world.claim_next(endpoint, fence=True)).todos[0].fence
    assert fence is not None
    got = await world.service.todos.get_todo(endpoint.caller, GetTodo(todo_id=todo_id))
    beaten = await world.service.drain.heartbeat(endpoint.caller, Heartbeat(todo_id=todo_id, fence=fence))
    assert (got.todo.fence, beaten.todo.fence) == (None, None)


async def test_a_fence_that_is_none_is_refused_by_name(world: World, endpoint: Endpoint) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    with pytest.raises(SwitchboardError) as refusal:
        await world.service.complete.complete(endpoint.caller, Complete(todo_id=todo_id, fence="x" * 36))
    assert (refusal.value.code, refusal.value.field) == (ErrorCode.INVALID_ARGUMENT, "fence")


async def test_complete_may_claim_the_next_in_the_same_call(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=1)
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await world.claim_next(endpoint)
    completed = await world.service.complete.complete(endpoint.caller, Complete(todo_id=first, next=ClaimNext()))
    assert completed.next is not None
    assert (completed.todo.state, [todo.id for todo in completed.next.todos]) == ("done", [second])


async def test_a_next_that_is_forbidden_is_refused_before_anything_is_completed(
    world: World, endpoint: Endpoint
) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    ask = Complete(todo_id=todo_id, next=ClaimNext(queues=("other",)))
    assert (await refused(world.service.complete.complete(endpoint.caller, ask)))[0] == "forbidden"
    assert (await world.todo(todo_id))["state"] == "claimed"


@pytest.mark.parametrize("result", [2**63, -(2**63) - 1, 2**64, 10**300, [{"deep": 10**40}]])
async def test_a_result_may_hold_any_integer_that_the_decoder_lets_through(
    world: World, endpoint: Endpoint, result: Any
) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=todo_id, result=result))
    stored = await world.sql.fetchval("select result from switchboard.todos where id = $1", todo_id)
    assert stored.replace(" ", "") == repr(result).replace("'", '"').replace(" ", "")
