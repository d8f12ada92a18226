"""Views with a selection, updates paused by hand, and counts that are read on request only."""

from __future__ import annotations

import pytest

from switchboard_ui.core import events as on
from switchboard_ui.core.effects import Abort, Publish
from switchboard_ui.core.events import PauseCause
from switchboard_ui.core.outcomes import Failure

from .rig import ABSENT, INVALID, NETWORK, Rig, decoded, key, only, terms


def pause(rig: Rig, name: str = "jobs", cause: PauseCause = PauseCause.SELECTION) -> None:
    rig.do(on.Pause(key(name), cause))


def resume(rig: Rig, name: str = "jobs", cause: PauseCause = PauseCause.SELECTION) -> None:
    rig.do(on.Resume(key(name), cause))


def paused() -> Rig:
    rig = Rig()
    rig.loaded("jobs", cadence=5.0)
    rig.wait(3.0)
    pause(rig)
    return rig


def test_a_paused_key_keeps_its_data_and_says_why_it_is_paused() -> None:
    rig = paused()
    assert rig.brief("jobs") == ("paused", "selection", "jobs-1")
    assert rig.see("jobs").age(rig.now) == 3.0


def test_a_paused_key_has_no_timer() -> None:
    assert paused().armed is None


def test_focus_reconnect_watchdog_cadence_and_mutations_do_not_read_a_paused_key() -> None:
    rig = paused()
    rig.do(on.Hidden())
    rig.do(on.Visible())
    rig.do(on.Online())
    rig.dirty("jobs")
    rig.do(on.PageHide())
    rig.do(on.PageShow(persisted=True, visible=True))
    rig.wait(600.0)
    assert rig.sent_at("jobs") == [0.0]
    assert rig.brief("jobs") == ("paused", "selection", "jobs-1")
    assert rig.armed is None


def test_resuming_reads_the_key_and_shows_its_data_as_stale_until_then() -> None:
    rig = paused()
    rig.wait(5.0)
    resume(rig)
    assert rig.sent_at("jobs") == [0.0, 8.0]
    assert rig.brief("jobs") == ("stale", "resumed", "jobs-1")
    rig.answer("jobs", "jobs-2")
    assert rig.brief("jobs") == ("fresh", "read", "jobs-2")
    rig.wait(5.0)
    assert rig.sent_at("jobs") == [0.0, 8.0, 13.0]


def test_resuming_a_key_that_is_not_paused_reads_nothing() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    resume(rig)
    assert rig.sent_at("jobs") == [0.0]
    assert rig.brief("jobs")[0] == "fresh"


def test_pausing_ends_a_routine_read_so_that_no_row_moves_under_the_selection() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=5.0)
    rig.wait(5.0)
    attempt = rig.flying[key("jobs")].attempt
    effects = rig.do(on.Pause(key("jobs"), PauseCause.SELECTION))
    assert only(effects, Abort) == [Abort(attempt)]
    assert rig.do(on.Arrived(attempt, decoded("moved"))) == []
    assert rig.brief("jobs") == ("paused", "selection", "jobs-1")


def test_a_manual_refresh_reads_a_paused_key_once_and_leaves_it_paused() -> None:
    rig = paused()
    rig.wait(5.0)
    rig.refresh("jobs")
    assert rig.sent_at("jobs") == [0.0, 8.0]
    pause(rig)
    effects = rig.answer("jobs", "asked for")
    assert only(effects, Publish)[0].observation.data == "asked for"
    assert rig.brief("jobs") == ("paused", "selection", "asked for")
    rig.wait(600.0)
    assert len(rig.sent) == 2


def test_a_manual_refresh_of_a_paused_key_keeps_its_demand_when_it_fails() -> None:
    rig = paused()
    rig.wait(5.0)
    rig.refresh("jobs")
    rig.fail("jobs", NETWORK)
    seen = rig.see("jobs")
    assert (seen.state, seen.failure, seen.next_attempt_at, seen.refreshing) == ("paused", NETWORK, 10.0, True)
    rig.wait(2.0)
    rig.answer("jobs")
    rig.wait(100.0)
    assert len(rig.sent) == 3


@pytest.mark.parametrize(("failure", "state"), [(INVALID, "error"), (ABSENT, "unsupported")])
def test_what_a_manual_refresh_of_a_paused_key_found_is_shown(failure: Failure, state: str) -> None:
    rig = paused()
    rig.wait(5.0)
    rig.refresh("jobs")
    rig.fail("jobs", failure)
    assert rig.brief("jobs")[0] == state
    assert rig.see("jobs").data == "jobs-1"


def test_an_absent_capability_found_by_another_key_does_not_touch_a_paused_one() -> None:
    rig = Rig()
    route = "POST /api/v1/jobs/query"
    for name in ("jobs", "other"):
        rig.do(on.Register(key(name), terms(route)))
    rig.answer("jobs", "jobs-1")
    pause(rig)
    rig.fail("other", ABSENT)
    assert rig.brief("jobs") == ("paused", "selection", "jobs-1")


def test_a_key_runs_again_when_the_last_cause_of_its_pause_is_gone() -> None:
    rig = paused()
    pause(rig, cause=PauseCause.BY_HAND)
    rig.wait(10.0)
    resume(rig)
    assert rig.brief("jobs") == ("paused", "by_hand", "jobs-1")
    assert len(rig.sent) == 1
    resume(rig, cause=PauseCause.BY_HAND)
    assert len(rig.sent) == 2


def test_a_key_paused_before_its_first_answer_is_still_read_once() -> None:
    rig = Rig()
    rig.register("jobs", cadence=5.0)
    pause(rig, cause=PauseCause.BY_HAND)
    assert rig.brief("jobs") == ("loading", "first_read", None)
    rig.answer("jobs")
    assert rig.brief("jobs") == ("paused", "by_hand", "data")
    rig.wait(100.0)
    assert len(rig.sent) == 1


def test_pausing_one_key_leaves_the_others_running() -> None:
    rig = paused()
    rig.loaded("queues", cadence=5.0)
    rig.wait(5.0)
    assert rig.in_flight() == ["queues"]


def test_a_released_key_comes_back_without_its_pause() -> None:
    rig = paused()
    rig.release("jobs")
    rig.wait(10.0)
    rig.register("jobs")
    rig.answer("jobs", "jobs-2")
    assert rig.brief("jobs") == ("fresh", "read", "jobs-2")


def test_a_count_is_read_when_registered_and_then_on_request_only() -> None:
    rig = Rig()
    rig.loaded("count", manual=True)
    assert rig.brief("count") == ("fresh", "read", "count-1")
    assert rig.armed is None
    rig.dirty("count")
    rig.do(on.Hidden())
    rig.do(on.Visible())
    rig.do(on.Online())
    rig.do(on.PageHide())
    rig.do(on.PageShow(persisted=True, visible=True))
    rig.wait(600.0)
    assert rig.sent_at("count") == [0.0]
    rig.refresh("count")
    rig.answer("count", "count-2")
    assert rig.brief("count") == ("fresh", "read", "count-2")
    rig.wait(600.0)
    assert rig.sent_at("count") == [0.0, 600.0]


def test_a_mutation_marks_a_count_as_stale() -> None:
    rig = Rig()
    rig.loaded("count", manual=True)
    rig.dirty("count")
    assert rig.brief("count") == ("stale", "changed", "count-1")


def test_a_mutation_during_the_read_of_a_count_leaves_its_answer_stale() -> None:
    rig = Rig()
    rig.register("count", manual=True)
    rig.dirty("count")
    rig.answer("count", "before the change")
    assert rig.brief("count") == ("stale", "changed", "before the change")
    assert rig.armed is None


def test_the_first_read_of_a_count_is_retried_when_the_network_fails() -> None:
    rig = Rig()
    rig.register("count", manual=True)
    rig.fail("count", NETWORK)
    rig.wait_for("count")
    rig.answer("count", "12")
    assert rig.brief("count") == ("fresh", "read", "12")


def test_an_unsupported_count_has_no_value() -> None:
    rig = Rig()
    rig.register("count", manual=True)
    rig.fail("count", ABSENT)
    assert rig.brief("count") == ("unsupported", "route_absent", None)


def test_a_paused_count_is_told_to_be_outdated_when_it_resumes() -> None:
    rig = Rig()
    rig.loaded("count", manual=True)
    rig.wait(10.0)
    pause(rig, "count")
    resume(rig, "count")
    assert rig.brief("count") == ("stale", "resumed", "count-1")
    assert rig.sent_at("count") == [0.0]
