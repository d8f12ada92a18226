"""What operators do is on record: who, when, which set, and how much changed; never what was in the todos."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator_actions import JobIds
from tests.support.clock import Clock
from tests.support.dead import audit, audit_rows, died
from tests.support.scenario import DAY_UTC, World


@pytest.mark.parametrize(
    ("verb", "action", "counts"),
    [
        ("retry_now", "jobs.retry", {"retried": 1}),
        ("cancel", "jobs.cancel", {"canceled": 1}),
        ("claim", "jobs.claim", {"claimed": 1}),
    ],
)
async def test_each_change_of_one_todo_leaves_one_record(
    world: World, clock: Clock, verb: str, action: str, counts: dict[str, int]
) -> None:
    endpoint = await world.endpoint("e", "q")
    secret = {"payload": {"secret": "s3cret"}}
    if verb == "claim":
        todo_id = await world.enqueue(endpoint, "q", **secret)
    else:
        todo_id = await died(world, endpoint, **secret)
    before = world.database.generation.current

    await getattr(world.service.operator_todos, verb)(endpoint.owner, todo_id)

    (record,) = (await audit(world, endpoint.owner)).records
    assert (record.at, record.human, record.action, record.part_of) == (clock.now, "ada", action, None)
    assert (record.target, record.counts) == ({"ids": [todo_id]}, counts)
    assert record.queue_id == endpoint.queue_id("q")
    assert world.database.generation.current == before + 1
    stored = await world.sql.fetchval("select a::text from switchboard.operator_audit a")
    assert "s3cret" not in stored
    assert "broken" not in stored


@pytest.mark.parametrize("verb", ["retry_now", "cancel", "claim"])
async def test_a_refused_change_leaves_none(world: World, verb: str) -> None:
    endpoint = await world.endpoint("e", "q")
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim(endpoint, todo_id)
    before = world.database.generation.current
    mallory = await world.human("mallory")

    for human, code in ((endpoint.owner, ErrorCode.CONFLICT), (mallory, ErrorCode.NOT_FOUND)):
        with pytest.raises(SwitchboardError) as refused:
            await getattr(world.service.operator_todos, verb)(human, todo_id)
        assert refused.value.code is code

    assert await audit_rows(world) == []
    assert world.database.generation.current == before


async def test_a_claim_that_admission_refuses_leaves_none(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=0)
    todo_id = await world.enqueue(endpoint, "q")

    with pytest.raises(SwitchboardError) as refused:
        await world.service.operator_todos.claim(endpoint.owner, todo_id)

    assert refused.value.code is ErrorCode.DEFERRED
    assert await audit_rows(world) == []


async def test_where_the_record_cannot_be_written_there_is_no_claim_and_no_charge(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_UTC)
    todo_id = await world.enqueue(endpoint, "q")
    await world.sql.execute("alter table switchboard.operator_audit add check (action <> 'jobs.claim')")

    with pytest.raises(asyncpg.CheckViolationError):
        await world.service.operator_todos.claim(endpoint.owner, todo_id)

    assert await world.states(endpoint, "q") == {"pending": 1}
    assert (await world.used(endpoint, "q"), await world.committed_claims(endpoint, "q")) == (0, 0)


async def test_who_may_read_which_records(world: World) -> None:
    (crew,) = await world.team_endpoints("crew", "q", "t")
    own = await world.endpoint("e", "q", owner="bob")
    member, operator = await world.human("mia"), await world.human("olga", operator=True)
    await world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'member' from switchboard.teams", member.id
    )
    in_team, alone = await world.enqueue(crew, "q"), await world.enqueue(own, "q")
    await world.service.operator_todos.cancel(crew.owner, in_team)
    await world.service.operator_todos.cancel(own.owner, alone)
    await world.service.operator_todos.cancel_many(own.owner, JobIds((in_team,)))

    async def seen(human: Any) -> list[Any]:
        return [record.target["ids"] for record in (await audit(world, human)).records]

    assert await seen(member) == [[in_team]]
    assert await seen(own.owner) == [[in_team], [alone]]
    assert await seen(operator) == [[in_team], [alone], [in_team]]
    assert await seen(await world.human("new")) == []


async def test_it_pages_newest_first(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    ids = [await world.enqueue(endpoint, "q") for _ in range(5)]
    for todo_id in ids:
        await world.service.operator_todos.cancel(endpoint.owner, todo_id)

    first = await audit(world, endpoint.owner, limit=3)
    second = await audit(world, endpoint.owner, before_id=first.next_before_id, limit=3)

    assert [record.target["ids"] for record in (*first.records, *second.records)] == [[one] for one in reversed(ids)]
    assert second.next_before_id is None
