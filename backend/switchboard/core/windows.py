"""Calendar windows: which one an instant is in, and where it ends (REQ-5, D14, D19).

A window's boundaries are local wall-clock times in its zone. The boundary for the local time L is the first instant at
which the zone's clock reads L or later. That one rule is all there is:

* L inside a gap: the first instant after the gap, also when the gap holds whole days or spans midnight unevenly;
* L that the clock reads twice: the first time;
* a later L never has an earlier boundary, so consecutive boundaries tile the line of instants without gap or overlap,
  and those that fall on one instant are one boundary.

The only bridge between instants and local times is the clock from instant to local time, which is a function: a zone is
never asked for the offset of a local time, which may have none, two, or more. Instants come in and go out as aware
datetimes in UTC. In between, a *reading* is a datetime whose digits are meant as they stand, either as UTC or as local
time, and which is marked with the zone only because `ZoneInfo.fromutc`, the clock, takes and gives such datetimes. Two
readings with one mark compare and subtract digit by digit, without any zone rule; that is the arithmetic wanted here,
and it is a trap everywhere else, so no reading leaves this file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from switchboard.core.zones import canonical_name, zone
from switchboard_wire.policy import Period, Weekday, Window

FIRST_YEAR = 1970
LAST_YEAR = 9998
"""The years, both included, of the instants that windows are computed for; the rest is room for the arithmetic."""

SHORTEST_HOLD = timedelta(hours=3)
"""A zone is taken to keep each of its offsets for at least this long. In the bundled database the least is 167 hours,
and a test holds every release to ten times as long."""

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_WEEK = timedelta(weeks=1)
_SECOND = timedelta(seconds=1)
_WEEKDAYS = tuple(Weekday)
_START = re.compile("([01][0-9]|2[0-3]):([0-5][0-9])")


class InvalidWindow(ValueError):
    """A window that REQ-1 refuses. `field` is the member of the window at fault: period, start or weekday."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"window.{field}: {message}")
        self.field = field


@dataclass(frozen=True, slots=True)
class Interval:
    """The instants from `start` up to, not including, `end`; both aware UTC, `start` < `end`."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class _Calendar:
    """A checked window. `start` is a time of day; `weekday` counts from Monday 0 and matters to week only."""

    zone: ZoneInfo
    period: Period
    every: timedelta
    start: time
    weekday: int


def parse_start(text: str) -> time:
    """The time of day that `HH:MM` says: 24-hour, two ASCII digits each, 00:00 to 23:59, nothing around it.

    Raises InvalidWindow naming `start`.
    """
    match = _START.fullmatch(text)
    if match is None:
        raise InvalidWindow("start", f"not a time of day as HH:MM: {text!r}")
    return time(int(match[1]), int(match[2]))


def definition(window: Window) -> str:
    """The canonical text of what a window means, by which usage is keyed (D14).

    `hour UTC :30`, `day America/Los_Angeles 00:00`, `week Europe/Berlin Mon 09:00`. Windows with equal text are the
    same intervals by the same rule: the hour that an hourly start names is left out (D19), and a zone is given by its
    canonical name. Raises InvalidWindow, UnknownZone.
    """
    calendar = _calendar(window)
    name = canonical_name(window.tz)
    match calendar.period:
        case Period.HOUR:
            return f"hour {name} :{calendar.start.minute:02d}"
        case Period.DAY:
            return f"day {name} {calendar.start:%H:%M}"
        case Period.WEEK:
            return f"week {name} {_WEEKDAYS[calendar.weekday]} {calendar.start:%H:%M}"


def window_at(window: Window, instant: datetime) -> Interval:
    """The one interval of `window` that contains `instant`, an aware datetime of the years 1970 to 9998 UTC.

    Its start may lie in 1969 and its end in 9999. Raises InvalidWindow, UnknownZone, and ValueError for an instant
    that is naive or out of range.
    """
    calendar = _calendar(window)
    now = _supported(instant).replace(tzinfo=calendar.zone)
    local = _latest_candidate(calendar, calendar.zone.fromutc(now))
    following = local + calendar.every
    end = _boundary(calendar.zone, following)
    while end <= now:
        # The clock has been set back past a boundary that it had reached before; that boundary's window is still on.
        local, following = following, following + calendar.every
        end = _boundary(calendar.zone, following)
    return Interval(_boundary(calendar.zone, local).replace(tzinfo=UTC), end.replace(tzinfo=UTC))


def next_boundary(window: Window, instant: datetime) -> datetime:
    """The first boundary of `window` after `instant`: the end of its interval. Raises as `window_at` does."""
    return window_at(window, instant).end


def local_reading(where: ZoneInfo, instant: datetime) -> datetime:
    """What the clock of `where` reads at `instant`: digits only, without a zone. Raises ValueError as `window_at`."""
    return where.fromutc(_supported(instant).replace(tzinfo=where)).replace(tzinfo=None, fold=0)


def first_instant_reading(where: ZoneInfo, local: datetime) -> datetime:
    """The first instant, in UTC, at which the clock of `where` reads the digits of `local` or later."""
    return _boundary(where, local.replace(tzinfo=where, fold=0)).replace(tzinfo=UTC)


@lru_cache(maxsize=1024)
def _calendar(window: Window) -> _Calendar:
    if (window.weekday is not None) != (window.period == Period.WEEK):
        raise InvalidWindow("weekday", "is set exactly when period is week")
    start = parse_start(window.start)
    weekday = 0
    if window.weekday is not None:
        if window.weekday not in _WEEKDAYS:
            raise InvalidWindow("weekday", f"not a weekday: {window.weekday!r}")
        weekday = _WEEKDAYS.index(window.weekday)
    every = {Period.HOUR: _HOUR, Period.DAY: _DAY, Period.WEEK: _WEEK}.get(window.period)
    if every is None:
        raise InvalidWindow("period", f"not hour, day or week: {window.period!r}")
    return _Calendar(zone(window.tz), Period(window.period), every, start, weekday)


def _supported(instant: datetime) -> datetime:
    """`instant` in UTC, refused when windows around it could leave the range of datetime."""
    if instant.utcoffset() is None:
        raise ValueError(f"an instant needs an offset: {instant.isoformat()}")
    try:
        utc = instant.astimezone(UTC)
    except OverflowError:
        utc = None
    if utc is None or not FIRST_YEAR <= utc.year <= LAST_YEAR:
        raise ValueError(f"instant outside the years {FIRST_YEAR} to {LAST_YEAR}: {instant.isoformat()}")
    return utc


def _latest_candidate(calendar: _Calendar, local: datetime) -> datetime:
    """The last local time at or before `local` at which the calendar has a boundary. Readings of local time."""
    start = calendar.start
    candidate = local.replace(minute=start.minute, second=0, microsecond=0)
    if calendar.period != Period.HOUR:
        candidate = candidate.replace(hour=start.hour)
    if calendar.period == Period.WEEK:
        candidate -= _DAY * ((local.weekday() - calendar.weekday) % 7)
    return candidate if candidate <= local else candidate - calendar.every


def _boundary(zone: ZoneInfo, local: datetime) -> datetime:
    """The first instant at which the zone's clock reads `local` or later: local reading to UTC reading.

    An offset is less than a day either way, so the clock reads less than `local` until a day before those digits in
    UTC, and more from a day after them. In between, the line is walked from its early end in stretches of constant
    offset, and the first stretch that reaches `local` has the answer. No stretch is longer than the shortest hold, so
    that at most one change can fall into it, and the offsets of its two ends tell whether one did.
    """
    clock = zone.fromutc
    begin = local - _DAY
    reading = clock(begin)
    while True:
        end = begin + SHORTEST_HOLD
        end_reading = clock(end)
        if end_reading - reading != end - begin:
            end = _change(zone, begin, end)
            end_reading = clock(end)
        if reading >= local:
            # The clock jumped over `local` at the beginning of this stretch.
            return begin
        reached = begin + (local - reading)
        if reached < end:
            return reached
        begin, reading = end, end_reading


def _change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The instant in (before, after] at which the zone leaves the offset it has at `before`.

    UTC readings, whole seconds as in the database. The two ends must differ in offset.
    """
    clock = zone.fromutc
    offset = clock(before) - before
    while after - before > _SECOND:
        middle = before + (after - before) // _SECOND // 2 * _SECOND
        if clock(middle) - middle == offset:
            before = middle
        else:
            after = middle
    return after
