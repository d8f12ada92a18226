"""When a schedule fires, in wall-clock time, across gaps and repeated hours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from switchboard.core.schedules import InvalidCron, latest_fire, next_fire
from switchboard.core.windows import local_reading
from switchboard.core.zones import UnknownZone, zone, zone_names

SAMPLED = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Havana")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def fires(cron: str, tz: str, start: str, count: int) -> list[datetime]:
    found = [at(start)]
    for _ in range(count):
        found.append(next_fire(cron, tz, found[-1]))
    return found[1:]


@pytest.mark.parametrize(
    ("cron", "tz", "after", "expected"),
    [
        ("0 9 * * *", "UTC", "2026-06-01T08:59:59.999999Z", "2026-06-01T09:00:00Z"),
        ("0 9 * * *", "UTC", "2026-06-01T09:00:00Z", "2026-06-02T09:00:00Z"),
        ("0 9 * * MON", "Europe/Berlin", "2026-06-02T00:00:00Z", "2026-06-08T07:00:00Z"),
        ("*/15 * * * *", "Asia/Kathmandu", "2026-06-01T00:01:00Z", "2026-06-01T00:15:00Z"),
        ("0 0 29 2 *", "UTC", "2026-06-01T00:00:00Z", "2028-02-29T00:00:00Z"),
    ],
)
def test_the_next_fire_is_the_first_after_the_instant(cron: str, tz: str, after: str, expected: str) -> None:
    assert next_fire(cron, tz, at(after)) == at(expected)


def test_a_time_inside_a_gap_fires_once_at_the_first_instant_after_it() -> None:
    assert fires("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2) == [
        at("2026-03-29T01:00:00Z"),
        at("2026-03-30T00:30:00Z"),
    ]


def test_several_times_inside_a_gap_fall_together() -> None:
    assert fires("*/20 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2) == [
        at("2026-03-29T01:00:00Z"),
        at("2026-03-30T00:00:00Z"),
    ]


def test_a_repeated_time_fires_the_first_time_only() -> None:
    assert fires("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2) == [
        at("2026-10-25T00:30:00Z"),
        at("2026-10-26T01:30:00Z"),
    ]


def test_a_step_expression_is_silent_during_the_second_pass_of_a_repeated_hour() -> None:
    assert fires("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:59:00Z", 4) == [
        at("2026-10-25T00:00:00Z"),
        at("2026-10-25T00:30:00Z"),
        at("2026-10-25T02:00:00Z"),
        at("2026-10-25T02:30:00Z"),
    ]


def test_the_latest_fire_is_at_or_before_the_instant() -> None:
    assert latest_fire("0 9 * * *", "UTC", at("2026-06-01T09:00:00Z")) == at("2026-06-01T09:00:00Z")
    assert latest_fire("0 9 * * *", "UTC", at("2026-06-01T08:59:59Z")) == at("2026-05-31T09:00:00Z")
    # 02:10 for the second time: 02:30 came round before it
    assert latest_fire("30 2 * * *", "Europe/Berlin", at("2026-10-25T01:10:00Z")) == at("2026-10-25T00:30:00Z")


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "L * * * *",
        "* * L * *",
        "* * * * 1#2",
        "x * * * *",
        "1,,2 * * * *",
        "\u0661 * * * *",
        "@daily",
    ],
)
def test_an_expression_that_cannot_be_read_is_refused(cron: str) -> None:
    with pytest.raises(InvalidCron):
        next_fire(cron, "UTC", at("2026-06-01T00:00:00Z"))


@pytest.mark.parametrize("cron", ["0 0 30 2 *", "0 0 31 4,6 *"])
def test_a_schedule_that_never_fires_is_refused(cron: str) -> None:
    with pytest.raises(InvalidCron):
        next_fire(cron, "UTC", at("2026-06-01T00:00:00Z"))


def test_no_fire_within_five_years_is_refused() -> None:
    with pytest.raises(InvalidCron):
        next_fire("0 0 29 2 *", "UTC", at("2096-03-01T00:00:00Z"))


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(UnknownZone):
        next_fire("0 9 * * *", "Mars/Olympus", at("2026-06-01T00:00:00Z"))


@pytest.mark.parametrize("tz", SAMPLED)
def test_a_daily_schedule_fires_once_each_local_day_2015_to_2037(tz: str) -> None:
    """At 09:30 no sampled zone has a gap, so each local day is the one after the day before it."""
    instant, end, where = at("2015-01-01T12:00:00Z"), at("2037-12-30T00:00:00Z"), zone(tz)
    day = None
    while instant < end:
        following = next_fire("30 9 * * *", tz, instant)
        reading = local_reading(where, following)
        assert following > instant
        assert (reading.hour, reading.minute) == (9, 30)
        assert day is None or reading.date() == day + timedelta(days=1)
        assert latest_fire("30 9 * * *", tz, following) == following
        instant, day = following, reading.date()


def test_a_weekly_look_in_every_zone_finds_a_fire_within_a_day_and_a_bit() -> None:
    for tz in sorted(zone_names()):
        instant = at("2026-01-01T00:00:00Z")
        while instant < at("2027-01-01T00:00:00Z"):
            following = next_fire("30 2 * * *", tz, instant)
            assert instant < following <= instant + timedelta(hours=26), tz
            instant += timedelta(weeks=2)
