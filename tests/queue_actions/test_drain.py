"""Drain cancels what waits and leaves what is held and what has ended."""

from __future__ import annotations

from datetime import timedelta

from switchboard.service.known_policies import KnownPolicies
from switchboard.service.queue_actions import QueueActions
from switchboard_wire.operator_actions import Drained
from switchboard_wire.worker import Fail
from tests.support.clock import Clock
from tests.support.dead import audit_rows, died
from tests.support.scenario import World


async def test_it_cancels_scheduled_pending_and_parked_todos_and_nothing_else(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    await world.enqueue(endpoint, "q")
    await world.enqueue(endpoint, "q", not_before=clock.now + timedelta(hours=1))
    parked = await world.enqueue(endpoint, "q")
    await world.claim(endpoint, parked)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=parked))
    held = await world.enqueue(endpoint, "q")
    await world.claim(endpoint, held)
    await died(world, endpoint)
    await world.enqueue(endpoint, "r")

    assert await world.service.queue_actions.drain(endpoint.owner, endpoint.queue_id("q")) == Drained(3)

    assert await world.states(endpoint, "q") == {"canceled": 3, "claimed": 1, "dead": 1}
    assert await world.states(endpoint, "r") == {"pending": 1}
    rows = await world.sql.fetch(
        "select distinct finished_at, next_retry_at from switchboard.todos where state = 'canceled'"
    )
    assert [tuple(row) for row in rows] == [(clock.now, None)]
    assert await audit_rows(world) == [
        {
            "human": "ada",
            "action": "queues.drain",
            "target": {"queue_id": endpoint.queue_id("q")},
            "queue_id": endpoint.queue_id("q"),
            "counts": {"canceled": 3},
        }
    ]


async def test_it_goes_on_over_batches_each_with_its_record(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.enqueue_many(endpoint, "q", 25)
    actions = QueueActions(world.database, KnownPolicies(), world.service.policies, batch=10)

    assert await actions.drain(endpoint.owner, endpoint.queue_id("q")) == Drained(25)

    assert [record["counts"] for record in await audit_rows(world)] == [
        {"canceled": 10},
        {"canceled": 10},
        {"canceled": 5},
    ]


async def test_an_empty_queue_is_drained_of_nothing(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    assert await world.service.queue_actions.drain(endpoint.owner, endpoint.queue_id("q")) == Drained(0)
    assert [record["counts"] for record in await audit_rows(world)] == [{"canceled": 0}]


async def test_what_comes_after_it_began_stays(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.enqueue(endpoint, "q")
    later = await world.enqueue(endpoint, "q")
    await world.sql.execute(
        "update switchboard.todos set created_at = $2 where id = $1", later, clock.now + timedelta(microseconds=1)
    )

    assert await world.service.queue_actions.drain(endpoint.owner, endpoint.queue_id("q")) == Drained(1)

    assert (await world.todo(later))["state"] == "pending"
