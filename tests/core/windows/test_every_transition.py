"""Every zone, every transition 1970-2037: windows tile the line and are where the definition puts them (REQ-5, D19)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.core.windows import window_at
from switchboard.core.zones import canonical_name, zone, zone_names
from switchboard_wire.policy import Period, Weekday, Window

from .oracle import DAY, HOUR, Line, Stretch, Transition, assert_tiles_as, at, hhmm, seconds, weekday_of

CANONICAL = sorted({canonical_name(name) for name in zone_names()})
Transitions = dict[str, tuple[Transition, ...]]


def line_around(of_zone: tuple[Transition, ...], index: int, margin: int) -> Line:
    """The clock from `margin` seconds before a transition, and before what it repeats or skips, to as long after."""
    transition = of_zone[index]
    reach = margin + abs(transition.after - transition.before)
    step = gcd(60, transition.at, transition.before, transition.after)
    first, last = transition.at - reach // 60 * 60, transition.at + reach // 60 * 60
    stretches = [Stretch(transition.at - 300 * DAY, transition.before), Stretch(transition.at, transition.after)]
    # No other transition is this near: the shortest hold is tested.
    assert index == 0 or of_zone[index - 1].at < first
    assert index + 1 == len(of_zone) or of_zone[index + 1].at > last
    return Line.of_stretches(range(first, last + 1, step), stretches)


def edges(transition: Transition) -> tuple[int, int, int]:
    """The first minute, the middle and the end of the gap, or of the repeated span, as local times."""
    low, high = sorted((transition.at + transition.before, transition.at + transition.after))
    low, middle, high = (local // 60 * 60 for local in (low, (low + high) // 2, high))
    return low, middle, high


@pytest.mark.parametrize("name", CANONICAL)
def test_around_every_transition(name: str, transitions: Transitions) -> None:
    of_zone = transitions[name]
    for index, transition in enumerate(of_zone):
        low, middle, high = edges(transition)
        hours = line_around(of_zone, index, HOUR)
        for minute in {local // 60 % 60 for local in (low - 60, low, middle)}:
            assert_tiles_as(Window(Period.HOUR, name, f"07:{minute:02d}"), hours, timedelta(hours=1))
        days = line_around(of_zone, index, 26 * HOUR)
        for local in {low - 60, low, middle, high - 60, high, high // DAY * DAY}:
            assert_tiles_as(Window(Period.DAY, name, hhmm(local)), days, timedelta(days=1))
        for local in {low, middle, high}:
            met = assert_tiles_as(Window(Period.WEEK, name, hhmm(local), weekday_of(local)), days)
            # The boundary near the transition is on the line, so the oracle has had its say about it.
            assert len(met) > 1, (name, transition, local)
        for window in (Window(Period.DAY, name, hhmm(low)), Window(Period.HOUR, name, hhmm(high))):
            for microseconds in (-1, 0, 1):
                instant = at(transition.at) + timedelta(microseconds=microseconds)
                interval = window_at(window, instant)
                assert interval.start <= instant < interval.end


def chain(window: Window, first: datetime, last: datetime) -> list[timedelta]:
    """The lengths of the windows from `first` to `last`, each found from the end of the one before, tiling."""
    interval = window_at(window, first)
    assert interval.start <= first < interval.end
    lengths = [interval.end - interval.start]
    while interval.end <= last:
        following = window_at(window, interval.end)
        assert following.start == interval.end < following.end
        interval = following
        lengths.append(interval.end - interval.start)
    return lengths


@pytest.mark.parametrize("year", [2026, 2061])
def test_a_year_of_days_in_every_zone(year: int) -> None:
    """Also after 2037, where a zone's file has no list of transitions any more, but a rule."""
    for name in CANONICAL:
        first = datetime(year, 1, 1, tzinfo=UTC)
        lengths = chain(Window(Period.DAY, name, "02:30"), first, first + timedelta(days=365))
        assert 365 <= len(lengths) <= 367, name
        assert all(timedelta(hours=22) <= length <= timedelta(hours=26) for length in lengths), name


SINCE_MONROVIA = seconds(datetime(1972, 1, 8, tzinfo=UTC))
"""Since then, every offset and every transition is a whole minute."""


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(sorted(zone_names())),
    minute=st.integers(0, seconds(datetime(9998, 12, 1, tzinfo=UTC)) // 60)
    | st.integers(0, seconds(datetime(2110, 1, 1, tzinfo=UTC)) // 60),
    period=st.sampled_from(Period),
    start=st.integers(0, 1439),
    weekday=st.sampled_from(Weekday),
)
def test_any_zone_any_instant(name: str, minute: int, period: Period, start: int, weekday: Weekday) -> None:
    """Against the zone's clock itself, asked at every minute (every half minute before 1972)."""
    window = Window(period, name, hhmm(start * 60), weekday if period == Period.WEEK else None)
    reach = {Period.HOUR: 4 * HOUR, Period.DAY: 2 * DAY, Period.WEEK: 8 * DAY}[period]
    first, last = max(minute * 60 - reach, 0), minute * 60 + reach
    step = 60 if first > SINCE_MONROVIA else 30
    assert_tiles_as(window, Line.of_zone(range(first, last + 1, step), zone(name)))


@pytest.mark.parametrize(
    "name",
    [
        *["Africa/Cairo", "Africa/Casablanca", "Africa/Monrovia", "America/Sao_Paulo", "America/St_Johns"],
        *["Antarctica/Casey", "Antarctica/Troll", "Asia/Beirut", "Asia/Kathmandu", "Atlantic/Azores"],
        *["Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia", "Pacific/Kwajalein"],
    ],
)
def test_the_lines_are_the_zones_own_clock(name: str, transitions: Transitions) -> None:
    """The lines above are put together from the list of transitions; here some are compared with the clock."""
    of_zone = transitions[name]
    for index in {0, len(of_zone) // 2, len(of_zone) - 1}:
        line = line_around(of_zone, index, 26 * HOUR)
        assert Line.of_zone(line.instants, zone(name)).shown == line.shown


@pytest.mark.slow
@pytest.mark.parametrize("name", CANONICAL)
def test_the_whole_line_of_every_zone(name: str) -> None:
    """1970 to 2037 without a break, days and weeks, at a start that many zones skip or repeat."""
    first, last = datetime(1970, 1, 1, tzinfo=UTC), datetime(2037, 12, 31, tzinfo=UTC)
    days = chain(Window(Period.DAY, name, "00:30"), first, last)
    # At least what is left of the window of a skipped day, from the jump to 00:30; at most the day on which Vostok
    # went back by seven hours.
    assert all(timedelta(minutes=30) <= length <= timedelta(hours=31) for length in days)
    weeks = chain(Window(Period.WEEK, name, "02:30", Weekday.SUN), first, last)
    assert all(timedelta(days=6) <= length <= timedelta(days=8) for length in weeks)
