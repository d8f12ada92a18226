"""Retry, purge and move of one dead letter."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_wire.dead_letters import MoveBody, Purged
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.todo import TodoState
from tests.support.clock import Clock
from tests.support.dead import audit_rows, died
from tests.support.scenario import DAY_UTC, World


async def act(world: World, verb: str, human: Any, todo_id: int) -> Any:
    more = [MoveBody("r")] if verb == "move" else []
    return await getattr(world.service.dead_letter_actions, verb)(human, todo_id, *more)


async def test_retry_makes_it_pending_with_attempt_0_and_is_audited(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    todo_id = await died(world, endpoint)

    changed = await world.service.dead_letter_actions.retry(endpoint.owner, todo_id)

    assert (changed.todo.state, changed.todo.attempt, changed.todo.finished_at) == (TodoState.PENDING, 0, None)
    assert await audit_rows(world) == [
        {
            "human": "ada",
            "action": "dlq.retry",
            "target": {"ids": [todo_id]},
            "queue_id": endpoint.queue_id("q"),
            "counts": {"retried": 1},
        }
    ]


async def test_purge_deletes_it_with_its_attempts_and_nothing_else(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    gone, stays = await died(world, endpoint), await died(world, endpoint)

    assert await world.service.dead_letter_actions.purge(endpoint.owner, gone) == Purged(1)

    assert [row["id"] for row in await world.sql.fetch("select id from switchboard.todos")] == [stays]
    assert [row["todo_id"] for row in await world.sql.fetch("select todo_id from switchboard.attempts")] == [stays]
    (record,) = await audit_rows(world)
    assert (record["action"], record["target"], record["counts"]) == ("dlq.purge", {"ids": [gone]}, {"purged": 1})


async def test_move_makes_it_pending_in_another_queue_whose_budget_its_next_claim_is_charged_to(
    world: World, clock: Clock
) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    for queue in ("q", "r"):
        await world.set_policy(endpoint, queue, max_claims_per_window=5, window=DAY_UTC)
    todo_id = await died(world, endpoint)

    changed = await world.service.dead_letter_actions.move(endpoint.owner, todo_id, MoveBody("r"))
    assert (changed.todo.queue, changed.todo.state, changed.todo.attempt) == ("r", TodoState.PENDING, 0)
    assert changed.todo.admission is not None
    assert (await world.used(endpoint, "q"), await world.used(endpoint, "r")) == (1, 0)
    assert (await world.committed_claims(endpoint, "q"), await world.committed_claims(endpoint, "r")) == (0, 1)

    await world.claim(endpoint, todo_id)
    assert (await world.used(endpoint, "q"), await world.used(endpoint, "r")) == (1, 1)
    attempts = await world.sql.fetch("select queue_id, seq, outcome from switchboard.attempts order by seq")
    assert [tuple(row) for row in attempts] == [
        (endpoint.queue_id("r"), 1, "failed"),
        (endpoint.queue_id("r"), 2, None),
    ]
    (record,) = await audit_rows(world)
    assert record == {
        "human": "ada",
        "action": "dlq.move",
        "target": {"ids": [todo_id], "to_queue_id": endpoint.queue_id("r")},
        "queue_id": endpoint.queue_id("q"),
        "counts": {"moved": 1},
    }


@pytest.mark.parametrize(
    ("queue", "code"),
    [("q", ErrorCode.CONFLICT), ("unknown", ErrorCode.NOT_FOUND), ("of another endpoint", ErrorCode.NOT_FOUND)],
)
async def test_it_moves_only_to_another_queue_of_the_same_owner(world: World, queue: str, code: ErrorCode) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.endpoint("f", "of another endpoint")
    todo_id = await died(world, endpoint)

    with pytest.raises(SwitchboardError) as refused:
        await world.service.dead_letter_actions.move(endpoint.owner, todo_id, MoveBody(queue))

    assert (refused.value.code, refused.value.field) == (code, "queue")
    assert await world.states(endpoint, "q") == {"dead": 1}
    assert await audit_rows(world) == []


async def test_within_a_team_an_admin_moves_and_a_member_does_not(world: World) -> None:
    (endpoint,) = await world.team_endpoints("crew", "q", "e")
    await world.service.teams.add_queue(endpoint.owner, "crew", "r")
    todo_id = await died(world, endpoint)
    member = await world.human("mia")
    await world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'member' from switchboard.teams", member.id
    )

    with pytest.raises(SwitchboardError) as refused:
        await world.service.dead_letter_actions.move(member, todo_id, MoveBody("r"))
    changed = await world.service.dead_letter_actions.move(endpoint.owner, todo_id, MoveBody("r"))

    assert refused.value.code is ErrorCode.NOT_FOUND
    assert (changed.todo.scope, changed.todo.queue) == ("team:crew", "r")


@pytest.mark.parametrize("verb", ["retry", "purge", "move"])
async def test_what_is_not_dead_is_a_conflict_that_leaves_no_record(world: World, verb: str) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    todo_id = await world.enqueue(endpoint, "q")

    with pytest.raises(SwitchboardError) as refused:
        await act(world, verb, endpoint.owner, todo_id)

    assert (refused.value.code, refused.value.details) == (ErrorCode.CONFLICT, {"state": "pending"})
    assert await audit_rows(world) == []


@pytest.mark.parametrize("verb", ["retry", "purge", "move"])
async def test_foreign_unknown_and_merely_visible_todos_are_the_same_not_found(world: World, verb: str) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    todo_id = await died(world, endpoint)
    mallory, operator = await world.human("mallory"), await world.human("olga", operator=True)

    said = []
    for human, target in ((mallory, todo_id), (operator, todo_id), (endpoint.owner, 2**62)):
        with pytest.raises(SwitchboardError) as refused:
            await act(world, verb, human, target)
        said.append(refused.value.body())

    assert refused.value.code is ErrorCode.NOT_FOUND
    assert said[0] == said[1] == said[2]
    assert await world.states(endpoint, "q") == {"dead": 1}
    assert await audit_rows(world) == []


@pytest.mark.parametrize("verb", ["retry", "move"])
async def test_a_key_that_a_live_todo_holds_is_a_conflict(world: World, verb: str) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    todo_id = await died(world, endpoint, idempotency_key="k")
    await world.enqueue(endpoint, "q", idempotency_key="k")

    with pytest.raises(SwitchboardError) as refused:
        await act(world, verb, endpoint.owner, todo_id)

    assert (refused.value.code, refused.value.message) == (
        ErrorCode.CONFLICT,
        "Another live todo holds this one's idempotency key.",
    )
    assert (await world.todo(todo_id))["state"] == "dead"
    assert await audit_rows(world) == []


async def test_a_webhook_event_finds_its_todo_where_it_was_moved_to(world: World) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    todo_id = await died(world, endpoint)
    await world.sql.execute(
        "with w as (insert into switchboard.webhooks (human_id, name, token_hash, verification, kind, title,"
        " created_at) values ($1, 'w', 'x', 'token', 'k', 't', clock_timestamp()) returning id),"
        " e as (insert into switchboard.webhook_events (webhook_id, delivery_id, received_at, verification, body)"
        " select id, 'd', clock_timestamp(), 'token', '{}' from w returning id)"
        " insert into switchboard.webhook_event_todos (event_id, queue_id, todo_id) select id, $2, $3 from e",
        endpoint.owner.id,
        endpoint.queue_id("q"),
        todo_id,
    )

    await world.service.dead_letter_actions.move(endpoint.owner, todo_id, MoveBody("r"))

    links = await world.sql.fetch("select queue_id, todo_id from switchboard.webhook_event_todos")
    assert [tuple(link) for link in links] == [(endpoint.queue_id("r"), todo_id)]
