"""REQ-2: a policy governs its own queue identity, all of it and nothing else."""

from __future__ import annotations

from switchboard_wire.admission import DeferralReason
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, World


async def test_three_sessions_of_one_endpoint_share_one_budget(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "lane-m")
    await world.set_policy(endpoint, "lane-m", max_claims_per_window=20, window=DAY_UTC)
    await world.enqueue_many(endpoint, "lane-m", 60)
    sessions = [world, world.another_process(), world.another_process()]
    answers = [await sessions[turn % 3].claim_next(endpoint, worker=f"session-{turn % 3}") for turn in range(30)]
    assert [answer.empty for answer in answers] == [False] * 20 + [True] * 10
    assert await world.used(endpoint, "lane-m") == 20


async def test_endpoints_that_drain_one_team_queue_share_one_budget(world: World, clock: Clock) -> None:
    first, second = await world.team_endpoints("crew", "lane", "first", "second")
    await world.set_policy(first, "lane", max_claims_per_window=3, window=DAY_UTC)
    await world.enqueue_many(first, "lane", 10)
    answers = [await world.claim_next(endpoint) for endpoint in (first, second, first, second, first)]
    assert [answer.empty for answer in answers] == [False, False, False, True, True]
    assert answers[3].deferred[0].reason is DeferralReason.WINDOW_EXHAUSTED
    assert await world.used(second, "lane") == 3


async def test_the_same_name_of_another_owner_is_another_queue(world: World, clock: Clock) -> None:
    a = await world.endpoint("a", "investigations", owner="ada")
    b = await world.endpoint("b", "investigations", owner="grace")
    await world.set_policy(a, "investigations", max_claims_per_window=1, window=DAY_UTC)
    await world.enqueue_many(a, "investigations", 5)
    await world.enqueue_many(b, "investigations", 5)
    assert not (await world.claim_next(a)).empty
    assert (await world.claim_next(a)).empty
    for _ in range(5):
        answer = await world.claim_next(b)
        assert not answer.empty
        assert answer.admission is None
    assert (await world.used(a, "investigations"), await world.used(b, "investigations")) == (1, 0)
    assert await world.states(a, "investigations") == {"claimed": 1, "pending": 4}


async def test_two_queues_of_one_endpoint_have_two_budgets(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    for queue, limit in (("q", 2), ("r", 1)):
        await world.set_policy(endpoint, queue, max_claims_per_window=limit, window=DAY_UTC)
        await world.enqueue_many(endpoint, queue, 5)
    answers = [await world.claim_next(endpoint) for _ in range(4)]
    assert [answer.empty for answer in answers] == [False, False, False, True]
    assert (await world.used(endpoint, "q"), await world.used(endpoint, "r")) == (2, 1)
    assert {one.queue: one.pending for one in answers[3].deferred} == {"q": 3, "r": 4}


async def test_in_flight_todos_of_one_queue_do_not_count_in_another(world: World) -> None:
    a, b = await world.endpoint("a", "q"), await world.endpoint("b", "q")
    for endpoint in (a, b):
        await world.set_policy(endpoint, "q", max_in_flight=1)
        await world.enqueue_many(endpoint, "q", 2)
    assert not (await world.claim_next(a)).empty
    assert not (await world.claim_next(b)).empty
    assert (await world.claim_next(a)).empty
