"""An observation's trust in words (observation contract): fresh, stale, paused, unsupported, error, signed out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
}


@dataclass(frozen=True, slots=True)
class FreshnessView:
    """`text` is a whole sentence or two; `link` an address with its words."""

    state: str
    text: str
    link: tuple[str, str] | None = None


READING = FreshnessView("loading", "Reading the board…")


def freshness_view(observations: Sequence[Observation[Any]], viewer: str, now: float, wall: datetime) -> FreshnessView:
    """Of several reads shown together the least trustworthy speaks, and the oldest gives the age."""
    worst = max(observations, key=lambda one: _WORST_LAST.index(one.state))
    ages = [age for one in observations if (age := one.age(now)) is not None]
    known = _as_of(observations, viewer, wall) + (f", {age_text(max(ages))}" if ages else "")
    reason = _reason(worst)
    match worst.state:
        case State.LOADING:
            return READING
        case State.FRESH:
            return FreshnessView("fresh", f"Up to date{known}.")
        case State.PAUSED:
            return FreshnessView("paused", f"Updates are paused. Shown{known}.")
        case State.STALE:
            return FreshnessView("stale", f"Stale: {reason}. Shown{known}.{_next(worst, now)}")
        case State.ERROR if ages:
            return FreshnessView("error", f"Not updated: {reason}. Shown{known}.{_next(worst, now)}")
        case State.ERROR:
            return FreshnessView("error", f"The board could not be read: {reason}.{_next(worst, now)}")
        case State.UNSUPPORTED:
            return FreshnessView(
                "unsupported", f"This server does not support what the page asks for ({reason}).{_next(worst, now)}"
            )
        case State.SIGNED_OUT:
            return FreshnessView("signed_out", "You are signed out.", ("/sign-in", "Sign in"))


def _as_of(observations: Sequence[Observation[Any]], viewer: str, wall: datetime) -> str:
    times = [one.observed_at for one in observations if one.observed_at is not None]
    if not times:
        return ""
    local = min(times).astimezone(viewer_zone(viewer))
    day = "" if local.date() == wall.astimezone(viewer_zone(viewer)).date() else f"{local:%d %b} "
    return f" as of {day}{local:%H:%M:%S}"


def _reason(observation: Observation[Any]) -> str:
    failure = observation.failure
    if failure is None:
        return str(observation.reason).replace("_", " ")
    return _FAILURES.get(failure.kind, str(failure.kind).replace("_", " "))


def _next(observation: Observation[Any], now: float) -> str:
    if observation.next_attempt_at is None:
        return ""
    seconds = int(observation.next_attempt_at - now)
    return " Trying again." if seconds <= 1 else f" Trying again in about {seconds} s."
