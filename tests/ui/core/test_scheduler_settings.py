"""The bounds cannot be configured away."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from switchboard_ui.core.scheduler_settings import SchedulerSettings

NAMES = [field.name for field in fields(SchedulerSettings)]


def test_the_defaults_are_those_of_the_observation_contract() -> None:
    s = SchedulerSettings()
    assert (s.max_keys, s.max_in_flight) == (16, 2)
    assert (s.debounce, s.debounce_max) == (0.1, 0.5)
    assert (s.cached_floor, s.uncached_floor) == (5.0, 2.0)
    assert (s.watchdog, s.client_deadline, s.server_deadline) == (30.0, 20.0, 15.0)
    assert (s.backoff_max, s.reprobe, s.retry_after_max) == (60.0, 60.0, 300.0)
    assert (s.watchdog_min, s.watchdog_max) == (27.0, 33.0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), 1e9, True, "20", None])
def test_zero_unlimited_and_nonsense_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be "):
        SchedulerSettings(**{name: value})


@pytest.mark.parametrize("name", ["max_keys", "max_in_flight", "kept_keys"])
def test_counts_are_whole_numbers(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number"):
        SchedulerSettings(**{name: 2.0})  # type: ignore[arg-type]


@pytest.mark.parametrize("client", [15.0, 14.0])
def test_the_client_deadline_exceeds_the_servers(client: float) -> None:
    with pytest.raises(ValueError, match=r"client_deadline .* must exceed server_deadline \(15.0\)"):
        SchedulerSettings(client_deadline=client)


def test_pairs_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match=r"debounce .* exceeds debounce_max"):
        SchedulerSettings(debounce=0.6)
    with pytest.raises(ValueError, match=r"backoff_first .* exceeds backoff_max"):
        SchedulerSettings(backoff_first=30.0, backoff_max=20.0)
