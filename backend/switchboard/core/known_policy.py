"""A stored policy as this process knows it: evaluated against the zone database, or faulty (SPEC-0030 REQ-9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from switchboard_wire.errors import SwitchboardError, invalid
from switchboard_wire.operator import decode_policy
from switchboard_wire.policy import Policy

from .windows import Interval, InvalidWindow, definition, window_at
from .zones import UnknownZone

NO_POLICY_VERSION = 0


@dataclass(frozen=True, slots=True)
class PolicyColumns:
    """The columns of `policies` as they stand, valid or not. version 0: no policy."""

    version: int
    max_in_flight: int | None = None
    max_claims_per_window: int | None = None
    window_period: str | None = None
    window_tz: str | None = None
    window_start: str | None = None
    window_weekday: str | None = None


@dataclass(frozen=True, slots=True)
class KnownPolicy:
    """One version of one queue's policy. `fault` says why it cannot be evaluated; `policy` is None then.

    `interval` and `definition` are set when a window limit stands: the window that held the instant of evaluation.
    """

    queue_id: int
    version: int
    policy: Policy | None = None
    fault: str | None = None
    definition: str | None = None
    interval: Interval | None = None


def evaluate(queue_id: int, columns: PolicyColumns, at: datetime) -> KnownPolicy:
    """The policy with its window at `at`. Never raises for what is stored: a row that cannot be read is a fault."""
    if columns.version == NO_POLICY_VERSION:
        return KnownPolicy(queue_id, NO_POLICY_VERSION)
    try:
        policy = validated(_policy(columns))
        if policy.window is None:
            return KnownPolicy(queue_id, columns.version, policy)
        return KnownPolicy(
            queue_id, columns.version, policy, None, definition(policy.window), window_at(policy.window, at)
        )
    except SwitchboardError as error:
        return KnownPolicy(queue_id, columns.version, fault=f"{error.field}: {error.message}")
    except (ValueError, OverflowError) as error:
        return KnownPolicy(queue_id, columns.version, fault=f"window: {error}")


def _policy(columns: PolicyColumns) -> Policy:
    return decode_policy(as_stored(columns))


def validated(policy: Policy) -> Policy:
    """The policy, when its window can be evaluated. Raises SwitchboardError(invalid_argument) naming the field."""
    if policy.window is not None:
        try:
            definition(policy.window)
        except UnknownZone as error:
            raise invalid(
                "window.tz", f"{policy.window.tz!r} is not a zone of the IANA database, such as America/Los_Angeles."
            ) from error
        except InvalidWindow as error:
            raise invalid(f"window.{error.field}", "Give a time of day as HH:MM, from 00:00 to 23:59.") from error
    return policy


def columns_of(policy: Policy) -> dict[str, Any]:
    """The policy as column values."""
    window = policy.window
    return {
        "max_in_flight": policy.max_in_flight,
        "max_claims_per_window": policy.max_claims_per_window,
        "window_period": None if window is None else window.period.value,
        "window_tz": None if window is None else window.tz,
        "window_start": None if window is None else window.start,
        "window_weekday": None if window is None or window.weekday is None else window.weekday.value,
    }


def as_stored(columns: PolicyColumns) -> dict[str, Any]:
    """A stored policy, valid or not, in the shape that it has on the wire; the audit keeps it so."""
    window = {
        "period": columns.window_period,
        "tz": columns.window_tz,
        "start": columns.window_start,
        "weekday": columns.window_weekday,
    }
    return {
        "max_in_flight": columns.max_in_flight,
        "max_claims_per_window": columns.max_claims_per_window,
        "window": None if all(part is None for part in window.values()) else window,
    }
