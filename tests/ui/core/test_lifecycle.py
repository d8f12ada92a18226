"""Hidden, left, restored: what the tab's lifecycle does to timers, reads and demand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from switchboard_ui.core import events as on
from switchboard_ui.core.effects import Abort, Disarm, Dispatch, Publish
from switchboard_ui.core.events import Event

from .rig import ABSENT, NETWORK, SIGNED_OUT, Rig, decoded, key, only

RESTORED = on.PageShow(persisted=True, visible=True)


def test_a_scheduler_reads_nothing_before_the_tab_says_that_it_is_visible() -> None:
    rig = Rig(visible=False)
    rig.register("jobs")
    assert (rig.sent, rig.armed) == ([], None)
    rig.do(on.Visible())
    assert rig.sent == [(0.0, "jobs")]


def test_a_hidden_tab_holds_no_timer_and_reads_nothing() -> None:
    rig = Rig()
    rig.loaded("jobs", "queues", cadence=5.0)
    rig.dirty("jobs")
    effects = rig.do(on.Hidden())
    assert effects == [Disarm()]
    rig.dirty("queues")
    rig.refresh("queues")
    rig.register("new")
    rig.do(on.Online())
    rig.wait(3600.0)
    assert rig.armed is None
    assert len(rig.sent) == 2


def test_a_read_under_way_when_the_tab_is_hidden_finishes_and_is_shown() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.do(on.Hidden())
    assert rig.in_flight() == ["jobs"]
    assert rig.armed == 20.0
    rig.wait(15.0)
    effects = rig.answer("jobs", "seen")
    assert only(effects, Publish)[0].observation.data == "seen"
    assert rig.armed is None


def test_a_read_under_way_when_the_tab_is_hidden_still_ends_at_its_deadline() -> None:
    rig = Rig()
    rig.register("jobs", "queues")
    rig.do(on.Hidden())
    effects = rig.wait(20.0)
    assert len(only(effects, Abort)) == 2
    assert rig.armed is None
    rig.wait(100.0)
    assert len(rig.sent) == 2
    rig.do(on.Visible())
    assert rig.in_flight() == ["jobs", "queues"], "both demands were kept"


def test_a_tab_seen_again_reads_every_automatic_key_once_two_at_a_time() -> None:
    rig = Rig()
    rig.loaded("a", "b", "c")
    rig.loaded("count", manual=True)
    rig.wait(10.0)
    rig.do(on.Hidden())
    rig.wait(600.0)
    rig.do(on.Visible())
    assert rig.brief("a") == ("stale", "overdue", "a-1")
    rig.wait(0.1)
    assert rig.in_flight() == ["a", "b"]
    rig.answer("a")
    rig.answer("b")
    rig.answer("c")
    rig.wait(20.0)
    assert len(rig.sent) == 4 + 3
    assert rig.brief("count") == ("stale", "resumed", "count-1")


def test_a_short_look_away_does_not_make_fresh_data_stale() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(3.0)
    rig.do(on.Hidden())
    rig.wait(1.0)
    rig.do(on.Visible())
    assert rig.brief("jobs")[0] == "fresh"
    rig.wait(0.1)
    assert rig.sent_at("jobs") == [0.0, 4.1]


def test_flicking_between_tabs_reads_a_key_once_a_floor() -> None:
    rig = Rig()
    rig.loaded("jobs")
    for _ in range(40):
        rig.do(on.Hidden())
        rig.wait(0.25)
        rig.do(on.Visible())
        rig.wait(0.25)
        if rig.flying:
            rig.answer("jobs")
    sent = rig.sent_at("jobs")
    assert len(sent) <= 11
    assert all(later - earlier >= 2.0 for earlier, later in pairwise(sent))


@pytest.mark.parametrize("event", [on.Visible(), on.Online()])
def test_a_second_report_of_the_same_thing_adds_no_second_read(event: Event) -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    for _ in range(5):
        rig.do(event)
    rig.wait(15.0)
    assert len(rig.sent_at("jobs")) == (2 if isinstance(event, on.Online) else 1)


def test_leaving_the_page_aborts_everything_and_holds_no_timer() -> None:
    rig = Rig()
    rig.loaded("old", cadence=5.0)
    rig.register("jobs", "queues")
    attempts = {rig.flying[key(name)].attempt for name in ("jobs", "queues")}
    effects = rig.do(on.PageHide())
    assert {abort.attempt for abort in only(effects, Abort)} == attempts
    assert effects[-1] == Disarm()
    assert rig.armed is None
    rig.dirty("old")
    rig.register("new")
    rig.refresh("old")
    rig.wait(600.0)
    assert (rig.armed, len(rig.sent)) == (None, 3)


def test_an_answer_that_arrives_while_the_page_is_frozen_is_void_after_the_restore() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    rig.refresh("jobs")
    frozen = rig.flying[key("jobs")].attempt
    rig.do(on.PageHide())
    rig.wait(5.0)
    assert rig.do(on.Arrived(frozen, decoded("from before"))) == []
    rig.do(RESTORED)
    assert rig.do(on.Arrived(frozen, decoded("from before"))) == []
    assert rig.brief("jobs") == ("stale", "resumed", "jobs-1")
    assert rig.in_flight() == ["jobs"], "the aborted read's demand was kept"
    assert rig.flying[key("jobs")].attempt.page_epoch > frozen.page_epoch
    rig.answer("jobs", "jobs-2")
    assert rig.brief("jobs") == ("fresh", "read", "jobs-2")


@pytest.mark.parametrize(
    "order",
    [
        [on.PageHide(), on.Hidden(), on.Visible(), RESTORED],
        [on.PageHide(), on.Hidden(), RESTORED, on.Visible()],
        [on.Hidden(), on.PageHide(), on.Visible(), RESTORED],
        [on.PageHide(), on.Visible(), on.Visible(), RESTORED, RESTORED, on.Visible()],
        [on.PageHide(), on.PageHide(), on.Visible(), on.PageShow(persisted=False, visible=True), on.Visible()],
        [on.PageHide(), on.Hidden(), on.PageShow(persisted=True, visible=False), on.Visible()],
    ],
)
def test_a_restored_page_starts_once_with_one_paced_refresh(order: list[Event]) -> None:
    rig = Rig()
    rig.loaded("a", "b", "c", cadence=5.0)
    rig.wait(1.0)
    for event in order[:2]:
        rig.do(event)
    rig.wait(600.0)
    for event in order[2:]:
        rig.do(event)
    assert {rig.brief(name)[0] for name in ("a", "b", "c")} == {"stale"}
    rig.wait(0.2)
    assert rig.in_flight() == ["a", "b"]
    for name in ("a", "b", "c"):
        rig.answer(name)
    rig.wait(1.0)
    assert len(rig.sent) == 3 + 3
    assert {rig.brief(name)[0] for name in ("a", "b", "c")} == {"fresh"}


def test_visible_before_pageshow_does_nothing() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.do(on.PageHide())
    rig.wait(600.0)
    assert rig.do(on.Visible()) == []
    rig.wait(60.0)
    assert len(rig.sent) == 1


def test_a_page_restored_into_a_hidden_tab_waits_until_it_is_seen() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.do(on.PageHide())
    rig.wait(60.0)
    rig.do(on.PageShow(persisted=True, visible=False))
    rig.wait(60.0)
    assert (rig.armed, len(rig.sent)) == (None, 1)
    rig.do(on.Visible())
    rig.wait(0.1)
    assert len(rig.sent) == 2


def test_a_restored_page_without_active_keys_holds_no_timer() -> None:
    rig = Rig()
    rig.do(on.PageHide())
    assert rig.do(RESTORED) == []


def test_the_first_page_show_of_a_document_is_no_restore() -> None:
    rig = Rig()
    rig.register("jobs")
    attempt = rig.flying[key("jobs")].attempt
    assert rig.do(on.PageShow(persisted=False, visible=True)) == []
    assert rig.flying[key("jobs")].attempt == attempt


def test_overdue_instants_of_a_frozen_page_are_not_replayed() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=5.0)
    rig.do(on.PageHide())
    rig.wait(3600.0)
    effects = rig.do(RESTORED) + rig.wait(0.5)
    assert len(only(effects, Dispatch)) == 1


def test_a_page_restored_after_the_session_was_lost_asks_with_one_read() -> None:
    rig = Rig()
    rig.loaded("jobs", "queues")
    rig.wait(10.0)
    rig.refresh("jobs")
    rig.fail("jobs", SIGNED_OUT)
    rig.do(on.PageHide())
    rig.wait(60.0)
    rig.do(RESTORED)
    assert rig.in_flight() == ["jobs"]
    assert rig.brief("queues") == ("signed_out", "signed_out", None)
    rig.fail("jobs", SIGNED_OUT)
    rig.wait(600.0)
    assert len(rig.sent) == 4


def test_a_restored_page_of_another_session_is_blank_as_soon_as_the_first_read_says_401() -> None:
    rig = Rig()
    rig.loaded("a", "b", "c")
    rig.do(on.PageHide())
    rig.wait(60.0)
    rig.do(RESTORED)
    rig.wait(0.1)
    rig.fail("a", SIGNED_OUT)
    assert [rig.brief(name) for name in ("a", "b", "c")] == [("signed_out", "signed_out", None)] * 3
    assert rig.in_flight() == []


def test_backoff_and_reprobe_times_survive_a_restore() -> None:
    rig = Rig()
    rig.register("jobs", "filtered")
    rig.fail("filtered", ABSENT)
    for _ in range(5):
        rig.wait_for("jobs")
        rig.fail("jobs", NETWORK)
    due = rig.now + 24.0
    rig.do(on.PageHide())
    rig.wait(1.0)
    rig.do(RESTORED)
    assert rig.wait_for("jobs") == due
    assert rig.sent_at("filtered") == [0.0]
    assert rig.wait_for("filtered") == 60.0


def test_being_online_again_reads_automatic_keys_and_leaves_counts_alone() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.loaded("count", manual=True)
    rig.wait(10.0)
    rig.do(on.Online())
    rig.wait(0.1)
    assert rig.in_flight() == ["jobs"]
    assert rig.brief("count") == ("fresh", "read", "count-1")
