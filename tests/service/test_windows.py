"""REQ-5: budgets run by calendar windows in the policy's zone, through every change of the clocks."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.support.clock import Clock, instant
from tests.support.scenario import DAY_LOS_ANGELES, World

WEEK_BERLIN = {"period": "week", "tz": "Europe/Berlin", "start": "09:00", "weekday": "Mon"}
HOUR_UTC = {"period": "hour", "tz": "UTC", "start": "00:30"}
HOUR_LOS_ANGELES = {"period": "hour", "tz": "America/Los_Angeles", "start": "00:00"}
DAY_GAP = {"period": "day", "tz": "America/Los_Angeles", "start": "02:30"}


@pytest.mark.parametrize(
    ("window", "at", "started", "resets"),
    [
        # a policy made at 15:43 starts in the calendar's window, not in one of its own
        (DAY_LOS_ANGELES, "2026-09-22T15:43-07:00", "2026-09-22T00:00-07:00", "2026-09-23T00:00-07:00"),
        # the autumn day has 25 hours, the spring day 23
        (DAY_LOS_ANGELES, "2026-11-01T12:00-08:00", "2026-11-01T00:00-07:00", "2026-11-02T00:00-08:00"),
        (DAY_LOS_ANGELES, "2026-03-08T12:00-07:00", "2026-03-08T00:00-08:00", "2026-03-09T00:00-07:00"),
        # the repeated hour is one window of two hours
        (HOUR_LOS_ANGELES, "2026-11-01T01:30-07:00", "2026-11-01T01:00-07:00", "2026-11-01T02:00-08:00"),
        (HOUR_LOS_ANGELES, "2026-11-01T01:30-08:00", "2026-11-01T01:00-07:00", "2026-11-01T02:00-08:00"),
        # a start inside the gap is the first instant after it
        (DAY_GAP, "2026-03-08T12:00-07:00", "2026-03-08T03:00-07:00", "2026-03-09T02:30-07:00"),
        # every half past, UTC
        (HOUR_UTC, "2026-09-22T17:29:59", "2026-09-22T16:30", "2026-09-22T17:30"),
        (HOUR_UTC, "2026-09-22T17:30:00", "2026-09-22T17:30", "2026-09-22T18:30"),
        # Monday morning in Berlin
        (WEEK_BERLIN, "2026-10-26T08:59:59+01:00", "2026-10-19T09:00+02:00", "2026-10-26T09:00+01:00"),
        (WEEK_BERLIN, "2026-10-26T09:00+01:00", "2026-10-26T09:00+01:00", "2026-11-02T09:00+01:00"),
    ],
)
async def test_a_claim_is_in_the_calendars_window(
    world: World, clock: Clock, window: dict[str, str], at: str, started: str, resets: str
) -> None:
    endpoint = await world.endpoint("e", "q")
    await clock.set(at)
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=window)
    await world.enqueue(endpoint, "q")
    admission = (await world.claim_next(endpoint)).admission
    assert admission is not None
    assert admission.window_resets_at == instant(resets)
    assert await world.charges(endpoint, "q") == {instant(started): 1}


async def test_an_exhausted_pacific_day_is_eligible_from_the_next_midnight_on(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "q", 2)
    await clock.set("2026-09-22T17:00-07:00")
    await world.claim_next(endpoint)
    refused = await world.claim_next(endpoint)
    midnight = instant("2026-09-23T00:00-07:00")
    assert [(one.next_eligible_at, one.exact) for one in refused.deferred] == [(midnight, True)]
    await clock.set("2026-09-22T23:59:59.999999-07:00")
    assert (await world.claim_next(endpoint)).empty
    await clock.set(midnight)
    assert not (await world.claim_next(endpoint)).empty


async def test_the_fall_back_day_is_one_budget(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await clock.set("2026-11-01T00:00-07:00")
    await world.set_policy(endpoint, "q", max_claims_per_window=3, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "q", 5)
    used = []
    for at in ("2026-11-01T01:30-07:00", "2026-11-01T01:30-08:00", "2026-11-01T23:59-08:00"):
        await clock.set(at)
        admission = (await world.claim_next(endpoint, lease_seconds=86_400)).admission
        assert admission is not None
        used.append(admission.used)
    assert used == [1, 2, 3]
    assert (await world.claim_next(endpoint)).empty
    await clock.set("2026-11-02T00:00-08:00")
    assert not (await world.claim_next(endpoint)).empty
    assert await world.charges(endpoint, "q") == {
        instant("2026-11-01T00:00-07:00"): 3,
        instant("2026-11-02T00:00-08:00"): 1,
    }


async def test_a_boundary_writes_nothing_to_todos_or_old_usage(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "q", 40)
    await world.claim_next(endpoint, lease_seconds=86_400)
    assert (await world.claim_next(endpoint)).empty
    before = await world.rows()
    await clock.set("2026-09-23T00:00-07:00")
    await world.sweep()
    assert await world.rows() == before
    await world.claim_next(endpoint)
    assert list((await world.charges(endpoint, "q")).values()) == [1, 1]


async def test_a_thousand_windows_each_start_at_zero(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=HOUR_UTC)
    (todo_id,) = await world.enqueue_many(endpoint, "q", 1)
    await world.sql.execute("update switchboard.todos set max_attempts = 10000")
    used: list[int | None] = []
    for _ in range(1000):
        await clock.advance(hours=1)  # past the lease, so that each claim takes the same todo over
        admission = (await world.claim(endpoint, todo_id, lease_seconds=60)).admission
        assert admission is not None
        used.append(admission.used)
    assert used == [1] * 1000
    assert set((await world.charges(endpoint, "q")).values()) == {1}
    assert await world.committed_claims(endpoint, "q") == 1000


@pytest.mark.parametrize("zone", ["US/Pacific", "America/Los_Angeles"])
async def test_a_zone_by_its_old_name_is_the_same_window(world: World, clock: Clock, zone: str) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_LOS_ANGELES | {"tz": zone})
    await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint)
    row = await world.sql.fetchrow("select window_definition, window_started_at from switchboard.usage")
    assert tuple(row) == ("day America/Los_Angeles 00:00", instant("2026-09-22T00:00-07:00"))


async def test_a_process_that_slept_over_the_boundary_claims_in_the_new_window(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "q", 3)
    slept = world.another_process()
    await slept.claim_next(endpoint, lease_seconds=86_400)
    days: list[datetime] = [await clock.set("2026-09-23T00:00-07:00"), await clock.set("2026-09-24T12:00-07:00")]
    assert not (await slept.claim_next(endpoint)).empty
    assert days[1] > max(await world.charges(endpoint, "q")) == instant("2026-09-24T00:00-07:00")
