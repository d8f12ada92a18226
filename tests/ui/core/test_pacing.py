"""Floors, cadence, the watchdog, slots and turns."""

from __future__ import annotations

from itertools import pairwise

import pytest

from switchboard_ui.core import events as on
from switchboard_ui.core.query import Floor
from switchboard_ui.core.scheduler_settings import SchedulerSettings

from .rig import NETWORK, Rig, key, terms


@pytest.mark.parametrize(("floor", "seconds"), [(Floor.CACHED, 5.0), (Floor.UNCACHED, 2.0)])
def test_two_reads_of_a_key_are_at_least_its_floor_apart(floor: Floor, seconds: float) -> None:
    rig = Rig()
    rig.loaded("jobs", floor=floor)
    rig.dirty("jobs")
    rig.wait(seconds - 0.01)
    assert rig.sent_at("jobs") == [0.0]
    rig.wait(0.02)
    assert rig.sent_at("jobs") == [0.0, seconds]


def test_the_floor_counts_from_the_end_of_a_slow_read_too() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.wait(15.0)
    rig.dirty("jobs")
    rig.answer("jobs")
    rig.wait(5.0)
    assert rig.sent_at("jobs") == [0.0, 17.0]


def test_an_aborted_read_counts_for_the_floor_from_its_dispatch() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.wait(0.5)
    rig.release("jobs")
    rig.register("jobs")
    assert rig.wait_for("jobs") == 2.0


def test_an_advertised_cache_lifetime_raises_the_floor_of_cached_keys_only() -> None:
    rig = Rig()
    rig.do(on.LifetimeAdvertised(12.0))
    rig.loaded("stats", floor=Floor.CACHED)
    rig.loaded("jobs")
    rig.dirty("stats", "jobs")
    rig.wait(2.0)
    rig.answer("jobs")
    rig.wait(11.0)
    assert rig.sent_at("jobs") == [0.0, 2.0]
    assert rig.sent_at("stats") == [0.0, 12.0]


@pytest.mark.parametrize("nonsense", [0.0, -1.0, float("nan"), float("inf"), 1.0])
def test_an_advertised_lifetime_never_lowers_the_floor(nonsense: float) -> None:
    rig = Rig()
    rig.do(on.LifetimeAdvertised(nonsense))
    rig.loaded("stats", floor=Floor.CACHED)
    rig.dirty("stats")
    rig.wait(6.0)
    assert rig.sent_at("stats") == [0.0, 5.0]


def test_an_absurd_advertised_lifetime_is_cut_to_ten_minutes() -> None:
    rig = Rig()
    rig.do(on.LifetimeAdvertised(1e12))
    rig.loaded("stats", floor=Floor.CACHED)
    rig.dirty("stats")
    rig.wait(601.0)
    assert rig.sent_at("stats") == [0.0, 600.0]


def test_a_key_with_a_cadence_is_read_that_long_after_each_answer() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=5.0)
    rig.wait(5.0)
    rig.wait(3.0)
    rig.answer("jobs")
    rig.wait(5.0)
    assert rig.sent_at("jobs") == [0.0, 5.0, 13.0]


def test_a_cadence_below_the_floor_is_held_to_the_floor() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=0.5)
    rig.wait(3.0)
    assert rig.sent_at("jobs") == [0.0, 2.0]


def test_a_read_for_another_reason_starts_the_cadence_anew() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=10.0)
    rig.wait(8.0)
    rig.refresh("jobs")
    rig.answer("jobs")
    rig.wait(9.9)
    assert rig.sent_at("jobs") == [0.0, 8.0]
    rig.wait(0.2)
    assert rig.sent_at("jobs") == [0.0, 8.0, 18.0]


def test_a_key_without_a_cadence_is_reconciled_30_seconds_after_a_success() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(29.9)
    assert rig.brief("jobs") == ("fresh", "read", "jobs-1")
    rig.wait(0.1)
    assert rig.sent_at("jobs") == [0.0, 30.0]
    assert rig.brief("jobs") == ("stale", "overdue", "jobs-1")
    rig.answer("jobs", "jobs-2")
    assert rig.brief("jobs") == ("fresh", "read", "jobs-2")
    rig.wait(31.0)
    assert rig.sent_at("jobs") == [0.0, 30.0, 60.0]


@pytest.mark.parametrize(("draw", "at"), [(0.0, 27.0), (0.5, 30.0), (0.999999, 33.0)])
def test_the_watchdog_is_spread_over_27_to_33_seconds(draw: float, at: float) -> None:
    rig = Rig(random=lambda: draw)
    rig.loaded("jobs")
    assert rig.wait_for("jobs") == pytest.approx(at, abs=0.001)
    assert rig.now <= SchedulerSettings().watchdog_max == 33.0


def test_each_winding_of_the_watchdog_draws_anew() -> None:
    draws = iter([0.5, 0.0, 0.999999])
    rig = Rig(random=lambda: next(draws))
    rig.loaded("jobs")
    assert rig.wait_for("jobs") == pytest.approx(27.0)
    rig.answer("jobs")
    assert rig.wait_for("jobs") == pytest.approx(60.0, abs=0.001)


def test_a_dirty_mark_does_not_postpone_the_watchdog() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(29.95)
    rig.dirty("jobs")
    assert rig.armed == 30.0
    rig.wait(0.05)
    # The pending mark is all that the watchdog would have asked for.
    assert rig.armed == pytest.approx(30.05)
    rig.wait(0.05)
    assert rig.sent_at("jobs") == [0.0, pytest.approx(30.05)]


def test_a_failed_read_does_not_postpone_the_watchdog() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(28.0)
    rig.refresh("jobs")
    rig.wait(1.0)
    rig.fail("jobs", NETWORK)
    assert rig.brief("jobs")[:2] == ("stale", "network")
    assert rig.armed == 30.0
    rig.wait(1.5)
    # It fired at 30, had nothing to add to the retry that is due at 31, and is not armed again before a success.
    assert rig.armed == 31.0


def test_the_watchdog_fires_while_a_read_hangs_and_starts_no_second_one() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(25.0)
    rig.refresh("jobs")
    rig.wait(5.0)
    assert rig.brief("jobs") == ("stale", "overdue", "jobs-1")
    assert rig.sent_at("jobs") == [0.0, 25.0]
    rig.answer("jobs", "jobs-2")
    rig.wait(20.0)
    assert rig.sent_at("jobs") == [0.0, 25.0]


def test_no_more_than_two_reads_are_under_way() -> None:
    rig = Rig()
    rig.register(*(f"k{n}" for n in range(16)))
    assert rig.in_flight() == ["k0", "k1"]
    rig.answer("k1")
    assert rig.in_flight() == ["k0", "k2"]


def test_keys_take_turns_oldest_demand_first() -> None:
    rig = Rig()
    rig.loaded("a", "b", "c", "d")
    rig.wait(10.0)
    rig.register("slow1", "slow2")
    for name in ("c", "a", "d", "b"):
        rig.dirty(name)
        rig.wait(0.15)
    rig.answer("slow1")
    rig.answer("slow2")
    rig.answer("c")
    rig.answer("a")
    assert [name for _, name in rig.sent[-4:]] == ["c", "a", "d", "b"]


def test_a_key_that_is_always_dirty_does_not_starve_the_others() -> None:
    rig = Rig()
    names = [f"k{n}" for n in range(16)]
    rig.register(*names)
    for _ in range(200):
        rig.dirty("k0", "k1")
        for name in rig.in_flight():
            rig.answer(name)
        rig.wait(0.5)
    for name in names[2:]:
        assert len(rig.sent_at(name)) >= 3, name


def test_20_second_answers_with_a_5_second_cadence_and_16_keys_stay_bounded_and_recover() -> None:
    rig = Rig(SchedulerSettings(client_deadline=25.0))
    names = [f"k{n}" for n in range(16)]
    rig.register(*names, floor=Floor.CACHED, cadence=5.0)
    sent = {name: rig.sent_at(name) for name in names}
    while rig.now < 1600.0:
        rig.wait(1.0)
        for flight in list(rig.flying.values()):
            if rig.now >= flight.expires_at - 5.0:
                rig.answer(flight.attempt.key.scope)
    for name in names:
        sent[name] = rig.sent_at(name)
        gaps = [later - earlier for earlier, later in pairwise(sent[name])]
        # 16 keys of 20 s through two slots: each comes round every 160 s, in turn.
        assert max(gaps) <= 165.0, name
        assert len(sent[name]) >= 9, name
    # The server recovers: within one round and a cadence everything is fresh.
    for _ in range(200):
        rig.wait(0.1)
        for name in rig.in_flight():
            rig.answer(name)
    assert {rig.brief(name)[0] for name in names} == {"fresh"}


def test_the_one_timer_is_set_to_the_earliest_instant_of_all_keys() -> None:
    rig = Rig()
    rig.loaded("slow", cadence=20.0)
    rig.loaded("quick", cadence=6.0)
    rig.loaded("plain")
    assert rig.armed == 6.0
    rig.release("quick")
    assert rig.armed == 20.0
    rig.dirty("plain")
    assert rig.armed == 2.0


def test_a_timer_that_fires_early_is_armed_again_and_reads_nothing() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=5.0)
    rig.wait(4.9999)
    rig.armed = None
    rig.do(on.Tick())
    assert rig.armed == 5.0
    assert rig.sent_at("jobs") == [0.0]


def test_a_clock_that_steps_back_does_not_disturb_the_order_of_things() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    rig.dirty("jobs")
    effects = rig.scheduler.step(on.Register(key("other"), terms("other")), 3.0)
    assert effects[0].expires_at == 30.0  # type: ignore[union-attr]
