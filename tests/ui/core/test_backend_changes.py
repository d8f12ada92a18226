"""Another database behind the same address."""

from __future__ import annotations

from switchboard_ui.core import events as on
from switchboard_ui.core.backend_identity import BackendIdentity
from switchboard_ui.core.effects import Abort, Mark

from .rig import ABSENT, FORBIDDEN, INVALID, OVERLOADED, SIGNED_OUT, Rig, decoded, key, only


def test_data_of_another_backend_goes_and_every_key_is_read_anew() -> None:
    rig = Rig()
    rig.loaded("jobs", "queues")
    rig.loaded("count", manual=True)
    rig.wait(10.0)
    effects = rig.do(on.BackendChanged())
    assert {mark.key.scope: mark.observation.data for mark in only(effects, Mark)} == {
        "jobs": None,
        "queues": None,
        "count": None,
    }
    assert rig.brief("jobs") == ("loading", "first_read", None)
    assert rig.in_flight() == ["jobs", "queues"]
    rig.answer("jobs")
    assert rig.in_flight() == ["count", "queues"]


def test_an_answer_of_the_earlier_backend_is_void() -> None:
    rig = Rig()
    rig.register("jobs")
    old = rig.flying[key("jobs")].attempt
    effects = rig.do(on.BackendChanged())
    assert only(effects, Abort) == [Abort(old)]
    assert rig.do(on.Arrived(old, decoded("of the other database"))) == []
    rig.wait_for("jobs")
    assert rig.do(on.Arrived(old, decoded("of the other database"))) == []
    assert rig.flying[key("jobs")].attempt.backend_epoch == old.backend_epoch + 1
    assert rig.see("jobs").data is None


def test_cooldown_stops_absent_routes_and_session_were_the_earlier_backends() -> None:
    rig = Rig()
    rig.register("busy", "invalid")
    rig.fail("invalid", INVALID)
    rig.register("absent")
    rig.fail("absent", ABSENT)
    rig.fail("busy", OVERLOADED)
    rig.wait(3.0)
    assert rig.in_flight() == []
    rig.do(on.BackendChanged())
    assert rig.in_flight() == ["busy", "invalid"]
    rig.answer("busy")
    assert rig.in_flight() == ["absent", "invalid"]
    rig.fail("invalid", SIGNED_OUT)
    rig.wait(3.0)
    rig.do(on.BackendChanged())
    assert rig.in_flight() == ["absent", "invalid"]


def test_the_floor_holds_across_backends_so_that_two_that_alternate_cause_no_loop() -> None:
    rig = Rig()
    rig.loaded("jobs")
    for _ in range(100):
        rig.do(on.BackendChanged())
        rig.wait(0.1)
        if rig.flying:
            rig.answer("jobs")
    assert len(rig.sent) <= 6


def test_kept_data_of_the_earlier_backend_goes() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.release("jobs")
    rig.do(on.BackendChanged())
    assert rig.see("jobs").data is None


def test_the_watchdog_is_wound_as_at_registration() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(29.0)
    rig.do(on.BackendChanged())
    rig.wait(10.0)
    rig.answer("jobs")
    assert rig.armed == 69.0


def test_only_the_database_part_decides_that_the_backend_is_another() -> None:
    known = BackendIdentity("db-1", "process-1")
    assert not BackendIdentity("db-1", "process-2").replaces(known)
    assert BackendIdentity("db-2", "process-1").replaces(known)
    assert not BackendIdentity("db-1", "process-1").replaces(None)


def test_the_floor_of_a_released_key_holds_across_backends_too() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.release("jobs")
    rig.do(on.BackendChanged())
    rig.register("jobs")
    assert rig.wait_for("jobs") == 2.0


def test_what_an_earlier_session_was_refused_is_not_remembered_for_the_next() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.fail("jobs", FORBIDDEN)
    rig.release("jobs")
    assert rig.brief("jobs")[:2] == ("error", "forbidden")
    rig.do(on.CredentialsChanged())
    assert rig.brief("jobs")[:2] == ("loading", "first_read")
