"""An observation's trust in words (observation contract): fresh, stale, paused, unsupported, error, signed out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from switchboard_ui.core.key_state import Cause
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.outcomes import FailureKind
from switchboard_ui.core.zoned_time import age_text, viewer_zone

_WORST_LAST = (
    State.FRESH,
    State.PAUSED,
    State.LOADING,
    State.STALE,
    State.ERROR,
    State.UNSUPPORTED,
    State.SIGNED_OUT,
)
_FAILURES = {
    FailureKind.NETWORK: "the server cannot be reached",
    FailureKind.DEADLINE: "the server did not answer in time",
    FailureKind.OVERLOADED: "the server is overloaded",
    FailureKind.SERVER_ERROR: "the server had an error",
    FailureKind.FORBIDDEN: "the server does not allow this read",
    FailureKind.INVALID: "the server refused this read",
    FailureKind.GONE: "it is no longer there",
    FailureKind.REDIRECTED: "it sent the page elsewhere",
    FailureKind.NOT_JSON: "it answered with something else than data",
    FailureKind.ROUTE_ABSENT: "it does not know this read",
    FailureKind.WRONG_VERSION: "it speaks another version of this read",
    FailureKind.MALFORMED: "its answer is not what this page can read",
}
_CAUSES = {
    Cause.CHANGED: "something was changed here since",
    Cause.OVERDUE: "no answer for a while",
    Cause.RESUMED: "updates were stopped for a while",
    Cause.KEPT: "read on an earlier visit",
    Cause.OVER_CAP: "too many views are open",
}


@dataclass(frozen=True, slots=True)
class FreshnessView:
    """`text` is a whole sentence or two; `link` an address with its words.

    `trouble`: something keeps the figures from being read, which a listener must hear of.
    """

    state: str
    text: str
    link: tuple[str, str] | None = None
    trouble: bool = False


def reading(what: str) -> FreshnessView:
    """Before the first answer. `what` is read: "the board", "the todos"."""
    return FreshnessView("loading", f"Reading {what}…")


def is_or_are(what: str) -> str:
    return "are" if what.endswith("s") else "is"


def freshness_view(
    observations: Sequence[Observation[Any]], what: str, viewer: str, now: float, wall: datetime
) -> FreshnessView:
    """Of several reads shown together the least trustworthy speaks, and the oldest gives the age."""
    worst = max(observations, key=lambda one: _WORST_LAST.index(one.state))
    ages = [age for one in observations if (age := one.age(now)) is not None]
    known = _as_of(observations, viewer, wall) + (f", {age_text(max(ages))}" if ages else "")
    reason = _reason(worst)
    trouble = worst.failure is not None
    match worst.state:
        case State.LOADING:
            return reading(what)
        case State.FRESH:
            return FreshnessView("fresh", f"Up to date{known}.")
        case State.PAUSED:
            return FreshnessView("paused", f"Updates are paused. Shown{known}.")
        case State.STALE:
            return FreshnessView("stale", f"Stale: {reason}. Shown{known}.{_next(worst, now)}", trouble=trouble)
        case State.ERROR if ages:
            return FreshnessView("error", f"Not updated: {reason}. Shown{known}.{_next(worst, now)}", trouble=True)
        case State.ERROR:
            return FreshnessView(
                "error", f"{what[0].upper()}{what[1:]} could not be read: {reason}.{_next(worst, now)}", trouble=True
            )
        case State.UNSUPPORTED:
            text = f"This server does not support what the page asks for: {reason}.{_next(worst, now)}"
            return FreshnessView("unsupported", text, trouble=True)
        case State.SIGNED_OUT:
            return FreshnessView("signed_out", "You are signed out.", ("/sign-in", "Sign in"), trouble=True)


def _as_of(observations: Sequence[Observation[Any]], viewer: str, wall: datetime) -> str:
    times = [one.observed_at for one in observations if one.observed_at is not None]
    if not times:
        return ""
    local = min(times).astimezone(viewer_zone(viewer))
    day = "" if local.date() == wall.astimezone(viewer_zone(viewer)).date() else f"{local:%d %b} "
    return f" as of {day}{local:%H:%M:%S}"


def _reason(observation: Observation[Any]) -> str:
    failure = observation.failure
    if failure is not None:
        words = _FAILURES.get(failure.kind, "the read failed")
        told = failure.kind is FailureKind.INVALID and failure.message
        return f"{words}: {failure.message.removesuffix('.')}" if told else words
    cause = observation.reason
    return _CAUSES.get(cause, "not read yet") if isinstance(cause, Cause) else "not read yet"


def _next(observation: Observation[Any], now: float) -> str:
    if observation.next_attempt_at is None:
        return ""
    seconds = int(observation.next_attempt_at - now)
    return " Trying again." if seconds <= 1 else f" Trying again in about {seconds} s."
