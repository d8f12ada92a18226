"""The pending marker: debounce, coalescing, and what a response clears."""

from __future__ import annotations

import pytest

from switchboard_ui.core import events as on
from switchboard_ui.core.effects import Publish
from switchboard_ui.core.query import Floor

from .rig import NETWORK, Rig, key, only


def at_rest(name: str = "jobs", **options: object) -> Rig:
    """One key, read at 0, past its floor."""
    rig = Rig()
    rig.loaded(name, **options)
    rig.wait(10.0)
    return rig


def test_a_dirty_mark_is_read_100_ms_later() -> None:
    rig = at_rest()
    rig.dirty("jobs")
    rig.wait(0.099)
    assert rig.in_flight() == []
    rig.wait(0.002)
    assert rig.sent_at("jobs") == [0.0, 10.1]


def test_a_burst_of_marks_is_one_read_100_ms_after_the_last() -> None:
    rig = at_rest()
    for _ in range(4):
        rig.dirty("jobs")
        rig.wait(0.05)
    rig.wait(1.0)
    assert rig.sent_at("jobs") == [0.0, pytest.approx(10.25)]


def test_continuous_marks_delay_the_read_by_500_ms_at_most() -> None:
    rig = at_rest()
    for _ in range(30):
        rig.dirty("jobs")
        rig.wait(0.05)
    assert rig.sent_at("jobs") == [0.0, pytest.approx(10.5)]


def test_marks_do_not_push_back_a_demand_that_is_eligible_and_only_waits_for_a_slot() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    rig.dirty("jobs")
    rig.register("a", "b")
    rig.wait(0.2)
    rig.register("later")
    rig.dirty("jobs")
    rig.answer("a")
    assert rig.in_flight() == ["b", "jobs"]


def test_the_data_is_stale_from_the_mark_until_the_read_lands() -> None:
    rig = at_rest()
    rig.dirty("jobs")
    assert rig.brief("jobs") == ("stale", "changed", "jobs-1")
    rig.wait(0.2)
    assert rig.brief("jobs") == ("stale", "changed", "jobs-1")
    rig.answer("jobs", "jobs-2")
    assert rig.brief("jobs") == ("fresh", "read", "jobs-2")


@pytest.mark.parametrize("which", ["first", "later"])
def test_a_mark_during_a_read_leaves_one_pending_refresh(which: str) -> None:
    rig = Rig()
    if which == "first":
        rig.register("jobs")
    else:
        rig.loaded("jobs")
        rig.wait(10.0)
        rig.dirty("jobs")
        rig.wait(0.1)
    rig.dirty("jobs")
    rig.dirty("jobs")
    before = len(rig.sent)
    effects = rig.answer("jobs", "old")
    # Successful data may render while it is known to be outdated.
    assert only(effects, Publish)[0].observation.data == "old"
    assert rig.brief("jobs") == ("stale", "changed", "old")
    rig.wait(3.0)
    assert len(rig.sent) == before + 1
    rig.answer("jobs", "new")
    assert rig.brief("jobs") == ("fresh", "read", "new")
    rig.wait(20.0)
    assert len(rig.sent) == before + 1


def test_a_response_clears_only_the_demand_of_its_own_key() -> None:
    rig = Rig()
    rig.loaded("jobs", "queues", "workers")
    rig.wait(10.0)
    rig.dirty("jobs", "queues", "workers")
    rig.wait(0.1)
    assert rig.in_flight() == ["jobs", "queues"]
    rig.dirty("queues")
    rig.answer("jobs")
    rig.answer("queues")
    assert rig.in_flight() == ["workers"]
    rig.answer("workers")
    rig.wait(2.0)
    assert rig.in_flight() == ["queues"]


def test_a_failed_read_keeps_one_pending_demand() -> None:
    rig = at_rest()
    rig.dirty("jobs")
    rig.wait(0.1)
    rig.fail("jobs", NETWORK)
    rig.dirty("jobs")
    rig.dirty("jobs")
    rig.wait_for("jobs")
    rig.answer("jobs")
    rig.wait(15.0)
    assert len(rig.sent_at("jobs")) == 3


def test_a_manual_refresh_is_not_debounced_but_keeps_the_floor() -> None:
    rig = Rig()
    rig.loaded("jobs", floor=Floor.CACHED)
    rig.wait(1.0)
    rig.refresh("jobs")
    assert rig.see("jobs").refreshing
    assert rig.see("jobs").next_attempt_at is None, "the data is still fresh, there is nothing to wait out"
    rig.wait(3.9)
    assert rig.sent_at("jobs") == [0.0]
    rig.wait(0.1)
    assert rig.sent_at("jobs") == [0.0, 5.0]
    rig.wait(0.0)
    rig.answer("jobs")
    assert not rig.see("jobs").refreshing
    rig.wait(10.0)
    rig.refresh("jobs")
    assert rig.sent_at("jobs") == [0.0, 5.0, 15.0]


def test_a_manual_refresh_ends_the_debounce_of_a_pending_mark() -> None:
    rig = at_rest()
    rig.dirty("jobs")
    rig.refresh("jobs")
    assert rig.sent_at("jobs") == [0.0, 10.0]


def test_a_refresh_while_a_read_is_under_way_leaves_one_more() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.refresh("jobs")
    rig.refresh("jobs")
    rig.answer("jobs")
    assert rig.see("jobs").refreshing
    rig.wait(2.0)
    rig.answer("jobs")
    rig.wait(20.0)
    assert rig.sent_at("jobs") == [0.0, 2.0]


def test_a_routine_refresh_of_fresh_data_tells_the_view_nothing_before_it_lands() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=5.0)
    rig.told.clear()
    rig.wait(5.0)
    assert rig.in_flight() == ["jobs"]
    assert rig.told == []
    rig.answer("jobs", "jobs-2")
    assert [(name, seen.state, seen.data) for name, seen in rig.told] == [("jobs", "fresh", "jobs-2")]


def test_a_view_is_told_once_for_a_burst_of_marks() -> None:
    rig = at_rest()
    rig.told.clear()
    for _ in range(3):
        rig.dirty("jobs")
        rig.wait(0.02)
    assert [seen.state for _, seen in rig.told] == ["stale"]


def test_a_mark_names_each_key_once_however_often_it_is_listed() -> None:
    rig = at_rest()
    rig.do(on.MarkDirty((key("jobs"), key("jobs"), key("nobody"))))
    rig.wait(0.1)
    rig.answer("jobs")
    rig.wait(10.0)
    assert rig.sent_at("jobs") == [0.0, 10.1]
