"""Retry and cancel of todos by their ids: each eligible one, and the answer says what really changed."""

from __future__ import annotations

import pytest

from switchboard_wire.operator_actions import CanceledJobs, JobIds, RetriedJobs
from switchboard_wire.worker import Complete, Fail
from tests.support.dead import audit_rows, died
from tests.support.scenario import Endpoint, World


async def parked(world: World, endpoint: Endpoint) -> int:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim(endpoint, todo_id)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id))
    return todo_id


async def test_retry_changes_the_parked_and_the_dead(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    foreign = await world.endpoint("f", "q", owner="bob")
    dead, waiting, theirs = await died(world, endpoint), await parked(world, endpoint), await died(world, foreign)
    pending = await world.enqueue(endpoint, "q")
    ask = JobIds((2**62, pending, theirs, waiting, dead))

    done = await world.service.operator_todos.retry_many(endpoint.owner, ask)

    assert done == RetriedJobs(retried=2, not_found=2, conflicts=1)
    assert await world.states(endpoint, "q") == {"pending": 3}
    assert await world.states(foreign, "q") == {"dead": 1}
    assert (await world.todo(dead))["attempt"] == (await world.todo(waiting))["attempt"] == 0
    assert await audit_rows(world) == [
        {
            "human": "ada",
            "action": "jobs.retry",
            "target": {"ids": [dead, waiting, theirs, pending, 2**62]},
            "queue_id": endpoint.queue_id("q"),
            "counts": {"retried": 2, "not_found": 2, "conflicts": 1},
        }
    ]


async def test_cancel_changes_what_nobody_holds_and_what_has_not_ended(world: World) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    pending, dead = await world.enqueue(endpoint, "q"), await died(world, endpoint, "r")
    waiting = await parked(world, endpoint)
    held, done = await world.enqueue(endpoint, "q"), await world.enqueue(endpoint, "q")
    await world.claim(endpoint, held)
    await world.claim(endpoint, done)
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=done))

    answer = await world.service.operator_todos.cancel_many(
        endpoint.owner, JobIds((pending, dead, waiting, held, done))
    )

    assert answer == CanceledJobs(canceled=3, not_found=0, conflicts=2)
    assert await world.states(endpoint, "q") == {"canceled": 2, "claimed": 1, "done": 1}
    assert await world.states(endpoint, "r") == {"canceled": 1}
    (record,) = await audit_rows(world)
    # of two queues
    assert (record["action"], record["queue_id"]) == ("jobs.cancel", None)


async def test_of_several_with_one_key_one_lives_and_none_beside_a_live_one(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    first = await died(world, endpoint, idempotency_key="a")
    second = await died(world, endpoint, idempotency_key="a")
    held = await died(world, endpoint, idempotency_key="b")
    live = await world.enqueue(endpoint, "q", idempotency_key="b")
    await world.sql.execute(
        "update switchboard.todos set state = 'failed', next_retry_at = clock_timestamp() where id = $1", live
    )

    done = await world.service.operator_todos.retry_many(endpoint.owner, JobIds((first, second, held, live)))

    assert done == RetriedJobs(retried=2, not_found=0, conflicts=2)
    states = {todo_id: (await world.todo(todo_id))["state"] for todo_id in (first, second, held, live)}
    assert states == {first: "dead", second: "pending", held: "dead", live: "pending"}


@pytest.mark.parametrize("operator", [False, True])
async def test_foreign_todos_are_not_found_also_for_who_may_read_them(world: World, operator: bool) -> None:
    endpoint = await world.endpoint("e", "q")
    todo_id = await world.enqueue(endpoint, "q")
    other = await world.human("olga", operator=operator)

    answer = await world.service.operator_todos.cancel_many(other, JobIds((todo_id,)))

    assert answer == CanceledJobs(canceled=0, not_found=1, conflicts=0)
    assert await world.states(endpoint, "q") == {"pending": 1}
