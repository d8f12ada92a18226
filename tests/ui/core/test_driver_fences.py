"""Deadlines, late answers and the tab's lifecycle on a scripted network, with and without working aborts."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_ui.core.outcomes import Decoded
from switchboard_ui.core.query import Floor
from switchboard_ui.ports import Lifecycle, Response

from .fakes import NOON, Page, error, ok, query


async def test_a_request_that_hangs_is_aborted_at_20_seconds_whatever_the_network_does() -> None:
    page = Page()
    page.show("jobs")
    await page.wait(19.9)
    assert not page.fetch.calls[0].aborted
    await page.wait(0.2)
    assert page.fetch.calls[0].aborted
    assert page.brief("jobs") == ("error", "deadline", None)
    await page.wait(2.0)
    await page.answer("jobs", ok("second"))
    assert page.brief("jobs") == ("fresh", "read", "second")
    assert page.sent("jobs") == [0.0, 22.0]


async def test_a_late_answer_after_an_ignored_abort_changes_nothing() -> None:
    page = Page()
    page.fetch.ignores_aborts = True
    page.show("jobs")
    await page.answer("jobs", ok("first"))
    await page.wait(10.0)
    page.reads.refresh(query("jobs").key)
    await page.wait(20.5)
    late = page.fetch.calls[1]
    assert late.aborted
    assert late in page.fetch.open
    told = len(page.seen["jobs"])
    late.reply.set_result(ok("late"))
    await page.settle()
    assert page.brief("jobs") == ("stale", "deadline", "first")
    assert page.reads.snapshot(query("jobs").key).received_at == 0.0
    assert len(page.seen["jobs"]) == told
    # Its demand was neither cleared nor doubled.
    await page.wait(2.0)
    assert page.sent("jobs") == [0.0, 10.0, 32.0]
    await page.answer("jobs", ok("third"))
    assert page.brief("jobs") == ("fresh", "read", "third")


async def test_an_answer_whose_decoding_ends_after_the_deadline_is_not_published() -> None:
    page = Page()

    def slow(response: Response) -> Decoded[Any]:
        page.clock.instant = 20.0
        return Decoded("too late", NOON, NOON, 0)

    page.show("jobs", decode=slow)
    await page.settle()
    page.clock.instant = 19.9
    await page.answer("jobs", ok("x"))
    assert page.brief("jobs") == ("error", "deadline", None)


async def test_an_answer_for_an_earlier_filter_is_not_decoded_and_not_shown() -> None:
    page = Page()
    page.fetch.ignores_aborts = True
    decoded: list[str] = []

    def noting(response: Response) -> Decoded[Any]:
        decoded.append(response.text)
        return Decoded("x", NOON, NOON, 0)

    leave = page.show("filter-a", decode=noting)
    await page.settle()
    leave()
    page.show("filter-b")
    await page.answer("filter-a", ok("late"))
    assert decoded == []
    assert page.brief("filter-a") == ("loading", "first_read", None)
    assert [seen.data for seen in page.seen["filter-a"]] == [None]


async def test_a_mark_during_the_first_read_leads_to_exactly_one_more() -> None:
    page = Page()
    page.show("jobs")
    await page.settle()
    page.reads.mark_dirty(["jobs"])
    page.reads.mark_dirty(["jobs"])
    await page.answer("jobs", ok("old"))
    assert page.brief("jobs") == ("stale", "changed", "old")
    await page.wait(2.0)
    await page.answer("jobs", ok("new"))
    assert page.brief("jobs") == ("fresh", "read", "new")
    await page.wait(27.0)
    assert page.sent("jobs") == [0.0, 2.0]


async def test_sixteen_views_with_a_5_second_cadence_and_20_second_answers_pile_nothing_up() -> None:
    page = Page()
    for n in range(16):
        page.show(f"k{n}", floor=Floor.CACHED, cadence=5.0)
    for _ in range(60):
        await page.wait(19.5)
        for call in list(page.fetch.open):
            call.reply.set_result(ok("slow"))
        await page.settle()
    assert page.fetch.most_open == 2
    # 60 rounds of two, shared by all alike.
    assert {len(page.sent(f"k{n}")) for n in range(16)} == {7, 8}


async def test_reads_that_all_hang_are_bounded_and_the_page_recovers() -> None:
    page = Page()
    for n in range(16):
        page.show(f"k{n}", floor=Floor.CACHED, cadence=5.0)
    await page.wait(400.0)
    assert page.fetch.most_open == 2
    for _ in range(400):
        await page.wait(0.5)
        for call in list(page.fetch.open):
            call.reply.set_result(ok("back"))
        await page.settle()
    assert {page.brief(f"k{n}")[::2] for n in range(16)} == {("fresh", "back")}


async def test_retry_after_silences_the_whole_tab() -> None:
    page = Page()
    page.show("jobs", cadence=5.0)
    page.show("queues", cadence=5.0)
    await page.answer("queues", ok(1))
    await page.answer("jobs", error(429, "read_admission_full", {"retry-after": "30"}))
    page.reads.refresh(query("queues").key)
    await page.wait(29.9)
    assert len(page.fetch.calls) == 2
    assert page.reads.snapshot(query("jobs").key).next_attempt_at == 30.0
    await page.wait(0.2)
    assert (page.sent("jobs")[1:], page.sent("queues")[1:]) == ([30.0], [30.0])


async def test_a_malformed_retry_after_leaves_the_backoff() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", error(503, "overloaded", {"retry-after": "-1, soon"}))
    await page.wait(2.0)
    assert page.sent("jobs") == [0.0, 2.0]


async def test_a_hidden_tab_lets_reads_finish_and_starts_none() -> None:
    page = Page()
    page.show("jobs", cadence=5.0)
    page.show("queues", cadence=5.0)
    await page.settle()
    page.tab.tell(Lifecycle.HIDDEN)
    await page.answer("jobs", ok("seen"))
    assert page.brief("jobs")[2] == "seen"
    assert page.timer.at == 20.0
    await page.wait(600.0)
    assert page.timer.at is None
    assert len(page.fetch.calls) == 2
    assert page.brief("queues")[:2] == ("error", "deadline")


async def test_a_restored_page_shows_no_answer_from_before_and_reads_once() -> None:
    page = Page()
    page.fetch.ignores_aborts = True
    page.show("jobs", cadence=5.0)
    await page.answer("jobs", ok("first"))
    await page.wait(5.0)
    held_open = page.fetch.calls[1]
    page.tab.tell(Lifecycle.PAGE_HIDE, Lifecycle.HIDDEN)
    await page.settle()
    assert held_open.aborted
    assert page.timer.at is None
    # Frozen for ten minutes; the answer that came meanwhile is delivered right after the restore.
    page.clock.instant += 600.0
    page.tab.tell(Lifecycle.VISIBLE)
    held_open.reply.set_result(ok("from before"))
    await page.settle()
    assert page.timer.at is None
    page.tab.tell(Lifecycle.PAGE_SHOW_PERSISTED)
    await page.wait(0.5)
    assert page.brief("jobs") == ("stale", "resumed", "first")
    assert len(page.sent("jobs")) == 3
    await page.answer("jobs", ok("now"))
    assert page.brief("jobs") == ("fresh", "read", "now")
    assert "from before" not in [seen.data for seen in page.seen["jobs"]]
    await page.wait(4.9)
    assert len(page.sent("jobs")) == 3


async def test_a_page_restored_for_another_user_is_blank_when_the_first_read_says_so() -> None:
    page = Page()
    page.show("jobs")
    page.show("queues")
    await page.answer("jobs", ok("mine"))
    await page.answer("queues", ok("mine"))
    page.tab.tell(Lifecycle.PAGE_HIDE, Lifecycle.HIDDEN)
    page.clock.instant += 600.0
    page.tab.tell(Lifecycle.VISIBLE, Lifecycle.PAGE_SHOW_PERSISTED)
    await page.wait(0.2)
    await page.answer("jobs", error(401, "unauthenticated"))
    assert [page.brief(name) for name in ("jobs", "queues")] == [("signed_out", "signed_out", None)] * 2
    assert [page.seen[name][-1].data for name in ("jobs", "queues")] == [None, None]
    assert (page.timer.at, page.fetch.open) == (None, [])


async def test_a_tab_restored_in_the_background_waits() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", ok(1))
    page.tab.tell(Lifecycle.PAGE_HIDE, Lifecycle.HIDDEN)
    page.clock.instant += 60.0
    page.tab.tell(Lifecycle.PAGE_SHOW_PERSISTED)
    await page.wait(60.0)
    assert (page.sent("jobs"), page.timer.at) == ([0.0], None)


async def test_being_online_again_is_a_hint_to_read() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", ok(1))
    await page.wait(10.0)
    page.tab.tell(Lifecycle.ONLINE)
    await page.wait(0.1)
    assert page.sent("jobs") == [0.0, 10.1]


async def test_a_thirty_row_selection_outlives_ten_polls() -> None:
    page = Page()
    page.show("jobs", cadence=5.0)
    page.show("queues", cadence=5.0)
    rows = list(range(30))
    await page.answer("jobs", ok(rows))
    await page.answer("queues", ok(1))
    page.reads.pause(query("jobs").key)
    shown = page.reads.snapshot(query("jobs").key)
    for _ in range(10):
        await page.wait(5.0)
        page.reads.mark_dirty(["jobs"])
        await page.answer("queues", ok(1))
    assert page.reads.snapshot(query("jobs").key).data is shown.data
    assert page.sent("jobs") == [0.0]
    assert len(page.sent("queues")) == 11


@pytest.mark.parametrize("ignores_aborts", [False, True])
async def test_leaving_the_page_for_good_leaves_no_task_behind(ignores_aborts: bool) -> None:
    page = Page()
    page.fetch.ignores_aborts = ignores_aborts
    page.show("jobs")
    page.show("queues")
    await page.settle()
    page.tab.tell(Lifecycle.PAGE_HIDE)
    await page.settle()
    assert all(call.aborted for call in page.fetch.calls)
    for call in list(page.fetch.open):
        call.reply.set_result(ok("late"))
    await page.settle()
    assert page.fetch.open == []
    assert page.reads._tasks == {}
