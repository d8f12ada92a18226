"""REQ-7: what a claim answers, when it succeeds and when it is deferred, and to whom."""

from __future__ import annotations

import pytest

from switchboard_wire.admission import AdmissionState, AdmissionStatus, ClaimAdmission, DeferralReason, DeferredQueue
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import AskAdmissionStatus, ClaimNextAnswer, Fail
from tests.support.clock import Clock, instant
from tests.support.scenario import DAY_LOS_ANGELES, DAY_UTC, World

MIDNIGHT = instant("2026-09-23T00:00-07:00")


async def test_a_worker_is_told_to_wait_and_not_to_poll(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane")
    await world.set_policy(endpoint, "lane", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "lane", 13)
    await world.claim_next(endpoint, lease_seconds=86_400)
    assert await world.claim_next(endpoint) == ClaimNextAnswer(
        empty=True, deferred=(DeferredQueue("lane", DeferralReason.WINDOW_EXHAUSTED, 12, MIDNIGHT, True),)
    )


async def test_the_73rd_claim_of_100_leaves_27(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane")
    await world.set_policy(endpoint, "lane", max_claims_per_window=100, window=DAY_LOS_ANGELES)
    ids = await world.enqueue_many(endpoint, "lane", 74)
    await world.claim_next(endpoint, max=72)
    expected = ClaimAdmission(
        max_in_flight=None,
        in_flight=73,
        max_claims_per_window=100,
        used=73,
        remaining=27,
        window_resets_at=MIDNIGHT,
    )
    assert (await world.claim_next(endpoint)).admission == expected
    by_id = (await world.claim(endpoint, ids[73])).admission
    assert by_id is not None
    assert (by_id.in_flight, by_id.used, by_id.remaining) == (74, 74, 26)


async def test_a_policy_without_a_window_tells_its_flight_only(world: World) -> None:
    endpoint = await world.endpoint("e", "lane")
    await world.set_policy(endpoint, "lane", max_in_flight=3)
    await world.enqueue(endpoint, "lane")
    assert (await world.claim_next(endpoint)).admission == ClaimAdmission(3, 1, None, None, None, None)


async def test_a_named_todo_of_a_paused_queue_is_deferred_and_unchanged(world: World) -> None:
    endpoint = await world.endpoint("e", "lane")
    await world.set_policy(endpoint, "lane", max_in_flight=0)
    todo_id = await world.enqueue(endpoint, "lane")
    before = await world.rows()
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, todo_id)
    assert refusal.value.code is ErrorCode.DEFERRED
    assert refusal.value.details == {"queue": "lane", "reason": "paused", "next_eligible_at": None, "exact": None}
    assert await world.rows() == before


async def test_a_named_todo_of_an_exhausted_queue_is_deferred_until_the_boundary(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane")
    await world.set_policy(endpoint, "lane", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    first, second = await world.enqueue_many(endpoint, "lane", 2)
    await world.claim(endpoint, first)
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, second)
    assert refusal.value.details == {
        "queue": "lane",
        "reason": "window_exhausted",
        "next_eligible_at": "2026-09-23T07:00:00Z",
        "exact": True,
    }


async def test_empty_without_deferred_means_no_pending_work(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane", "other")
    await world.set_policy(endpoint, "lane", max_in_flight=0)
    assert await world.claim_next(endpoint) == ClaimNextAnswer(empty=True)
    await world.enqueue(endpoint, "lane", not_before=clock.now.replace(year=2027))  # scheduled: not pending yet
    assert await world.claim_next(endpoint) == ClaimNextAnswer(empty=True)


async def test_a_parked_retry_is_not_pending_work(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane")
    await world.set_policy(endpoint, "lane", max_claims_per_window=1, window=DAY_UTC)
    todo_id = await world.enqueue(endpoint, "lane")
    await world.claim_next(endpoint)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id))
    assert await world.claim_next(endpoint) == ClaimNextAnswer(empty=True)


async def test_only_the_asked_queues_are_claimed_from_and_told_of(world: World) -> None:
    endpoint = await world.endpoint("e", "a", "b", "c")
    for queue in ("a", "b", "c"):
        await world.set_policy(endpoint, queue, max_in_flight=0)
        await world.enqueue(endpoint, queue)
    answer = await world.claim_next(endpoint, queues=("c", "a"))
    assert [one.queue for one in answer.deferred] == ["c", "a"]


async def test_a_claim_tells_nothing_of_deferred_queues(world: World) -> None:
    endpoint = await world.endpoint("e", "a", "b")
    await world.set_policy(endpoint, "a", max_in_flight=0)
    for queue in ("a", "b"):
        await world.enqueue(endpoint, queue)
    answer = await world.claim_next(endpoint)
    assert ([todo.queue for todo in answer.todos], answer.deferred) == (["b"], ())


async def test_the_lease_is_the_endpoints_unless_the_claim_asks(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane", lease=120)
    await world.enqueue_many(endpoint, "lane", 2)
    assert (await world.claim_next(endpoint)).todos[0].lease_expires_at == instant("2026-09-22T17:02:00")
    claimed = await world.claim_next(endpoint, lease_seconds=86_400)
    assert claimed.todos[0].lease_expires_at == instant("2026-09-23T17:00:00")


async def test_the_order_of_refusals_is_not_found_forbidden_conflict_deferred(world: World, clock: Clock) -> None:
    mine, other = await world.endpoint("mine", "q"), await world.endpoint("other", "q", owner="grace")
    foreign = await world.enqueue(other, "q")
    await world.claim(other, foreign)
    await world.set_policy(other, "q", max_in_flight=0)
    await world.set_policy(mine, "q", max_claims_per_window=1, window=DAY_UTC)
    held, waiting = await world.enqueue_many(mine, "q", 2)
    await world.claim(mine, held)
    codes = []
    for todo_id in (10_000, foreign, held, waiting):
        with pytest.raises(SwitchboardError) as refusal:
            await world.claim(mine, todo_id)
        codes.append(refusal.value.code)
    assert codes == ["not_found", "forbidden", "conflict", "deferred"]


async def test_status_tells_policy_usage_and_state_of_each_queue_in_scope(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "free", "lane")
    await world.set_policy(endpoint, "lane", max_in_flight=9, max_claims_per_window=2, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "lane", 2)
    await world.claim_next(endpoint, max=2)
    free, lane = (await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())).queues
    assert (free.queue, free.policy, free.used, free.status) == (
        "free",
        None,
        None,
        AdmissionStatus(AdmissionState.ADMITTED),
    )
    assert (lane.scope, lane.queue, lane.in_flight, lane.used, lane.remaining) == ("endpoint:e", "lane", 2, 2, 0)
    assert lane.policy is not None
    assert (lane.policy.max_in_flight, lane.policy.max_claims_per_window) == (9, 2)
    assert (lane.window_started_at, lane.window_resets_at) == (instant("2026-09-22T00:00-07:00"), MIDNIGHT)
    assert lane.status == AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.WINDOW_EXHAUSTED, MIDNIGHT, True)


async def test_status_of_a_queue_out_of_scope_is_forbidden_in_the_words_for_any_name(world: World) -> None:
    mine = await world.endpoint("mine", "q")
    await world.endpoint("other", "secret", owner="grace")
    said = []
    for name in ("secret", "no-such-queue"):
        with pytest.raises(SwitchboardError) as refusal:
            await world.service.todos.admission_status(mine.caller, AskAdmissionStatus(queue=name))
        said.append((refusal.value.code, refusal.value.body()))
    assert said[0] == said[1]
    assert said[0][0] is ErrorCode.FORBIDDEN


async def test_a_claim_in_a_queue_out_of_scope_is_forbidden(world: World) -> None:
    mine = await world.endpoint("mine", "q")
    await world.endpoint("other", "secret", owner="grace")
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim_next(mine, queues=("q", "secret"))
    assert (refusal.value.code, refusal.value.field) == (ErrorCode.FORBIDDEN, "queues[1]")


async def test_the_status_and_the_next_claim_never_disagree(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane")
    await world.enqueue_many(endpoint, "lane", 30)
    seen = set()
    for policy in (
        {"max_in_flight": 2},
        {"max_in_flight": 3, "max_claims_per_window": 3, "window": DAY_UTC},
        {"max_in_flight": 0},
        {"max_claims_per_window": 2, "window": DAY_LOS_ANGELES},
        {"max_claims_per_window": 9, "window": DAY_LOS_ANGELES},
    ):
        await world.set_policy(endpoint, "lane", **policy)
        for _ in range(4):
            (told,) = (await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())).queues
            answer = await world.claim_next(endpoint)
            if told.status.state is AdmissionState.ADMITTED:
                assert not answer.empty
            else:
                (deferred,) = answer.deferred
                assert (deferred.reason, deferred.next_eligible_at, deferred.exact) == (
                    told.status.reason,
                    told.status.next_eligible_at,
                    told.status.exact,
                )
            seen.add(told.status.reason)
    assert seen == {None, "in_flight_full", "window_exhausted", "paused"}


async def test_what_waits_is_counted_up_to_a_cap_and_says_so(world: World, clock: Clock) -> None:
    """Counting a million todos at each refused claim would cost more than the claim."""
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=0)
    await world.enqueue_many(endpoint, "q", 10_000)
    (entry,) = (await world.claim_next(endpoint)).deferred
    assert (entry.pending, entry.pending_capped) == (10_000, False)
    await world.enqueue_many(endpoint, "q", 1)
    (entry,) = (await world.claim_next(endpoint)).deferred
    assert (entry.pending, entry.pending_capped) == (10_000, True)
