"""What a window is declared as: its canonical text, its start, its checks (REQ-1, D14, D19)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import product
from typing import Any, cast

import pytest

from switchboard.core.windows import InvalidWindow, definition, next_boundary, parse_start, window_at
from switchboard.core.zones import UnknownZone
from switchboard_wire.policy import Period, Weekday, Window

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (Window(Period.DAY, "America/Los_Angeles", "00:00"), "day America/Los_Angeles 00:00"),
        (Window(Period.HOUR, "UTC", "00:30"), "hour UTC :30"),
        (Window(Period.HOUR, "Asia/Kathmandu", "23:05"), "hour Asia/Kathmandu :05"),
        (Window(Period.WEEK, "Europe/Berlin", "09:00", Weekday.MON), "week Europe/Berlin Mon 09:00"),
        (Window(Period.WEEK, "Europe/Berlin", "21:07", Weekday.SUN), "week Europe/Berlin Sun 21:07"),
        (Window(Period.DAY, "US/Pacific", "00:00"), "day America/Los_Angeles 00:00"),
        (Window(Period.DAY, "Etc/UCT", "00:00"), "day UTC 00:00"),
    ],
)
def test_definition_text(window: Window, text: str) -> None:
    assert definition(window) == text


def test_the_hour_of_an_hourly_start_means_nothing() -> None:
    starts = [f"{hour:02d}:30" for hour in range(24)]
    hourly = [Window(Period.HOUR, "America/St_Johns", start) for start in starts]
    assert {definition(window) for window in hourly} == {"hour America/St_Johns :30"}
    assert len({(i.start, i.end) for i in (window_at(window, NOON) for window in hourly)}) == 1


def test_names_of_one_zone_key_the_same_usage() -> None:
    names = ["America/Los_Angeles", "US/Pacific"]
    assert len({definition(Window(Period.DAY, name, "00:00")) for name in names}) == 1
    names = ["UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu"]
    assert {definition(Window(Period.HOUR, name, "07:30")) for name in names} == {"hour UTC :30"}


def test_different_windows_have_different_texts() -> None:
    zones = ["America/Los_Angeles", "America/Denver", "Etc/GMT+8", "UTC"]
    starts = [f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in range(60)]
    days = {definition(Window(Period.DAY, tz, start)) for tz, start in product(zones, starts)}
    hours = {definition(Window(Period.HOUR, tz, f"00:{minute:02d}")) for tz, minute in product(zones, range(60))}
    weeks = {
        definition(Window(Period.WEEK, tz, start, day))
        for tz, start, day in product(zones, ["00:00", "00:01"], Weekday)
    }
    assert len(days) == 4 * 1440
    assert len(hours) == 4 * 60
    assert len(weeks) == 4 * 2 * 7
    assert len(days | hours | weeks) == len(days) + len(hours) + len(weeks)


def test_every_time_of_day_is_read() -> None:
    for hour, minute in product(range(24), range(60)):
        assert parse_start(f"{hour:02d}:{minute:02d}") == time(hour, minute)


@pytest.mark.parametrize(
    "text",
    [
        *[
            "24:00",
            "23:60",
            "7:00",
            "07:0",
            "07:000",
            "007:00",
            " 07:00",
            "07:00 ",
            "07:00\n",
            "07 :00",
            "0700",
            "07.00",
        ],
        *["07:00:00", "07:00Z", "-7:00", "+7:00", "", ":", "07:", ":00", "7am", "noon", "1e:00", "0x:00"],
        *["\uff10\uff17:\uff10\uff10", "07\uff1a00", "٠٧:٠٠", "०७:००", "07:00\0", "0७:00", "²3:00"],
    ],
)
def test_anything_else_is_no_start(text: str) -> None:
    with pytest.raises(InvalidWindow, match=r"^window\.start: ") as refusal:
        parse_start(text)
    assert refusal.value.field == "start"


@pytest.mark.parametrize(
    ("window", "field"),
    [
        (Window(Period.WEEK, "UTC", "00:00"), "weekday"),
        (Window(Period.DAY, "UTC", "00:00", Weekday.MON), "weekday"),
        (Window(Period.HOUR, "UTC", "00:00", Weekday.MON), "weekday"),
        (Window(Period.WEEK, "UTC", "00:00", cast(Any, "Monday")), "weekday"),
        (Window(Period.WEEK, "UTC", "00:00", cast(Any, "mon")), "weekday"),
        (Window(cast(Any, "month"), "UTC", "00:00"), "period"),
        (Window(cast(Any, "Day"), "UTC", "00:00"), "period"),
        (Window(Period.DAY, "UTC", "24:00"), "start"),
        (Window(Period.HOUR, "UTC", "30"), "start"),
    ],
)
def test_a_window_that_is_none_is_refused_by_every_function(window: Window, field: str) -> None:
    for refuse in (definition, lambda w: window_at(w, NOON), lambda w: next_boundary(w, NOON)):
        with pytest.raises(InvalidWindow, match=rf"^window\.{field}: ") as refusal:
            refuse(window)
        assert refusal.value.field == field


def test_unknown_zone_is_refused_by_every_function() -> None:
    mars = Window(Period.DAY, "Mars/Olympus", "00:00")
    for refuse in (definition, lambda w: window_at(w, NOON), lambda w: next_boundary(w, NOON)):
        with pytest.raises(UnknownZone, match="Mars/Olympus"):
            refuse(mars)


def test_a_window_in_plain_words_means_the_same() -> None:
    plain = Window(cast(Any, "week"), "Europe/Berlin", "09:00", cast(Any, "Tue"))
    assert definition(plain) == "week Europe/Berlin Tue 09:00"
    assert window_at(plain, NOON) == window_at(Window(Period.WEEK, "Europe/Berlin", "09:00", Weekday.TUE), NOON)


@pytest.mark.parametrize("period", Period)
@pytest.mark.parametrize("tz", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York", "Africa/Monrovia"])
def test_the_supported_years(period: Period, tz: str) -> None:
    window = Window(period, tz, "12:34", Weekday.WED if period == Period.WEEK else None)
    first = datetime(1970, 1, 1, tzinfo=UTC)
    last = datetime(9998, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    for instant in (first, last):
        interval = window_at(window, instant)
        assert interval.start <= instant < interval.end
        assert next_boundary(window, instant) == interval.end
    outside = [
        first - timedelta(microseconds=1),
        last + timedelta(microseconds=1),
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
        # Not expressible in UTC at all.
        datetime.fromisoformat("0001-01-01T00:00:00+14:00"),
        datetime.fromisoformat("9999-12-31T23:59:59-12:00"),
    ]
    for instant in outside:
        with pytest.raises(ValueError, match="outside the years 1970 to 9998"):
            window_at(window, instant)


def test_a_naive_instant_is_refused() -> None:
    with pytest.raises(ValueError, match="needs an offset"):
        window_at(Window(Period.DAY, "UTC", "00:00"), datetime(2026, 7, 1))  # noqa: DTZ001 - the point


def test_an_instant_may_carry_any_offset() -> None:
    window = Window(Period.DAY, "America/Los_Angeles", "00:00")
    pacific = datetime.fromisoformat("2026-07-01T05:00:00-07:00")
    assert window_at(window, pacific) == window_at(window, NOON)
    assert window_at(window, pacific).start.tzinfo is UTC
