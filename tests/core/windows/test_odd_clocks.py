"""Clocks that no bundled zone has had since 1970, built for the purpose; and any clock at all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from switchboard.core.windows import SHORTEST_HOLD, window_at
from switchboard_wire.policy import Period, Weekday, Window

from .oracle import DAY, HOUR, Line, Stretch, assert_tiles_as, at, seconds, synthetic_zone

Naming = Callable[[ZoneInfo], str]


def instant(text: str) -> int:
    return seconds(datetime.fromisoformat(text))


def boundaries(window: Window, first: str, count: int) -> list[str]:
    """`count` consecutive boundaries, beginning with the start of the window that holds `first`."""
    found = [window_at(window, datetime.fromisoformat(first))]
    while len(found) < count:
        found.append(window_at(window, found[-1].end))
    return [interval.start.strftime("%d %H:%M:%S") for interval in found]


@pytest.fixture
def straddling(naming: Naming) -> str:
    """Toronto 1919, moved to 2019: on 31 March at 04:30 UTC the clock goes from Saturday 23:30 to Sunday 00:30."""
    return naming(synthetic_zone([Stretch(0, -5 * HOUR), Stretch(instant("2019-03-31T04:30Z"), -4 * HOUR)]))


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("00:00", ["30 05:00:00", "31 04:30:00", "01 04:00:00"]),
        ("23:45", ["30 04:45:00", "31 04:30:00", "01 03:45:00"]),
        ("23:30", ["30 04:30:00", "31 04:30:00", "01 03:30:00"]),
        ("00:30", ["30 05:30:00", "31 04:30:00", "01 04:30:00"]),
        ("00:31", ["30 05:31:00", "31 04:31:00", "01 04:31:00"]),
        ("23:29", ["30 04:29:00", "31 04:29:00", "01 03:29:00"]),
    ],
)
def test_a_gap_that_straddles_midnight(straddling: str, start: str, expected: list[str]) -> None:
    window = Window(Period.DAY, straddling, start)
    assert boundaries(window, "2019-03-30T12:00Z", 3) == expected


def test_a_straddled_midnight_of_a_week_and_an_hour(straddling: str) -> None:
    saturday = Window(Period.WEEK, straddling, "23:40", Weekday.SAT)
    sunday = Window(Period.WEEK, straddling, "00:10", Weekday.SUN)
    for window in (saturday, sunday):
        assert boundaries(window, "2019-04-02T00:00Z", 1) == ["31 04:30:00"]
    hourly = Window(Period.HOUR, straddling, "00:00")
    assert boundaries(hourly, "2019-03-31T03:30Z", 4) == ["31 03:00:00", "31 04:00:00", "31 04:30:00", "31 05:00:00"]


def test_a_day_that_comes_twice(naming: Naming) -> None:
    """Across the date line eastwards: 31 December is lived twice, and is one window of 48 hours."""
    change = instant("2019-12-31T10:00Z")
    tz = naming(synthetic_zone([Stretch(0, 14 * HOUR), Stretch(change, -10 * HOUR)]))
    day = Window(Period.DAY, tz, "00:00")
    assert boundaries(day, "2019-12-30T09:00Z", 4) == ["29 10:00:00", "30 10:00:00", "01 10:00:00", "02 10:00:00"]
    hour = Window(Period.HOUR, tz, "00:15")
    # 23:15 is reached at 09:15 for the first time; 24:15 only a day later, after the same hours have come again.
    assert boundaries(hour, "2019-12-31T09:00Z", 4) == ["31 08:15:00", "31 09:15:00", "01 10:15:00", "01 11:15:00"]


def test_two_changes_in_one_day(naming: Naming) -> None:
    """On at 02:00 local and back again 12 hours later, by different amounts."""
    tz = naming(
        synthetic_zone(
            [
                Stretch(0, 0),
                Stretch(instant("2019-06-01T02:00Z"), 2 * HOUR),
                Stretch(instant("2019-06-01T14:00Z"), -HOUR),
            ]
        )
    )
    hour = Window(Period.HOUR, tz, "00:30")
    assert boundaries(hour, "2019-06-01T01:00Z", 4) == ["01 00:30:00", "01 01:30:00", "01 02:00:00", "01 02:30:00"]
    # 14:00 UTC: 16:00 becomes 13:00; 15:30 has been reached at 13:30, so 16:30 is next, at 17:30.
    assert boundaries(hour, "2019-06-01T13:40Z", 2) == ["01 13:30:00", "01 17:30:00"]


def test_a_change_that_is_undone_the_same_morning(naming: Naming) -> None:
    """Four hours two hours ahead: neither midnight of the day sees anything of it."""
    tz = naming(
        synthetic_zone(
            [
                Stretch(0, 0),
                Stretch(instant("2019-06-01T02:00Z"), 2 * HOUR),
                Stretch(instant("2019-06-01T06:00Z"), 0),
            ]
        )
    )
    day = Window(Period.DAY, tz, "07:00")
    assert boundaries(day, "2019-05-31T12:00Z", 3) == ["31 07:00:00", "01 05:00:00", "02 07:00:00"]
    day = Window(Period.DAY, tz, "03:00")
    assert boundaries(day, "2019-05-31T12:00Z", 3) == ["31 03:00:00", "01 02:00:00", "02 03:00:00"]


def test_offsets_with_seconds(naming: Naming) -> None:
    """Local mean time to standard time, with a change that is not on a minute of UTC either."""
    tz = naming(synthetic_zone([Stretch(0, 3 * HOUR + 17), Stretch(instant("2019-06-01T00:00:29Z"), 3 * HOUR - 5)]))
    window = Window(Period.DAY, tz, "03:00")
    # 03:00:46 becomes 03:00:24: 03:00 has been reached at 23:59:43.
    assert boundaries(window, "2019-05-31T12:00Z", 3) == ["30 23:59:43", "31 23:59:43", "02 00:00:05"]
    window = Window(Period.HOUR, tz, "00:01")
    assert boundaries(window, "2019-05-31T23:30Z", 3) == ["31 23:00:43", "01 00:01:05", "01 01:01:05"]


def test_offsets_next_to_a_whole_day(naming: Naming) -> None:
    """The widest offsets that Python represents, one after the other, both ways."""
    most = DAY - 60
    zones = [[Stretch(0, most), Stretch(50 * DAY, -most)], [Stretch(0, -most), Stretch(50 * DAY, most)]]
    for stretches in zones:
        tz = naming(synthetic_zone(stretches))
        line = Line.of_stretches(range(46 * DAY, 54 * DAY, 60), stretches)
        for start in ("00:00", "00:01", "12:00", "23:59"):
            for period in Period:
                weekday = Weekday.SAT if period == Period.WEEK else None
                assert_tiles_as(Window(period, tz, start, weekday), line)


HOLD = round(SHORTEST_HOLD.total_seconds()) // 60
"""The shortest that an offset may last, in minutes."""


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    offsets=st.lists(st.integers(-1439, 1439), min_size=2, max_size=6),
    holds=st.lists(st.integers(HOLD, 40 * 60), min_size=5, max_size=5),
    phase=st.integers(0, 1439),
    period=st.sampled_from(Period),
    start=st.integers(0, 1439),
    weekday=st.sampled_from(Weekday),
)
@example([0, 60, 0, 60, 0, 60], [HOLD] * 5, 30, Period.HOUR, 15, Weekday.MON)
@example([1439, -1439, 1439, -1439], [HOLD] * 5, 0, Period.DAY, 0, Weekday.MON)
def test_any_clock(
    naming: Naming,
    offsets: list[int],
    holds: list[int],
    phase: int,
    period: Period,
    start: int,
    weekday: Weekday,
) -> None:
    """Up to five changes by up to two days either way, as close together as the shortest hold allows."""
    begin = 20 * DAY + phase * 60
    changes = accumulate((hold * 60 for hold in holds), initial=begin)
    stretches = [Stretch(change, offset * 60) for change, offset in zip([0, *changes], offsets, strict=False)]
    line = Line.of_stretches(range(begin - 2 * DAY, stretches[-1].start + 3 * DAY, 60), stretches)
    # A second look at the line, through the zone file: the clock is the one that was meant.
    tz = naming(synthetic_zone(stretches))
    window = Window(period, tz, f"{start // 60:02d}:{start % 60:02d}", weekday if period == Period.WEEK else None)
    for interval in assert_tiles_as(window, line):
        assert interval.end - interval.start <= timedelta(days=7 + 4)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-86_399, 86_399), min_size=2, max_size=4), st.integers(HOLD * 60, 2 * DAY))
def test_the_synthetic_file_says_what_was_put_in(offsets: list[int], hold: int) -> None:
    stretches = [Stretch(index * hold, offset) for index, offset in enumerate(offsets)]
    clock = synthetic_zone(stretches)
    for stretch in stretches:
        for when in (stretch.start, stretch.start + hold - 1):
            # Not utcoffset(): it goes by the local time, which can belong to several of these stretches.
            assert at(when).astimezone(clock).replace(tzinfo=UTC) == at(when + stretch.offset)
