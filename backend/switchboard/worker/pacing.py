"""How long a worker waits when there was nothing to claim: pure, in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from switchboard_wire.instants import parse_instant

IDLE_FIRST, IDLE_MAX = 0.5, 5.0
DEFERRED_MAX = 60.0
AWAY_FIRST, AWAY_MAX = 1.0, 30.0


def idle_wait(misses: int, random: Callable[[], float]) -> float:
    """After the `misses`-th empty answer in a row (1-based): doubling to a bound, half of it jitter."""
    bound = min(IDLE_FIRST * (1 << min(misses - 1, 10)), IDLE_MAX)
    return bound * (0.5 + random() / 2)


def away_wait(failures: int, retry_after: float | None, random: Callable[[], float]) -> float:
    """After the `failures`-th missing answer in a row: at least what the server asked for."""
    bound = min(AWAY_FIRST * (1 << min(failures - 1, 10)), AWAY_MAX)
    return max(bound * (0.5 + random() / 2), retry_after or 0.0)


def deferred_wait(
    deferred: Sequence[dict[str, Any]], server_time: datetime | None, misses: int, random: Callable[[], float]
) -> float:
    """When every queue with work defers it: until the first exact time, else like idle, since a slot may free any time.

    A hint (`exact` false) is not waited for; a pause is looked at again within DEFERRED_MAX.
    """
    exact = [parse_instant(entry["next_eligible_at"]) for entry in deferred if entry.get("exact")]
    inexact = any(not entry.get("exact") and entry["reason"] == "in_flight_full" for entry in deferred)
    if inexact or server_time is None:
        return idle_wait(misses, random)
    if not exact:
        return DEFERRED_MAX * (0.5 + random() / 2)
    # The Date header has whole seconds, cut; a spread after the boundary keeps a pool from coming at once.
    return min(max((min(exact) - server_time).total_seconds(), 0.0) + random(), DEFERRED_MAX)
