"""All that the scheduler knows about one key."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from switchboard_ui.core.demand import Captured, Demand
from switchboard_ui.core.events import Attempt, PauseCause
from switchboard_ui.core.outcomes import Decoded, Failure, FailureKind
from switchboard_ui.core.query import QueryKey, Terms

NEVER = float("inf")
LONG_AGO = float("-inf")


class Cause(StrEnum):
    """Why an observation is as it is when neither a failure nor a pause says so."""

    FIRST_READ = "first_read"
    READ = "read"
    CHANGED = "changed"
    """Something was changed here that the data does not show yet."""
    OVERDUE = "overdue"
    """No read succeeded within the watchdog's time."""
    RESUMED = "resumed"
    """The view was not kept up to date for a while."""
    KEPT = "kept"
    """Data of an earlier visit to this view."""
    OVER_CAP = "over_cap"
    """Too many views are active; this one is not read."""


@dataclass(frozen=True, slots=True)
class Flight:
    """A read under way. `expires_at` is a monotonic instant that nothing moves."""

    attempt: Attempt
    expires_at: float
    captured: Captured


@dataclass(frozen=True, slots=True)
class Received:
    """The last accepted data and the monotonic instant of its arrival."""

    decoded: Decoded[Any]
    at: float


@dataclass(slots=True)
class KeyState:
    """One active (or remembered) key. All instants are monotonic seconds."""

    key: QueryKey
    terms: Terms
    ordinal: int
    demand: Demand = field(default_factory=Demand)
    flight: Flight | None = None
    last_serial: int = 0
    """Of the last read that was sent, 0 before the first."""
    received: Received | None = None
    floor_at: float = LONG_AGO
    """No read before this: least pause between two reads."""
    retry_at: float = LONG_AGO
    """No read before this: backoff after failures."""
    reprobe_at: float = LONG_AGO
    """No read before this unless asked for: the answer was not usable, or the row gone."""
    periodic_at: float = NEVER
    watchdog_at: float = NEVER
    """Set on registration and by success; nothing else moves it."""
    overdue: bool = False
    """The watchdog has fired since the last success."""
    failures: int = 0
    """Failed attempts in a row that are worth a retry."""
    failure: Failure | None = None
    """How the last attempt failed, None after a success."""
    stopped: bool = False
    """The last failure forbids further automatic attempts."""
    pauses: set[PauseCause] = field(default_factory=set)
    stale: Cause | None = None
    stale_since: int = 0
    """The demand generation that a read must have captured to make the data fresh again."""

    def outdate(self, cause: Cause) -> None:
        """What is shown is outdated until a read that starts after this moment succeeds."""
        self.stale = cause
        self.stale_since = self.demand.touch()

    def forget_data(self) -> None:
        """Show nothing any more."""
        self.received = None
        self.stale = None

    def forget_refusal(self) -> None:
        """Other credentials: what the earlier ones were refused may be asked for again."""
        if self.failure is not None and self.failure.kind in (FailureKind.FORBIDDEN, FailureKind.SIGNED_OUT):
            self.failure = None
            self.stopped = False

    def forget_failures(self) -> None:
        """A success, or another backend: nothing stands against the next read but the floor."""
        self.failures = 0
        self.failure = None
        self.stopped = False
        self.retry_at = LONG_AGO
        self.reprobe_at = LONG_AGO
