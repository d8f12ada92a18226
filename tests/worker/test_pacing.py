"""How long a worker waits, on the server's clock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.worker.pacing import away_wait, deferred_wait, idle_wait

NOW = datetime(2026, 11, 2, 7, 59, 50, tzinfo=UTC)
EXHAUSTED = {"reason": "window_exhausted", "exact": True, "next_eligible_at": "2026-11-02T08:00:00Z"}
FULL = {"reason": "in_flight_full", "exact": False, "next_eligible_at": "2026-11-02T08:05:00Z"}
PAUSED = {"reason": "paused", "exact": None, "next_eligible_at": None}


def one() -> float:
    return 1.0


def zero() -> float:
    return 0.0


@pytest.mark.parametrize(("misses", "seconds"), [(1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (5, 5.0), (50, 5.0)])
def test_an_idle_worker_waits_twice_as_long_each_time_up_to_five_seconds(misses: int, seconds: float) -> None:
    assert idle_wait(misses, one) == seconds
    assert idle_wait(misses, zero) == seconds / 2


@pytest.mark.parametrize(
    ("deferred", "seconds"),
    [
        ([EXHAUSTED], 10.0),
        ([EXHAUSTED, PAUSED], 10.0),
        ([EXHAUSTED, FULL], 0.25),
        ([FULL], 0.25),
        ([PAUSED], 30.0),
        ([EXHAUSTED | {"next_eligible_at": "2026-11-03T08:00:00Z"}], 60.0),
        ([EXHAUSTED | {"next_eligible_at": "2026-11-02T07:00:00Z"}], 0.0),
    ],
    ids=["to the boundary", "a pause beside it", "a slot may free", "full", "paused", "at most a minute", "passed"],
)
def test_a_deferred_worker_waits_for_the_boundary_but_never_for_a_hint(
    deferred: list[dict[str, Any]], seconds: float
) -> None:
    assert deferred_wait(deferred, NOW, 1, zero) == seconds


def test_a_pool_does_not_come_back_in_the_same_instant() -> None:
    assert deferred_wait([EXHAUSTED], NOW, 1, one) == 11.0


def test_a_missing_server_is_asked_again_no_sooner_than_it_said() -> None:
    assert away_wait(1, None, one) == 1.0
    assert away_wait(1, 7.0, one) == 7.0
    assert away_wait(50, None, one) == 30.0
