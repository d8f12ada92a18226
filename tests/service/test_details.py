"""One job and one queue with all that is known of them; what is foreign is refused like what is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from switchboard.core.identity import Human
from switchboard.service.read_budget import whole_read
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.queue_detail import QueueDetail
from switchboard_wire.worker import Fail, TodoHistory
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, World


async def job(world: World, human: Human, todo_id: int) -> TodoHistory:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.details.job(human, todo_id, deadline)


async def queue(world: World, human: Human, queue_id: int) -> QueueDetail:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.details.queue(human, queue_id, deadline)


async def test_a_job_tells_its_payload_its_attempts_and_why_it_waits(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    todo_id = await world.enqueue(endpoint, "q", payload={"n": 1})
    await world.claim(endpoint, todo_id, worker="w")
    await clock.advance(seconds=5)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, error="no"))
    await clock.advance(minutes=1)
    await world.sweep()
    await world.set_policy(endpoint, "q", max_in_flight=0)
    read = await job(world, endpoint.owner, todo_id)
    assert (read.todo.payload.text, read.todo.state, read.todo.attempt) == ('{"n": 1}', "pending", 1)
    assert read.todo.admission is not None
    assert read.todo.admission.reason == "paused"
    assert [(one.seq, one.claimant, one.worker, one.outcome, one.duration_ms) for one in read.attempts] == [
        (1, "e", "w", "failed", 5000)
    ]


async def test_a_queue_tells_its_windows_what_is_in_flight_and_who_changed_its_policy(
    world: World, clock: Clock
) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_UTC)
    ids = await world.enqueue_many(endpoint, "q", 4)
    yesterday = clock.now.replace(hour=0, minute=0, second=0, microsecond=0)
    await world.claim(endpoint, ids[0])
    await clock.advance(days=1)
    for todo_id in ids[1:3]:
        await world.claim(endpoint, todo_id, lease_seconds=3600)
    await world.set_policy(endpoint, "q", max_claims_per_window=9, window=DAY_UTC)
    read = await queue(world, endpoint.owner, endpoint.queue_id("q"))
    assert [(one.started_at, one.used, one.current) for one in read.usage] == [
        (yesterday + timedelta(days=1), 2, True),
        (yesterday, 1, False),
    ]
    assert [todo.id for todo in read.in_flight] == ids[:3]  # the lapsed one first
    assert (read.queue.pending, read.queue.manageable, read.queue.admission.in_flight) == (1, True, 3)
    assert read.oldest_waiting_at == (await world.todo(ids[3]))["created_at"]
    assert [(one.action, one.human) for one in read.audit] == [("change", "ada"), ("create", "ada")]


async def test_foreign_and_unknown_are_the_same_refusal_and_an_operator_reads_all(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q", owner="ada")
    todo_id = await world.enqueue(endpoint, "q")
    bob, root = await world.human("bob"), await world.human("root", operator=True)
    for read, mine, message in (
        (job, todo_id, "There is no such job."),
        (queue, endpoint.queue_id("q"), "There is no such queue."),
    ):
        await read(world, root, mine)
        for target in (mine, 999_999):
            with pytest.raises(SwitchboardError) as refusal:
                await read(world, bob, target)
            assert (refusal.value.code.value, refusal.value.message) == ("not_found", message)
    assert not (await queue(world, root, endpoint.queue_id("q"))).queue.manageable
