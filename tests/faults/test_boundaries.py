"""Windows and clocks: a claim is charged to the window of its commit, whatever the clock does meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import ClaimNext
from tests.faults.ground import Ground
from tests.faults.scenarios import FIRST_HOUR, HOUR, HOUR_UTC, LOOKS, MICROSECOND, CrossingClock, roll, straddle
from tests.support.barriers import install, set_clock
from tests.support.checker import todo_rows
from tests.support.claimers import Claimer
from tests.support.clock import Clock
from tests.support.scenario import DAY_LOS_ANGELES, process
from tests.support.servers import running_server
from tests.support.waiting import within_bound


async def test_a_claim_across_the_boundary_is_charged_to_the_window_of_its_commit(ground: Ground) -> None:
    await straddle(ground, 200)


async def test_a_batch_across_the_boundary_is_charged_to_the_new_window_as_a_whole(ground: Ground) -> None:
    world, clock = ground.world, CrossingClock(ground.sql)
    endpoint = await world.endpoint("batch", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=HOUR_UTC)
    await world.enqueue_many(endpoint, "q", 12)
    await clock.install()
    await clock.set(FIRST_HOUR, FIRST_HOUR, 0)
    assert len((await world.claim_next(endpoint, max=3)).todos) == 3
    for looks in range(LOOKS):
        hour = FIRST_HOUR + (looks + 1) * HOUR
        await clock.set(hour - MICROSECOND, hour, looks)
        # Two units were left of the old window. All that is told is of the new one.
        answer = await world.claim_next(endpoint, max=2)
        assert answer.admission is not None
        assert (answer.admission.used, answer.admission.remaining) == (2, 3)
        assert answer.admission.window_resets_at == hour + HOUR
    assert list((await world.charges(endpoint, "q")).values()) == [3, 2, 2, 2]
    await ground.check()


async def test_a_spent_window_that_ends_while_the_claim_waits_admits_it(ground: Ground) -> None:
    """The clock is read after the policy's lock is granted: what it read before the wait refuses nobody (D12)."""
    world, clock = ground.world, CrossingClock(ground.sql)
    endpoint = await world.endpoint("spent", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=HOUR_UTC)
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await clock.install()
    await clock.set(FIRST_HOUR, FIRST_HOUR, 0)
    await world.claim(endpoint, first)
    await clock.set(FIRST_HOUR + HOUR - MICROSECOND, FIRST_HOUR + HOUR, 1)
    claimed = await world.claim(endpoint, second)
    assert claimed.todo.claimed_at == FIRST_HOUR + HOUR
    assert await world.charges(endpoint, "q") == {FIRST_HOUR: 1, FIRST_HOUR + HOUR: 1}
    await ground.check()


@pytest.mark.parametrize("looks", range(1, LOOKS + 2))
async def test_a_clock_that_steps_back_out_of_the_window_in_mid_claim_starts_the_claim_over(
    ground: Ground, looks: int
) -> None:
    """D12: the charge checks that the clock is still inside the window. A step back leaves a window, too."""
    world, clock = ground.world, CrossingClock(ground.sql)
    endpoint = await world.endpoint("back", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=HOUR_UTC)
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await clock.install()
    await clock.set(FIRST_HOUR, FIRST_HOUR, 0)
    await world.claim(endpoint, first)
    await clock.set(FIRST_HOUR, FIRST_HOUR - MICROSECOND, looks)
    await world.claim(endpoint, second)
    at_the_charge = FIRST_HOUR if await clock.looks() <= looks else FIRST_HOUR - HOUR
    assert Counter(await world.charges(endpoint, "q")) == Counter({FIRST_HOUR: 1}) + Counter({at_the_charge: 1})
    await ground.check()


async def test_claims_under_a_clock_that_jumps_to_and_fro_never_exceed_any_window(ground: Ground) -> None:
    world, random = ground.world, Random(7)
    processes = [process(ground.database) for _ in range(2)]
    clock = Clock(ground.sql)
    await clock.install("2026-09-22T17:30Z")
    endpoint = await world.endpoint("jumps", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=7, window=HOUR_UTC)
    todos = await world.enqueue_many(endpoint, "q", 250)
    running = True
    outcomes: Counter[str] = Counter()

    async def claim(number: int) -> None:
        while running:
            try:
                answer = await processes[number % 2].claim.claim_next(endpoint.caller, ClaimNext(max=1 + number % 2))
                outcomes["claimed" if answer.todos else "refused"] += 1
            except SwitchboardError as error:
                outcomes[error.code] += 1

    claimers = [asyncio.create_task(claim(number)) for number in range(4)]
    base = clock.now
    for _ in range(150):
        await clock.set(base + timedelta(minutes=random.randint(-300, 300)))
        await ground.sql.execute("select pg_sleep(0.01)")
    running = False
    await within_bound(asyncio.gather(*claimers))
    assert outcomes["claimed"] > 30
    # unavailable: the clock jumped in each of ten rounds
    assert set(outcomes) <= {"claimed", "refused", ErrorCode.UNAVAILABLE}
    report = await ground.check(expected=todos)
    assert report.windows > 5


async def test_many_windows_each_begin_at_zero_and_write_nothing_of_the_old(ground: Ground) -> None:
    await roll(ground, 500)


async def test_work_flows_after_a_boundary_that_no_server_lived_to_see(ground: Ground) -> None:
    """Exhausted, all servers killed, the boundary passed, one started: nothing was waiting in anybody's memory."""
    world = ground.world
    await install(ground.sql)
    await set_clock(ground.sql, datetime(2026, 9, 22, 23, 59, 50, tzinfo=UTC))
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(
        endpoint, "q", max_claims_per_window=2, window={"period": "day", "tz": "UTC", "start": "00:00"}
    )
    todos = await world.enqueue_many(endpoint, "q", 5)
    with running_server(ground.url) as one, running_server(ground.url) as other:
        caller = Claimer(one.url, endpoint.credential)
        assert (await caller.call("claim_next", max=5)).ids == todos[:2]
        assert (await caller.call("claim_next")).body["deferred"][0]["reason"] == "window_exhausted"
        await caller.close()
        one.kill()
        other.kill()
    before = await todo_rows(ground.sql)
    await set_clock(ground.sql, datetime(2026, 9, 23, tzinfo=UTC))
    with running_server(ground.url) as third:
        caller = Claimer(third.url, endpoint.credential)
        status = await caller.call("admission_status")
        assert status.body["queues"][0]["status"]["state"] == "admitted"
        assert await todo_rows(ground.sql) == before
        assert (await caller.call("claim_next", max=5)).ids == todos[2:4]
        await caller.close()
    assert await world.charges(endpoint, "q") == {
        datetime(2026, 9, 22, tzinfo=UTC): 2,
        datetime(2026, 9, 23, tzinfo=UTC): 2,
    }
    await ground.check(expected=todos, others=0)


async def test_a_policy_made_in_the_middle_of_a_day_has_the_calendar_day(ground: Ground) -> None:
    clock = Clock(ground.sql)
    await clock.install("2026-09-22T15:43-07:00")
    endpoint = await ground.world.endpoint("e", "q")
    await ground.world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    await ground.world.enqueue_many(endpoint, "q", 3)
    await ground.world.claim_next(endpoint)
    assert (await ground.world.claim_next(endpoint)).deferred[0].next_eligible_at == datetime(
        2026, 9, 23, 7, tzinfo=UTC
    )
    await clock.set("2026-09-22T23:59:59.999999-07:00")
    assert (await ground.world.claim_next(endpoint)).empty
    await clock.set("2026-09-23T00:00-07:00")
    assert not (await ground.world.claim_next(endpoint)).empty
    await ground.check()


# Where the clock changes oddly: an hour, half an hour, at midnight, a day left out, and not at all.
ODD = [
    ("America/Los_Angeles", "2026-11-01T08:00Z", "01:30"),
    ("America/Los_Angeles", "2026-03-08T09:00Z", "02:30"),
    ("Australia/Lord_Howe", "2026-04-04T14:00Z", "01:45"),
    ("America/Santiago", "2026-09-06T03:00Z", "00:00"),
    ("Africa/Cairo", "2026-04-23T21:00Z", "00:00"),
    ("Pacific/Apia", "2011-12-30T09:00Z", "00:00"),
    ("Asia/Kathmandu", "2026-01-01T00:00Z", "05:45"),
    ("US/Central", "2026-11-01T06:00Z", "01:00"),
]


@pytest.mark.parametrize(("zone", "around", "start"), ODD, ids=[f"{zone} {start}" for zone, _, start in ODD])
async def test_the_next_eligible_time_is_exact_around_every_kind_of_clock_change(
    ground: Ground, zone: str, around: str, start: str
) -> None:
    """Not a microsecond before it, and from it on. Windows follow each other without a gap."""
    world, clock = ground.world, Clock(ground.sql)
    await clock.install(around)
    await clock.advance(hours=-30)
    names = ("hour", "day", "week")
    endpoint = await world.endpoint("e", *names)
    for name in names:
        window = {"period": name, "tz": zone, "start": start} | ({"weekday": "Sun"} if name == "week" else {})
        await world.set_policy(endpoint, name, max_claims_per_window=1, window=window)
        await world.enqueue_many(endpoint, name, 70)
    ends = clock.now + timedelta(hours=60)
    while clock.now < ends:
        due = []
        for name in names:
            answer = await world.claim_next(endpoint, queues=(name,))
            (refusal,) = (await world.claim_next(endpoint, queues=(name,))).deferred
            assert refusal.exact is True
            assert refusal.next_eligible_at is not None
            if not answer.empty:
                assert answer.admission is not None
                assert answer.admission.window_resets_at == refusal.next_eligible_at
            due.append((refusal.next_eligible_at, name))
        at, name = min(due)
        await clock.set(at - MICROSECOND)
        assert (await world.claim_next(endpoint, queues=(name,))).empty
        await clock.set(at)
        assert not (await world.claim_next(endpoint, queues=(name,))).empty
    charges = await world.charges(endpoint, "hour")
    assert set(charges.values()) == {1}
    await ground.check()
