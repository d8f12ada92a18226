"""Active keys: the first read, the cap, release and return."""

from __future__ import annotations

from switchboard_ui.core import events as on
from switchboard_ui.core.effects import Abort, Arm, Dispatch, Mark, Reject
from switchboard_ui.core.query import Floor
from switchboard_ui.core.scheduler_settings import SchedulerSettings

from .rig import NETWORK, SIGNED_OUT, Rig, decoded, key, only, terms


def test_a_registered_key_is_read_at_once_under_a_deadline_of_20_seconds() -> None:
    rig = Rig()
    effects = rig.do(on.Register(key("jobs"), terms()))
    (dispatch,) = only(effects, Dispatch)
    assert dispatch.attempt.key == key("jobs")
    assert dispatch.expires_at == 20.0
    assert only(effects, Arm) == [Arm(20.0)]
    assert rig.brief("jobs") == ("loading", "first_read", None)
    assert rig.see("jobs").refreshing


def test_its_watchdog_runs_from_registration_even_if_the_first_read_never_succeeds_in_time() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.wait(19.0)
    rig.answer("jobs")
    rig.wait(29.9)
    assert rig.sent_at("jobs") == [0.0]
    rig.wait(0.2)
    assert rig.sent_at("jobs") == [0.0, 49.0]


def test_without_active_keys_there_is_neither_a_read_nor_a_timer() -> None:
    rig = Rig()
    assert rig.armed is None
    rig.register("jobs", cadence=5.0)
    rig.release("jobs")
    assert rig.armed is None
    rig.wait(600.0)
    assert rig.sent == [(0.0, "jobs")]


def test_the_17th_key_is_refused_and_the_16_stay() -> None:
    rig = Rig()
    rig.register(*(f"k{n}" for n in range(16)))
    effects = rig.do(on.Register(key("k16"), terms()))
    assert effects == [Reject(key("k16"), 16)]
    assert rig.scheduler.keys == tuple(key(f"k{n}") for n in range(16))


def test_a_released_key_makes_room_for_another() -> None:
    rig = Rig()
    rig.register(*(f"k{n}" for n in range(16)))
    rig.release("k3")
    rig.register("k16")
    assert key("k16") in rig.scheduler.keys
    assert len(rig.scheduler.keys) == 16


def test_a_key_registered_again_while_active_changes_its_terms_and_is_not_read_again() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    rig.do(on.Register(key("jobs"), terms("jobs", cadence=5.0)))
    assert rig.sent_at("jobs") == [0.0]
    rig.wait(60.0)
    assert rig.sent_at("jobs")[1] == 30.0
    rig.answer("jobs")
    rig.wait(5.0)
    assert rig.sent_at("jobs")[-1] == 75.0


def test_a_manual_key_that_becomes_automatic_is_reconciled_from_then_on() -> None:
    rig = Rig()
    rig.loaded("count", manual=True)
    rig.wait(100.0)
    rig.do(on.Register(key("count"), terms("count")))
    assert rig.sent_at("count") == [0.0, 100.0]


def test_release_aborts_the_read_and_drops_the_demand_of_this_key_only() -> None:
    rig = Rig()
    rig.register("jobs", "queues")
    attempt = rig.flying[key("jobs")].attempt
    effects = rig.release("jobs")
    assert only(effects, Abort) == [Abort(attempt)]
    assert rig.in_flight() == ["queues"]
    assert rig.do(on.Arrived(attempt, decoded("late"))) == []
    assert rig.see("jobs").data is None


def test_release_of_a_key_keeps_the_pending_demand_of_the_others() -> None:
    rig = Rig()
    rig.loaded("jobs", "queues")
    rig.dirty("jobs", "queues")
    rig.release("jobs")
    rig.wait(5.0)
    assert rig.sent_at("queues") == [0.0, 2.0]
    assert rig.sent_at("jobs") == [0.0]


def test_leaving_a_view_and_coming_back_shows_the_kept_data_as_stale_and_reads_again() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    rig.release("jobs")
    rig.wait(50.0)
    assert rig.brief("jobs") == ("stale", "kept", "jobs-1")
    effects = rig.do(on.Register(key("jobs"), terms("jobs")))
    assert only(effects, Mark)[0].observation.data == "jobs-1"
    assert rig.brief("jobs") == ("stale", "kept", "jobs-1")
    assert rig.sent_at("jobs") == [0.0, 60.0]
    rig.answer("jobs", "jobs-2")
    assert rig.brief("jobs") == ("fresh", "read", "jobs-2")


def test_coming_back_at_once_does_not_skip_the_floor() -> None:
    rig = Rig()
    rig.loaded("jobs", floor=Floor.CACHED)
    rig.wait(1.0)
    rig.release("jobs")
    rig.register("jobs", floor=Floor.CACHED)
    rig.wait(3.9)
    assert rig.sent_at("jobs") == [0.0]
    rig.wait(0.2)
    assert rig.sent_at("jobs") == [0.0, 5.0]


def test_coming_back_does_not_skip_the_backoff() -> None:
    rig = Rig()
    rig.register("jobs")
    for _ in range(4):
        rig.wait_for("jobs")
        rig.fail("jobs", NETWORK)
    failed_at = rig.now
    rig.release("jobs")
    rig.register("jobs")
    assert rig.in_flight() == []
    rig.wait(13.0)
    # The fourth failure in a row: three quarters of 16 s.
    assert rig.sent_at("jobs")[-1] == failed_at + 12.0


def test_a_view_that_is_left_for_longer_than_5_minutes_is_forgotten() -> None:
    rig = Rig()
    rig.loaded("jobs", "other")
    rig.release("jobs")
    rig.wait(300.0)
    rig.register("jobs")
    assert rig.brief("jobs") == ("loading", "first_read", None)


def test_no_more_than_the_configured_number_of_released_keys_is_remembered() -> None:
    rig = Rig(SchedulerSettings(kept_keys=2))
    for name in ("a", "b", "c"):
        rig.loaded(name)
        rig.release(name)
    assert [rig.see(name).data for name in ("a", "b", "c")] == [None, "b-1", "c-1"]


def test_kept_data_goes_when_the_session_is_lost() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.release("jobs")
    rig.register("queues")
    rig.fail("queues", SIGNED_OUT)
    assert rig.see("jobs").data is None


def test_a_filter_typed_quickly_leaves_only_the_last_key_in_flight() -> None:
    rig = Rig()
    for text in ("j", "jo", "job"):
        rig.register(text)
        rig.release(text)
    rig.register("jobs")
    assert rig.in_flight() == ["jobs"]


def test_events_for_a_key_that_is_not_active_do_nothing() -> None:
    rig = Rig()
    absent = key("absent")
    for event in (
        on.Release(absent),
        on.MarkDirty((absent,)),
        on.ManualRefresh(absent),
        on.Pause(absent, on.PauseCause.SELECTION),
        on.Resume(absent, on.PauseCause.SELECTION),
    ):
        assert rig.do(event) == []
