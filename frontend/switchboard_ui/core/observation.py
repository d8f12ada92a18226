"""What a view reads for one key: the data, its age, and in words of a closed list how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

from switchboard_ui.core.backend_state import BackendState
from switchboard_ui.core.demand import Strength
from switchboard_ui.core.eligibility import due
from switchboard_ui.core.events import PauseCause
from switchboard_ui.core.key_state import NEVER, Cause, KeyState
from switchboard_ui.core.outcomes import Consequence, Failure, FailureKind

T = TypeVar("T")
Reason: TypeAlias = Cause | PauseCause | FailureKind


class State(StrEnum):
    """How far the data can be trusted; each is worded differently on screen."""

    LOADING = "loading"
    FRESH = "fresh"
    STALE = "stale"
    PAUSED = "paused"
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    SIGNED_OUT = "signed_out"


@dataclass(frozen=True, slots=True)
class Observation(Generic[T]):
    """`observed_at` and `served_at` are the server's clock; `received_at` and `next_attempt_at` are monotonic seconds.

    `failure` is the last attempt's, `failures` how many in a row were worth a retry. `next_attempt_at` is set while
    the next read waits out something longer than a debounce, and is past while it waits for its turn.
    `refreshing`: a read that the view or the operator asked for waits or runs (routine reads stay silent).
    """

    state: State
    reason: Reason
    received_at: float | None = None
    observed_at: datetime | None = None
    served_at: datetime | None = None
    cache_age_ms: int | None = None
    failure: Failure | None = None
    failures: int = 0
    next_attempt_at: float | None = None
    refreshing: bool = False
    data: T | None = None

    def age(self, now: float) -> float | None:
        """Seconds since the data was true: its age in the cache when served, and the time since it arrived.

        Neither part compares the server's clock with ours. None without data.
        """
        if self.received_at is None or self.cache_age_ms is None:
            return None
        return self.cache_age_ms / 1000 + max(0.0, now - self.received_at)


NOT_READ: Observation[Any] = Observation(State.LOADING, Cause.FIRST_READ)
OVER_CAP: Observation[Any] = Observation(State.ERROR, Cause.OVER_CAP)


def observe(state: KeyState, backend: BackendState) -> Observation[Any]:
    """The key as a view sees it now. Changes only when the scheduler steps."""
    shown, reason, failure = _judge(state, backend)
    received = state.received
    return Observation(
        state=shown,
        reason=reason,
        received_at=None if received is None else received.at,
        observed_at=None if received is None else received.decoded.observed_at,
        served_at=None if received is None else received.decoded.served_at,
        cache_age_ms=None if received is None else received.decoded.cache_age_ms,
        failure=failure,
        failures=state.failures,
        next_attempt_at=None if shown is State.FRESH else _next_attempt(state, backend),
        refreshing=_refreshing(state),
        data=None if received is None else received.decoded.data,
    )


def _judge(state: KeyState, backend: BackendState) -> tuple[State, Reason, Failure | None]:
    failure = state.failure
    if backend.signed_out:
        return State.SIGNED_OUT, FailureKind.SIGNED_OUT, failure
    if failure is not None and failure.kind.unsupported:
        return State.UNSUPPORTED, failure.kind, failure
    if failure is not None and failure.kind.consequence is not Consequence.RETRY:
        return State.ERROR, failure.kind, failure
    if state.pauses and not (state.received is None and _refreshing(state)):
        return State.PAUSED, min(state.pauses), failure
    absent = backend.absent.get(state.terms.route)
    if absent is not None:
        return State.UNSUPPORTED, absent.failure.kind, absent.failure
    if failure is not None:
        return (State.ERROR if state.received is None else State.STALE), failure.kind, failure
    if state.received is None:
        return State.LOADING, Cause.FIRST_READ, None
    if state.stale is not None:
        return State.STALE, state.stale, None
    if state.overdue:
        return State.STALE, Cause.OVERDUE, None
    return State.FRESH, Cause.READ, None


def _next_attempt(state: KeyState, backend: BackendState) -> float | None:
    if state.flight is not None or not state.demand.pending:
        return None
    at = due(state, backend)
    return at if state.demand.ready_at < at < NEVER else None


def _refreshing(state: KeyState) -> bool:
    if state.demand.pending and state.demand.strength >= Strength.FIRST:
        return True
    return state.flight is not None and state.flight.captured.strength >= Strength.FIRST
