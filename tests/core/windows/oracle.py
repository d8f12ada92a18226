"""The definition of a window, applied literally and slowly: walk the instants, read the clock, note the first time.

All in whole seconds: instants since 1970-01-01T00:00Z, local times since 1970-01-01T00:00 on the wall. Shares no code
and no method with the implementation: no search for changes, no stretches, no calendar arithmetic on datetimes.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import accumulate, chain
from zoneinfo import ZoneInfo

from switchboard.core.windows import Interval, window_at
from switchboard_wire.policy import Period, Weekday, Window

HOUR = 3600
DAY = 86_400
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - local times are naive
EPOCH_UTC = EPOCH.replace(tzinfo=UTC)


def seconds(instant: datetime) -> int:
    """A whole-second instant as seconds since the epoch."""
    since = instant - EPOCH_UTC
    assert since.microseconds == 0, instant
    return since.days * DAY + since.seconds


def at(instant: int) -> datetime:
    return EPOCH_UTC + timedelta(seconds=instant)


def hhmm(local: int) -> str:
    return f"{local // HOUR % 24:02d}:{local // 60 % 60:02d}"


def weekday_of(local: int) -> Weekday:
    """1970-01-01 was a Thursday."""
    return tuple(Weekday)[(local // DAY + 3) % 7]


@dataclass(frozen=True, slots=True)
class Stretch:
    """From the instant `start` on, until the next stretch, the clock is `offset` seconds ahead of UTC."""

    start: int
    offset: int


@dataclass(frozen=True, slots=True)
class Transition:
    """At the instant `at` the offset changes; the instants in (previous, next) have one of these two offsets."""

    at: int
    before: int
    after: int


class Line:
    """A line of instants, one every `step` seconds, and the latest time that the wall clock has shown up to each."""

    def __init__(self, instants: range, readings: Iterable[int]) -> None:
        self.instants = instants
        self.shown = list(accumulate(readings, max))
        assert len(self.shown) == len(instants)

    @classmethod
    def of_stretches(cls, instants: range, stretches: Sequence[Stretch]) -> Line:
        """The clock of these stretches, the first of which begins no later than the line."""
        return cls(instants, chain.from_iterable(_readings(instants, stretches)))

    @classmethod
    def of_zone(cls, instants: range, zone: ZoneInfo) -> Line:
        """The clock of `zone`, asked anew at each instant."""
        return cls(instants, ((at(i).astimezone(zone).replace(tzinfo=None) - EPOCH) // _SECOND for i in instants))

    def boundaries(self, window: Window) -> list[int]:
        """The boundaries after the line's first instant and up to its last, in order."""
        return sorted(
            {
                self.instants[bisect_left(self.shown, local)]
                for local in candidates(window, self.shown[0] + 1, self.shown[-1])
            }
        )


_SECOND = timedelta(seconds=1)


def _readings(instants: range, stretches: Sequence[Stretch]) -> Iterator[range]:
    assert stretches[0].start <= instants[0]
    ends = [s.start for s in stretches[1:]] + [instants.stop]
    for stretch, end in zip(stretches, ends, strict=True):
        assert (stretch.start - instants.start) % instants.step == 0 or stretch is stretches[0]
        first, last = max(stretch.start, instants.start), min(end, instants.stop)
        if first < last:
            yield range(first + stretch.offset, last + stretch.offset, instants.step)


def candidates(window: Window, first: int, last: int) -> Iterable[int]:
    """The local times in [first, last] at which the window's calendar has a boundary."""
    hour, minute = (int(part) for part in window.start.split(":"))
    match window.period:
        case Period.HOUR:
            every, phase = HOUR, minute * 60
        case Period.DAY:
            every, phase = DAY, hour * HOUR + minute * 60
        case Period.WEEK:
            assert window.weekday is not None
            days = (tuple(Weekday).index(window.weekday) - 3) % 7
            every, phase = 7 * DAY, days * DAY + hour * HOUR + minute * 60
    return range(first + (phase - first) % every, last + 1, every)


def assert_tiles_as(window: Window, line: Line, regular: timedelta | None = None) -> list[Interval]:
    """The windows met along the line tile it, contain their instants, and meet where the line has boundaries.

    Each is found from its first instant, and found again from its last one, which those of `regular` length are
    spared. Returns them.
    """
    first, last = at(line.instants[0]), at(line.instants[-1])
    met = [window_at(window, first)]
    assert met[0].start <= first < met[0].end, (window, first, met)
    while met[-1].end <= last:
        following = window_at(window, met[-1].end)
        assert following.start == met[-1].end, (window, met[-1], following)
        assert following.end > following.start, (window, following)
        if following.end - following.start != regular:
            assert window_at(window, following.end - _MICROSECOND) == following, (window, following)
        met.append(following)
    assert [seconds(w.end) for w in met[:-1]] == line.boundaries(window), window
    assert all(w.start.tzinfo is UTC and w.end.tzinfo is UTC and not w.start.fold and not w.end.fold for w in met)
    return met


_MICROSECOND = timedelta(microseconds=1)


def synthetic_zone(stretches: Sequence[Stretch], footer: str = "") -> ZoneInfo:
    """A zone made of these stretches, read from a version 2 TZif file (RFC 9636); the first one's start is ignored."""
    offsets = [s.offset for s in stretches]
    types = b"".join(struct.pack(">lBB", offset, 0, 0) for offset in offsets)
    changes = struct.pack(f">{len(stretches) - 1}q", *(s.start for s in stretches[1:]))
    indices = bytes(range(1, len(stretches)))
    empty = struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, 0, 1, 4) + struct.pack(">lBB", 0, 0, 0) + b"LMT\0"
    header = struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, len(stretches) - 1, len(stretches), 4)
    body = header + changes + indices + types + b"LMT\0"
    return ZoneInfo.from_file(BytesIO(empty + body + b"\n" + footer.encode("ascii") + b"\n"), key="Test/Synthetic")
