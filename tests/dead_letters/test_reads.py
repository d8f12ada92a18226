"""What is read of the dead letters: pages by filter, one whole, and how many lie where."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from switchboard_wire.dead_letters import DlqCursor, DlqPage
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.todo import TodoState
from tests.support.clock import Clock
from tests.support.dead import depth, died, listed, many_died, one
from tests.support.scenario import World

AT = datetime(2026, 9, 22, 17, tzinfo=UTC)


async def test_the_one_that_died_last_comes_first_whatever_its_id(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    first, second = await world.enqueue(endpoint, "q"), await world.enqueue(endpoint, "q")
    await world.sql.execute(
        "update switchboard.todos set state = 'dead', finished_at = $2::timestamptz - id * interval '1 s'"
        " where queue_id = $1",
        endpoint.queue_id("q"),
        clock.now,
    )

    found = await listed(world, endpoint.owner)

    assert [letter.id for letter in found.jobs] == [first, second]
    assert found.jobs[0].dlq_at == found.jobs[0].finished_at == clock.now - timedelta(seconds=first)
    assert found.next is None


@pytest.mark.parametrize("limit", [1, 7, 49, 50])
async def test_fifty_of_one_instant_page_completely(world: World, limit: int) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    ids = await many_died(world, endpoint, 25, "q", at=AT, apart=0)
    ids += await many_died(world, endpoint, 25, "r", at=AT, apart=0)

    seen: list[int] = []
    cursor: DlqCursor | None = None
    while True:
        page = DlqPage(limit=limit) if cursor is None else DlqPage(cursor.before_dlq_at, cursor.before_id, limit)
        found = await listed(world, endpoint.owner, page=page)
        seen += [letter.id for letter in found.jobs]
        cursor = found.next
        if cursor is None:
            break

    assert seen == sorted(ids, reverse=True)


async def test_only_what_is_dead_and_matches_is_listed(world: World) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    await world.enqueue(endpoint, "q")
    plain = await died(world, endpoint)
    tagged = await died(world, endpoint, kind="mail", tags=("a", "b"))
    elsewhere = await died(world, endpoint, "r", tags=("a",))

    async def ids(job_filter: JobFilter) -> list[int]:
        return [letter.id for letter in (await listed(world, endpoint.owner, job_filter)).jobs]

    assert await ids(JobFilter()) == [elsewhere, tagged, plain]
    assert await ids(JobFilter(queue="q")) == [tagged, plain]
    assert await ids(JobFilter(kind="mail")) == [tagged]
    assert await ids(JobFilter(tags=("a",))) == [elsewhere, tagged]
    assert await ids(JobFilter(ids=(plain, elsewhere, 2**62), tags=("a",))) == [elsewhere]
    assert await ids(JobFilter(queue="none")) == []


async def test_a_human_sees_own_queues_and_an_instance_operator_all(world: World) -> None:
    ours, theirs = await world.endpoint("e", "q"), await world.endpoint("f", "q", owner="bob")
    mine, other = await died(world, ours), await died(world, theirs)
    operator = await world.human("olga", operator=True)

    assert [letter.id for letter in (await listed(world, ours.owner)).jobs] == [mine]
    assert [letter.id for letter in (await listed(world, operator)).jobs] == [other, mine]
    assert (await one(world, operator, other)).todo.id == other
    assert (await depth(world, operator)).total == 2
    assert (await depth(world, ours.owner)).total == 1


async def test_one_comes_with_its_payload_its_error_and_its_attempts(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    todo_id = await world.enqueue(endpoint, "q", payload={"n": 1})
    await world.sql.execute("update switchboard.todos set max_attempts = 2 where id = $1", todo_id)
    for _ in range(2):
        await world.claim(endpoint, todo_id, worker="w")
        await clock.advance(seconds=600)
        await world.sweep()

    found = await one(world, endpoint.owner, todo_id)

    assert found.todo.state is TodoState.DEAD
    assert found.todo.payload.text == '{"n": 1}'
    assert found.todo.error == "The lease of the last attempt ran out."
    assert found.dlq_at == AT + timedelta(seconds=1200)
    assert [(attempt.seq, attempt.claimant, attempt.worker, attempt.outcome) for attempt in found.attempts] == [
        (1, "e", "w", "lapsed"),
        (2, "e", "w", "lapsed"),
    ]


async def test_foreign_unknown_and_living_todos_are_the_same_not_found(world: World) -> None:
    ours, theirs = await world.endpoint("e", "q"), await world.endpoint("f", "q", owner="bob")
    pending, foreign = await world.enqueue(ours, "q"), await died(world, theirs)

    said = []
    for todo_id in (pending, foreign, 2**62):
        with pytest.raises(SwitchboardError) as refused:
            await one(world, ours.owner, todo_id)
        said.append(refused.value.body())

    assert refused.value.code is ErrorCode.NOT_FOUND
    assert said[0] == said[1] == said[2]


async def test_depth_counts_each_queue_and_tells_the_oldest(world: World) -> None:
    endpoint = await world.endpoint("e", "empty", "q", "r")
    await many_died(world, endpoint, 3, "q", at=AT)
    await many_died(world, endpoint, 2, "r", at=AT + timedelta(seconds=5))

    found = await depth(world, endpoint.owner)

    assert [(one.scope, one.queue, one.count, one.capped) for one in found.queues] == [
        ("endpoint:e", "empty", 0, False),
        ("endpoint:e", "q", 3, False),
        ("endpoint:e", "r", 2, False),
    ]
    assert [one.oldest_dlq_at for one in found.queues] == [
        None,
        AT + timedelta(microseconds=1),
        AT + timedelta(seconds=5, microseconds=1),
    ]
    assert (found.total, found.capped, found.cap) == (5, False, 10_000)
    assert found.oldest_dlq_at == AT + timedelta(microseconds=1)


async def test_depth_is_counted_up_to_ten_thousand_and_says_so(world: World) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    await many_died(world, endpoint, 10_001, "q")
    await many_died(world, endpoint, 10_000, "r")

    found = await depth(world, endpoint.owner)

    assert [(one.count, one.capped) for one in found.queues] == [(10_000, True), (10_000, False)]
    assert (found.total, found.capped) == (20_000, True)


async def test_of_nothing_nothing_is_known_to_be_oldest(world: World) -> None:
    found = await depth(world, await world.human("new"))
    assert (found.queues, found.total, found.capped, found.oldest_dlq_at) == ((), 0, False, None)
