"""REQ-9: a policy that cannot be read or evaluated refuses its own queue, and no other."""

from __future__ import annotations

import pytest

from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.worker import AskAdmissionStatus
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, Endpoint, World
from tests.support.waiting import holding, within_bound

UNAVAILABLE = AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.ADMISSION_UNAVAILABLE)


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    """Three queues with a todo each: `broken` (the oldest, and under a policy), `budgeted` and `free`."""
    made = await world.endpoint("e", "broken", "budgeted", "free")
    for queue in ("broken", "budgeted"):
        await world.set_policy(made, queue, max_in_flight=50, max_claims_per_window=50, window=DAY_UTC)
    for queue in ("broken", "budgeted", "free"):
        await world.enqueue(made, queue)
        await clock.advance(seconds=1)
    return made


CORRUPT = {
    "unknown zone": "window_tz = 'Mars/Olympus'",
    "no zone": "window_tz = null",
    "unknown period": "window_period = 'fortnight'",
    "impossible start": "window_start = '25:00'",
    "weekday on a day": "window_weekday = 'Mon'",
    "unknown weekday": "window_period = 'week', window_weekday = 'Someday'",
    "negative limit": "max_in_flight = -1",
    "limit out of bounds": "max_claims_per_window = 2000000",
    "no window": "window_period = null, window_tz = null, window_start = null",
    "neither limit": "max_in_flight = null, max_claims_per_window = null",
}


@pytest.mark.parametrize("change", CORRUPT.values(), ids=CORRUPT.keys())
async def test_a_stored_policy_that_cannot_be_evaluated_refuses_its_queue_alone(
    world: World, endpoint: Endpoint, change: str
) -> None:
    todo_id = await world.sql.fetchval("select min(id) from switchboard.todos")
    await world.sql.execute(
        f"update switchboard.policies set {change} where queue_id = $1", endpoint.queue_id("broken")
    )
    answers = [await world.claim_next(endpoint) for _ in range(3)]
    assert [[todo.queue for todo in answer.todos] for answer in answers] == [["budgeted"], ["free"], []]
    (deferred,) = answers[2].deferred
    assert (deferred.queue, deferred.reason, deferred.pending, deferred.next_eligible_at, deferred.exact) == (
        "broken",
        "admission_unavailable",
        1,
        None,
        None,
    )
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, todo_id)
    assert (refusal.value.code, refusal.value.details["reason"]) == (ErrorCode.DEFERRED, "admission_unavailable")
    todo = await world.todo(todo_id)
    assert (todo["state"], todo["attempt"]) == ("pending", 0)
    assert await world.used(endpoint, "broken") == 0


async def test_the_fault_is_shown_and_spoils_no_other_queues_figures(world: World, endpoint: Endpoint) -> None:
    await world.claim_next(endpoint, queues=("budgeted",))
    await world.sql.execute(
        "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", endpoint.queue_id("broken")
    )
    broken, budgeted, free = (await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())).queues
    assert broken.status == UNAVAILABLE
    assert broken.policy is None
    assert broken.used is None  # not 0: nobody knows
    assert broken.fault is not None
    assert "Mars/Olympus" in broken.fault
    assert (budgeted.used, budgeted.fault, free.fault) == (1, None, None)
    listed = await world.service.policies.list(endpoint.owner)
    assert [one.status.state for one in listed.queues] == ["deferred", "admitted", "admitted"]
    view = await world.service.policies.show(endpoint.owner, "endpoint:e", "broken")
    assert view.admission == broken


async def test_a_corrupt_policy_is_repaired_by_the_next_put_and_the_audit_keeps_what_stood(
    world: World, endpoint: Endpoint
) -> None:
    await world.sql.execute(
        "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", endpoint.queue_id("broken")
    )
    assert (await world.claim_next(endpoint, queues=("broken",))).empty
    view = await world.set_policy(endpoint, "broken", max_in_flight=1)
    assert view.audit[0].before is not None
    assert view.audit[0].before["window"]["tz"] == "Mars/Olympus"
    assert not (await world.claim_next(endpoint, queues=("broken",))).empty


@pytest.mark.parametrize("by_id", [True, False])
async def test_a_charge_that_the_database_refuses_admits_nothing(world: World, endpoint: Endpoint, by_id: bool) -> None:
    await world.sql.execute(
        "create function public.refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'disk of the usage table is gone'; end $$;"
        "create trigger refuse before insert on switchboard.usage for each row"
        f" when (new.queue_id = {endpoint.queue_id('broken')}) execute function public.refuse()"
    )
    broken = await world.sql.fetchval("select min(id) from switchboard.todos")
    if by_id:
        with pytest.raises(SwitchboardError) as refusal:
            await world.claim(endpoint, broken)
        assert refusal.value.details["reason"] == "admission_unavailable"
    else:
        answer = await world.claim_next(endpoint, queues=("broken",))
        assert [(one.queue, one.reason) for one in answer.deferred] == [("broken", "admission_unavailable")]
    assert (await world.todo(broken))["state"] == "pending"
    assert await world.committed_claims(endpoint, "broken") == 0
    answers = [await world.claim_next(endpoint) for _ in range(2)]
    assert [answer.todos[0].queue for answer in answers] == ["budgeted", "free"]


async def test_a_policy_lock_that_is_not_to_be_had_refuses_its_queue_alone(
    world: World, endpoint: Endpoint, database_url: str
) -> None:
    broken = endpoint.queue_id("broken")
    async with holding(database_url, f"select from switchboard.policies where queue_id = {broken} for update"):
        answers = [await within_bound(world.claim_next(endpoint)) for _ in range(2)]
        assert [answer.todos[0].queue for answer in answers] == ["budgeted", "free"]
    assert await world.states(endpoint, "broken") == {"pending": 1}
    assert [todo.queue for todo in (await world.claim_next(endpoint)).todos] == ["broken"]


async def test_usage_that_cannot_be_read_leaves_queues_without_a_policy_alone(
    world: World, endpoint: Endpoint, database_url: str
) -> None:
    async with holding(database_url, "lock table switchboard.usage in access exclusive mode"):
        answer = await within_bound(world.claim_next(endpoint, queues=("broken", "free")))
        assert [todo.queue for todo in answer.todos] == ["free"]


async def test_the_board_shows_every_job_although_one_policy_is_broken(world: World, endpoint: Endpoint) -> None:
    from switchboard.service.read_budget import whole_read
    from switchboard_wire.envelope import JobsQuery

    await world.sql.execute(
        "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", endpoint.queue_id("broken")
    )
    async with whole_read(world.service.reads.limits) as deadline:
        page = await world.service.board.jobs(endpoint.owner, JobsQuery(JobFilter(), JobPage()), deadline)
        overview = await world.service.board.queues(endpoint.owner, deadline)
    assert [(job.queue, job.admission) for job in page.jobs] == [
        ("free", None),
        ("budgeted", AdmissionStatus(AdmissionState.ADMITTED)),
        ("broken", UNAVAILABLE),
    ]
    assert [one.admission.fault is not None for one in overview.queues] == [True, False, False]
