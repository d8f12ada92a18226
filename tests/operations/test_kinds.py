"""What each kind of operation changes, and what it leaves alone."""

from __future__ import annotations

import pytest

from switchboard_wire.worker import Claim, Complete, Enqueue
from tests.support.scenario import World

from .conftest import Desk

STATES = ("scheduled", "pending", "claimed", "done", "failed", "dead", "canceled")


async def test_retry_makes_failed_and_dead_todos_pending_with_attempt_0(desk: Desk) -> None:
    by_state = {state: (await desk.todos(1, state))[0] for state in STATES}
    operation_id = await desk.submit("retry", {"queue": "q"})
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 7, 2, 5, 0, 0)
    for state, todo_id in by_state.items():
        todo = await desk.world.todo(todo_id)
        after = "pending" if state in ("failed", "dead") else state
        assert (todo["state"], todo["attempt"]) == (after, 0)


async def test_cancel_cancels_what_nobody_holds_and_what_has_not_ended_well(desk: Desk) -> None:
    for state in STATES:
        await desk.todos(1, state)
    operation_id = await desk.submit("cancel", {"queue": "q"})
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 7, 4, 3, 0, 0)
    assert await desk.world.states(desk.endpoint, "q") == {"canceled": 5, "claimed": 1, "done": 1}


async def test_move_takes_waiting_todos_to_the_sibling_queue_with_their_attempts(desk: Desk) -> None:
    todo_id = await desk.world.enqueue(desk.endpoint, "q")
    await desk.world.claim(desk.endpoint, todo_id, lease_seconds=60)
    await desk.world.sql.execute("update switchboard.todos set lease_expires_at = now() - interval '1 s'")
    await desk.world.sweep()
    for state in ("scheduled", "failed", "claimed", "done", "dead", "canceled"):
        await desk.todos(1, state)
    operation_id = await desk.submit("move", {"queue": "q"}, queue="r")
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 7, 3, 4, 0, 0)
    assert await desk.world.states(desk.endpoint, "r") == {"scheduled": 1, "pending": 1, "failed": 1}
    assert await desk.world.committed_claims(desk.endpoint, "r") == 1
    claimed = await desk.world.claim_next(desk.endpoint, queues=("r",))
    assert [todo.id for todo in claimed.todos] == [todo_id]
    await desk.world.service.complete.complete(desk.endpoint.caller, Complete(todo_id=todo_id))


async def test_a_moved_todo_is_still_that_of_its_delivery(desk: Desk) -> None:
    (todo_id,) = await desk.todos(1)
    await desk.world.sql.execute(
        "with w as (insert into switchboard.webhooks"
        " (human_id, name, token_hash, verification, kind, title, created_at)"
        " values ($1, 'w', 'x', 'token', 'k', 't', now()) returning id),"
        " e as (insert into switchboard.webhook_events (webhook_id, delivery_id, received_at, verification, body)"
        " select id, 'd', now(), 'token', '{}' from w returning id)"
        " insert into switchboard.webhook_event_todos select id, $2, $3 from e",
        desk.ada.id,
        desk.endpoint.queue_id("q"),
        todo_id,
    )
    await desk.submit("move", {"ids": [todo_id]}, queue="r")
    await desk.run()
    delivered = await desk.world.sql.fetchval("select queue_id from switchboard.webhook_event_todos")
    assert delivered == (await desk.world.todo(todo_id))["queue_id"] == desk.endpoint.queue_id("r")


async def test_a_todo_that_is_in_the_target_already_or_has_no_sibling_there_is_skipped(desk: Desk) -> None:
    other = await desk.world.endpoint("f", "q")  # ada's too, without a queue r
    (elsewhere,) = await desk.world.enqueue_many(other, "q", 1)
    (there,) = await desk.todos(1, queue="r")
    operation_id = await desk.submit("move", {"ids": [elsewhere, there]}, queue="r")
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 2, 0, 2, 0, 0)
    assert (await desk.world.todo(elsewhere))["queue_id"] == other.queue_id("q")


async def test_purge_deletes_ended_todos_with_their_attempts(desk: Desk) -> None:
    todo_id = await desk.world.enqueue(desk.endpoint, "q")
    await desk.world.claim(desk.endpoint, todo_id)
    await desk.world.service.complete.complete(desk.endpoint.caller, Complete(todo_id=todo_id))
    for state in ("dead", "canceled", "scheduled", "pending", "claimed", "failed"):
        await desk.todos(1, state)
    operation_id = await desk.submit("purge", {}, all=True)
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 7, 3, 4, 0, 0)
    assert await desk.world.states(desk.endpoint, "q") == {"scheduled": 1, "pending": 1, "claimed": 1, "failed": 1}
    assert await desk.world.sql.fetchval("select count(*) from switchboard.attempts") == 0


async def test_a_retry_whose_idempotency_key_a_live_todo_holds_is_a_conflict_and_the_others_go_on(desk: Desk) -> None:
    await desk.todos(1, "dead")
    todo_id = await desk.world.enqueue(desk.endpoint, "q", idempotency_key="k")
    await desk.world.sql.execute("update switchboard.todos set state = 'dead' where id = $1", todo_id)
    await desk.world.enqueue(desk.endpoint, "r", idempotency_key="k")
    await desk.todos(1, "dead")
    operation_id = await desk.submit("retry", {"states": ["dead"]})
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 3, 2, 0, 1, 0)
    assert (await desk.world.todo(todo_id))["state"] == "dead"


async def test_a_retried_todo_is_claimed_and_charged_like_any(desk: Desk, world: World) -> None:
    (todo_id,) = await desk.todos(1, "dead")
    await world.set_policy(
        desk.endpoint, "q", max_claims_per_window=1, window={"period": "day", "tz": "UTC", "start": "00:00"}
    )
    await desk.submit("retry", {"ids": [todo_id]})
    await desk.run()
    await world.service.claim.claim(desk.endpoint.caller, Claim(todo_id=todo_id))
    assert await world.used(desk.endpoint, "q") == 1


@pytest.mark.parametrize("kind", ["retry", "cancel", "move", "purge"])
async def test_every_committed_batch_makes_what_was_cached_before_it_obsolete(desk: Desk, kind: str) -> None:
    await desk.todos(1, "done" if kind == "purge" else "failed")
    target = {"queue": "r"} if kind == "move" else {}
    operation_id = await desk.submit(kind, {"queue": "q"}, **target)
    await desk.scan(operation_id)
    generation = desk.world.database.generation
    before = generation.current
    await desk.executor.run_once()
    assert (await desk.read(operation_id)).changed == 1
    assert generation.current > before


async def test_a_todo_enqueued_with_a_freed_key_after_a_cancel_is_new(desk: Desk) -> None:
    todo_id = await desk.world.enqueue(desk.endpoint, "q", idempotency_key="k")
    await desk.submit("cancel", {"ids": [todo_id]})
    await desk.run()
    ask = Enqueue(queue="q", kind="test", idempotency_key="k")
    assert (await desk.world.service.enqueue.enqueue(desk.endpoint.caller, ask)).duplicate is False
