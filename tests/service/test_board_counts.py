"""D15, D23: what the board, the status, the claim and a direct count say of a queue is one number, after every step."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from switchboard.service.read_budget import whole_read
from switchboard_wire.admission import AdmissionState, QueueAdmission
from switchboard_wire.envelope import JobsQuery
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.todo import TodoState
from switchboard_wire.worker import AskAdmissionStatus, Complete, Fail, ListTodos, Release
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, Endpoint, World

STEPS = 120
POLICIES: list[dict[str, object]] = [
    {"max_in_flight": 3},
    {"max_in_flight": 4, "max_claims_per_window": 12, "window": DAY_UTC | {"period": "hour"}},
    {"max_in_flight": 0},
    {"max_claims_per_window": 30, "window": DAY_UTC},
]


async def counted(world: World, endpoint: Endpoint) -> dict[str, int]:
    states = await world.states(endpoint, "q")
    return {"in_flight": states.get("claimed", 0), "pending": states.get("pending", 0)}


async def figures_agree(world: World, endpoint: Endpoint) -> AdmissionState:
    """The board's figures and lists, and the worker's, against a count of the rows."""
    direct = await counted(world, endpoint)
    async with whole_read(world.service.reads.limits) as deadline:
        (queue,) = (await world.service.board.queues(endpoint.owner, deadline)).queues
        query = JobsQuery(JobFilter(states=(TodoState.PENDING,)), JobPage(limit=1000))
        board = (await world.service.board.jobs(endpoint.owner, query, deadline)).jobs
    (told,) = (await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())).queues
    listed = await world.service.todos.list_todos(endpoint.caller, ListTodos(states=(TodoState.PENDING,), limit=200))
    assert {"in_flight": queue.admission.in_flight, "pending": queue.pending} == direct
    assert queue.admission == told
    assert [job.id for job in board] == [todo.id for todo in listed.todos]
    assert len(board) == direct["pending"]
    # Each of them says the same, and what the queue says.
    said = [*(job.admission for job in board), *(todo.admission for todo in listed.todos)]
    assert said == [told.status] * (2 * direct["pending"])
    return told.status.state


async def test_every_figure_is_the_direct_count_after_every_step(world: World, clock: Clock) -> None:
    random = Random(8)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", **POLICIES[0])
    held: list[int] = []
    seen: Counter[str] = Counter()
    for _ in range(STEPS):
        step = random.choice(["enqueue", "claim", "claim", "complete", "fail", "release", "time", "policy"])
        if step == "enqueue":
            await world.enqueue_many(endpoint, "q", 3)
        elif step == "claim":
            before = await counted(world, endpoint)
            answer = await world.claim_next(endpoint, max=2, lease_seconds=600)
            held += [todo.id for todo in answer.todos]
            if answer.admission is not None:
                assert answer.admission.in_flight == (await counted(world, endpoint))["in_flight"]
                assert answer.admission.in_flight >= before["in_flight"]
            assert sum(one.pending for one in answer.deferred) in (0, before["pending"])
        elif step == "time":
            await clock.advance(minutes=random.choice([1, 11, 61]))
            await world.sweep()
        elif step == "policy":
            await world.set_policy(endpoint, "q", **random.choice(POLICIES))
        elif held:
            todo_id = held.pop(random.randrange(len(held)))
            drain, caller = world.service.drain, endpoint.caller
            try:
                if step == "complete":
                    await drain.complete(caller, Complete(todo_id=todo_id))
                elif step == "fail":
                    await drain.fail(caller, Fail(todo_id=todo_id))
                else:
                    await drain.release(caller, Release(todo_id=todo_id))
            except SwitchboardError as refusal:
                seen[refusal.code] += 1  # its lease had been reaped
        seen[await figures_agree(world, endpoint)] += 1
    assert min(seen["admitted"], seen["deferred"], seen["conflict"]) > 0, seen


async def test_in_flight_counts_lapsed_claims_everywhere_and_is_never_negative(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3)
    ids = await world.enqueue_many(endpoint, "q", 4)
    await world.claim_next(endpoint, max=3, lease_seconds=60)
    await clock.advance(seconds=61)  # all three have lapsed, and nobody has reaped them

    async def told() -> QueueAdmission:
        await figures_agree(world, endpoint)
        (one,) = (await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())).queues
        return one

    assert (await told()).in_flight == 3
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, ids[3])
    assert refusal.value.details["reason"] == "in_flight_full"
    taken = await world.claim(endpoint, ids[0])
    assert taken.admission is not None
    assert taken.admission.in_flight == (await told()).in_flight == 3
    await world.sweep()
    assert (await told()).in_flight == 1
    # Whoever lost a lease cannot end that claim, nor end any claim twice.
    for todo_id, ends in ((ids[1], False), (ids[0], True), (ids[0], False)):
        if ends:
            await world.service.drain.complete(endpoint.caller, Complete(todo_id=todo_id))
        else:
            with pytest.raises(SwitchboardError):
                await world.service.drain.complete(endpoint.caller, Complete(todo_id=todo_id))
    assert (await told()).in_flight == 0
