"""The admission policy of one queue identity, as it travels (SPEC-0030 REQ-1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_IN_FLIGHT_BOUND = 10_000
MAX_CLAIMS_PER_WINDOW_BOUND = 1_000_000


class Period(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


class Weekday(StrEnum):
    MON = "Mon"
    TUE = "Tue"
    WED = "Wed"
    THU = "Thu"
    FRI = "Fri"
    SAT = "Sat"
    SUN = "Sun"


@dataclass(frozen=True, slots=True)
class Window:
    """A calendar window: every `period`, at local wall-clock `start` (HH:MM) in IANA zone `tz`.

    `weekday` is set exactly when `period` is week. An hourly window uses the minute of `start` only (D19).
    """

    period: Period
    tz: str
    start: str
    weekday: Weekday | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """Both limits; None means "no such limit", 0 pauses the queue (D10, D11). At least one is set."""

    max_in_flight: int | None = None
    max_claims_per_window: int | None = None
    window: Window | None = None
