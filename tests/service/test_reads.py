"""What workers and humans may look up: their own, all of it, in pages, and nothing else (D6)."""

from __future__ import annotations

import pytest

from switchboard.core.identity import Human
from switchboard.service.read_budget import whole_read
from switchboard_wire.envelope import JobsQuery
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.reads import QueuesPage
from switchboard_wire.todo import TodoState
from switchboard_wire.worker import GetTodo, ListTodos
from tests.support.clock import Clock
from tests.support.scenario import Endpoint, World


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q", "r")


async def jobs(world: World, human: Human, job_filter: JobFilter, page: JobPage) -> tuple[list[int], int | None]:
    async with whole_read(world.service.reads.limits) as deadline:
        found = await world.service.board.jobs(human, JobsQuery(job_filter, page), deadline)
    return [job.id for job in found.jobs], found.next_before_id


async def queues(world: World, human: Human) -> QueuesPage:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.board.queues(human, deadline)


async def test_a_worker_lists_its_todos_newest_first_in_pages(world: World, endpoint: Endpoint) -> None:
    ids = await world.enqueue_many(endpoint, "q", 3) + await world.enqueue_many(endpoint, "r", 2)
    todos = world.service.todos
    first = await todos.list_todos(endpoint.caller, ListTodos(limit=3))
    assert ([todo.id for todo in first.todos], first.next_before_id) == (ids[:1:-1], ids[2])
    rest = await todos.list_todos(endpoint.caller, ListTodos(limit=3, before_id=first.next_before_id))
    assert ([todo.id for todo in rest.todos], rest.next_before_id) == (ids[1::-1], None)
    exact = await todos.list_todos(endpoint.caller, ListTodos(limit=5))
    assert exact.next_before_id is None


async def test_a_worker_lists_by_queue_and_state(world: World, endpoint: Endpoint) -> None:
    claimed, pending = await world.enqueue_many(endpoint, "q", 2)
    await world.enqueue_many(endpoint, "r", 2)
    await world.claim(endpoint, claimed)
    todos = world.service.todos
    by_state = await todos.list_todos(endpoint.caller, ListTodos(queue="q", states=(TodoState.PENDING,)))
    assert [todo.id for todo in by_state.todos] == [pending]
    held = await todos.list_todos(endpoint.caller, ListTodos(states=(TodoState.CLAIMED, TodoState.DONE)))
    assert [(todo.id, todo.claimant) for todo in held.todos] == [(claimed, "e")]


async def test_a_foreign_todo_is_not_found_in_the_words_for_none(world: World, endpoint: Endpoint) -> None:
    other = await world.endpoint("f", "q", owner="grace")
    foreign = await world.enqueue(other, "q")
    said = []
    for todo_id in (foreign, 10_000):
        with pytest.raises(SwitchboardError) as refusal:
            await world.service.todos.get_todo(endpoint.caller, GetTodo(todo_id=todo_id))
        said.append(refusal.value.body())
    assert said[0] == said[1]
    listed = await world.service.todos.list_todos(endpoint.caller, ListTodos())
    assert listed.todos == ()
    with pytest.raises(SwitchboardError) as forbidden:
        await world.service.todos.list_todos(endpoint.caller, ListTodos(queue="secret"))
    assert forbidden.value.code is ErrorCode.FORBIDDEN


async def test_a_human_sees_own_and_team_queues_and_an_operator_all(world: World, endpoint: Endpoint) -> None:
    await world.endpoint("f", "x", owner="grace")
    await world.team_endpoints("crew", "lane", "t", owner="joan")
    ada, grace, joan = endpoint.owner, await world.human("grace"), await world.human("joan")
    root = await world.human("root", operator=True)
    await world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'member' from switchboard.teams", grace.id
    )

    async def seen(human: Human) -> list[tuple[str, str, bool]]:
        return [
            (one.admission.scope, one.admission.queue, one.manageable) for one in (await queues(world, human)).queues
        ]

    assert await seen(ada) == [("endpoint:e", "q", True), ("endpoint:e", "r", True)]
    assert await seen(grace) == [("endpoint:f", "x", True), ("team:crew", "lane", False)]
    assert await seen(joan) == [("team:crew", "lane", True)]
    assert await seen(root) == [
        ("endpoint:e", "q", False),
        ("endpoint:e", "r", False),
        ("endpoint:f", "x", False),
        ("team:crew", "lane", False),
    ]


async def test_the_board_counts_pending_work_and_what_is_in_flight(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=2)
    await world.enqueue_many(endpoint, "q", 5)
    await world.claim_next(endpoint, max=2)
    q, r = (await queues(world, endpoint.owner)).queues
    assert (q.pending, q.pending_capped, q.admission.in_flight, q.admission.status.reason) == (
        3,
        False,
        2,
        "in_flight_full",
    )
    assert (r.pending, r.admission.in_flight, r.admission.policy) == (0, 0, None)


@pytest.mark.parametrize(("number", "expected"), [(10_000, (10_000, False)), (10_001, (10_000, True))])
async def test_pending_work_is_counted_up_to_a_cap(
    world: World, endpoint: Endpoint, number: int, expected: tuple[int, bool]
) -> None:
    await world.enqueue_many(endpoint, "q", number)
    q, _ = (await queues(world, endpoint.owner)).queues
    assert (q.pending, q.pending_capped) == expected


async def test_jobs_are_listed_by_filter_in_pages_over_what_the_human_may_see(world: World, endpoint: Endpoint) -> None:
    other = await world.endpoint("f", "q", owner="grace")
    mine = await world.enqueue_many(endpoint, "q", 5)
    foreign = await world.enqueue_many(other, "q", 5)
    ada = endpoint.owner
    assert await jobs(world, ada, JobFilter(), JobPage(limit=3)) == (mine[:1:-1], mine[2])
    assert await jobs(world, ada, JobFilter(), JobPage(before_id=mine[2], limit=3)) == (mine[1::-1], None)
    assert await jobs(world, ada, JobFilter(ids=tuple(foreign)), JobPage()) == ([], None)
    assert await jobs(world, ada, JobFilter(queue="none"), JobPage()) == ([], None)
    assert await jobs(world, ada, JobFilter(queue="q", ids=(mine[0],)), JobPage()) == ([mine[0]], None)
    root = await world.human("root", operator=True)
    assert await jobs(world, root, JobFilter(queue="q"), JobPage()) == ((mine + foreign)[::-1], None)
