"""A policy in words, also one that was stored long ago and is valid no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switchboard_wire.policy import Policy

NO_LIMIT = "no limit"


def policy_words(policy: Policy | None) -> str:
    """ "at most 5 at once, 100 a day from 00:00 in America/Los_Angeles"."""
    if policy is None:
        return NO_LIMIT
    window = policy.window
    plain = None
    if window is not None:
        weekday = None if window.weekday is None else window.weekday.value
        plain = {"period": window.period.value, "tz": window.tz, "start": window.start, "weekday": weekday}
    return stored_words(
        {
            "max_in_flight": policy.max_in_flight,
            "max_claims_per_window": policy.max_claims_per_window,
            "window": plain,
        }
    )


def stored_words(stored: Mapping[str, Any] | None) -> str:
    """The same of what an audit holds: whatever of it is there."""
    if stored is None:
        return NO_LIMIT
    parts: list[str] = []
    at_once, claims, window = stored.get("max_in_flight"), stored.get("max_claims_per_window"), stored.get("window")
    if at_once is not None:
        parts.append("paused: none at once" if at_once == 0 else f"at most {_number(at_once)} at once")
    if claims is not None:
        parts.append(f"{_number(claims)} claims {_window_words(window)}")
    return ", ".join(parts) or NO_LIMIT


def _window_words(window: object) -> str:
    if not isinstance(window, Mapping):
        return "in a window that is not known"
    period, start, weekday = window.get("period"), window.get("start"), window.get("weekday")
    zone = f"in {window.get('tz') or 'an unknown zone'}"
    if period == "hour":
        return f"an hour from minute {str(start).rpartition(':')[2]} {zone}"
    on = f"on {weekday} " if weekday is not None else ""
    return f"a {period or 'window'} from {on}{start or 'an unknown time'} {zone}"


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
