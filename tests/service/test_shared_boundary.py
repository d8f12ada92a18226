"""REQ-5: five hundred budgets that end at one midnight. The boundary itself writes nothing, in any process."""

from __future__ import annotations

import asyncio

from switchboard_wire.worker import AskAdmissionStatus
from tests.support.clock import Clock
from tests.support.scenario import DAY_LOS_ANGELES, World

QUEUES = 500


async def test_a_boundary_of_five_hundred_policies_writes_nothing_and_opens_each(world: World, clock: Clock) -> None:
    names = [f"q{number:03}" for number in range(QUEUES)]
    endpoint = await world.endpoint("e", *names)
    for name in names:
        await world.set_policy(endpoint, name, max_claims_per_window=1, window=DAY_LOS_ANGELES)
        await world.enqueue_many(endpoint, name, 2)
    for _ in names:
        await world.claim_next(endpoint, lease_seconds=86_400)
    assert {(one.reason.value, one.pending) for one in (await world.claim_next(endpoint)).deferred} == {
        ("window_exhausted", 1)
    }
    before = await world.rows()
    processes = [world, *(world.another_process() for _ in range(3))]
    for at in ("2026-09-22T23:59:59.999999-07:00", "2026-09-23T00:00-07:00"):
        await clock.set(at)
        await asyncio.gather(*(process.sweep() for process in processes))
        for process in processes:
            told = (await process.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())).queues
            assert len(told) == QUEUES
            expected = "deferred" if clock.now.minute == 59 else "admitted"
            assert {one.status.state.value for one in told} == {expected}
    assert await world.rows() == before
    answers = [await processes[turn % 4].claim_next(endpoint) for turn in range(QUEUES)]
    assert sorted(answer.todos[0].queue for answer in answers) == names
    assert {answer.admission.used for answer in answers if answer.admission} == {1}
    assert (await world.claim_next(endpoint)).empty
