"""The age of data, and that it compares no two clocks."""

from __future__ import annotations

from datetime import UTC, datetime

from switchboard_ui.core import events as on
from switchboard_ui.core.observation import NOT_READ, OVER_CAP
from switchboard_ui.core.outcomes import Decoded

from .rig import NOON, Rig, key


def test_the_age_is_the_cache_age_and_the_time_since_arrival() -> None:
    rig = Rig()
    rig.wait(100.0)
    rig.register("stats")
    rig.wait(3.0)
    rig.answer("stats", "s", cache_age_ms=4200)
    assert rig.see("stats").age(103.0) == 4.2
    assert rig.see("stats").age(108.5) == 9.7


def test_a_server_clock_that_is_years_off_changes_no_age() -> None:
    rig = Rig()
    rig.register("stats")
    far = datetime(1999, 1, 1, tzinfo=UTC)
    rig.do(on.Arrived(rig.flying[key("stats")].attempt, Decoded("s", far, far, 0)))
    seen = rig.see("stats")
    assert (seen.observed_at, seen.served_at) == (far, far)
    assert seen.age(2.0) == 2.0


def test_an_age_is_never_negative() -> None:
    rig = Rig()
    rig.wait(10.0)
    rig.loaded("stats")
    assert rig.see("stats").age(9.0) == 0.0


def test_without_data_there_is_no_age_and_no_instant() -> None:
    assert (NOT_READ.age(5.0), NOT_READ.observed_at, NOT_READ.data) == (None, None, None)
    assert (OVER_CAP.state, OVER_CAP.reason, OVER_CAP.data) == ("error", "over_cap", None)


def test_an_observation_carries_the_instants_of_the_answer() -> None:
    rig = Rig()
    rig.wait(7.0)
    rig.loaded("stats")
    seen = rig.see("stats")
    assert (seen.received_at, seen.observed_at, seen.served_at, seen.cache_age_ms) == (7.0, NOON, NOON, 0)


def test_a_key_that_nobody_registered_is_loading() -> None:
    assert Rig().see("jobs") == NOT_READ


def test_data_that_is_empty_is_data() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.answer("jobs", [])
    assert rig.brief("jobs") == ("fresh", "read", [])
    assert rig.see("jobs").received_at == 0.0
