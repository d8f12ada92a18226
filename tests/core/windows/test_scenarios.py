"""The scenarios of REQ-5, by name, and one fault met elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from switchboard.core.windows import Interval, next_boundary, window_at
from switchboard.core.zones import zone
from switchboard_wire.policy import Period, Weekday, Window

PACIFIC_DAY = Window(Period.DAY, "America/Los_Angeles", "00:00")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def test_a_pacific_day() -> None:
    """Exhausted at 17:00 Pacific: eligible at the next 00:00 Pacific, and in a new window from that instant."""
    exhausted = utc("2026-09-22T17:00:00-07:00")
    midnight = utc("2026-09-23T00:00:00-07:00")
    assert next_boundary(PACIFIC_DAY, exhausted) == midnight
    assert window_at(PACIFIC_DAY, midnight - timedelta(microseconds=1)).end == midnight
    assert window_at(PACIFIC_DAY, midnight).start == midnight
    assert midnight.astimezone(zone("America/Los_Angeles")).strftime("%H:%M") == "00:00"


def test_the_fall_back_day() -> None:
    """The day of the autumn transition is one window of 25 hours, whichever of its instants is asked about."""
    day = window_at(PACIFIC_DAY, utc("2026-11-01T12:00:00-08:00"))
    assert day == Interval(utc("2026-11-01T00:00:00-07:00"), utc("2026-11-02T00:00:00-08:00"))
    assert day.end - day.start == timedelta(hours=25)
    for minute in range(25 * 60):
        assert window_at(PACIFIC_DAY, day.start + timedelta(minutes=minute)) == day


def test_the_spring_day_has_23_hours() -> None:
    day = window_at(PACIFIC_DAY, utc("2026-03-08T12:00:00-07:00"))
    assert day.end - day.start == timedelta(hours=23)


def test_hourly_window() -> None:
    """Start 00:30, UTC: windows begin at half past every hour."""
    window = Window(Period.HOUR, "UTC", "00:30")
    instant = utc("2026-07-01T00:29:59.999999+00:00")
    begin = utc("2026-06-30T23:30:00+00:00")
    for _ in range(48):
        assert window_at(window, instant) == Interval(begin, begin + timedelta(hours=1))
        instant, begin = instant + timedelta(hours=1), begin + timedelta(hours=1)


def test_a_policy_created_at_15_43_has_the_calendar_window() -> None:
    """No window begins with its policy: the first one began at the last boundary, and none rolls."""
    created = utc("2026-09-22T15:43:12.345678-07:00")
    assert window_at(PACIFIC_DAY, created) == Interval(
        utc("2026-09-22T00:00:00-07:00"), utc("2026-09-23T00:00:00-07:00")
    )
    hourly = Window(Period.HOUR, "America/Los_Angeles", "00:00")
    assert window_at(hourly, created) == Interval(utc("2026-09-22T15:00:00-07:00"), utc("2026-09-22T16:00:00-07:00"))
    weekly = Window(Period.WEEK, "America/Los_Angeles", "09:00", Weekday.MON)
    assert window_at(weekly, created) == Interval(utc("2026-09-21T09:00:00-07:00"), utc("2026-09-28T09:00:00-07:00"))


def test_a_start_in_the_gap_is_the_first_instant_after_it() -> None:
    window = Window(Period.DAY, "America/New_York", "02:30")
    assert next_boundary(window, utc("2026-03-08T01:00:00-05:00")) == utc("2026-03-08T03:00:00-04:00")


def test_the_repeated_hour_is_one_window_of_two_hours() -> None:
    window = Window(Period.HOUR, "America/New_York", "00:00")
    hours = Interval(utc("2026-11-01T01:00:00-04:00"), utc("2026-11-01T02:00:00-05:00"))
    assert hours.end - hours.start == timedelta(hours=2)
    assert window_at(window, utc("2026-11-01T01:30:00-04:00")) == hours
    assert window_at(window, utc("2026-11-01T01:30:00-05:00")) == hours


def test_a_boundary_begins_the_next_window() -> None:
    """Half-open: the boundary itself is in the window that begins there."""
    midnight = utc("2026-09-23T00:00:00-07:00")
    assert next_boundary(PACIFIC_DAY, midnight) == midnight + timedelta(days=1)
