"""The driver on a scripted network: subscriptions, listeners, fetch tasks, the one timer."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from switchboard_ui.core.backend_identity import BackendIdentity
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.events import PauseCause
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.outcomes import Decoded
from switchboard_ui.core.query import Floor, Query, strict_request
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.ports import NetworkError, Response

from .fakes import HTML, NOON, Page, decode, error, ok, query


async def test_a_view_is_told_loading_and_then_its_data() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", ok([1, 2], age=1500))
    assert [(seen.state, seen.data) for seen in page.seen["jobs"]] == [("loading", None), ("fresh", [1, 2])]
    assert page.seen["jobs"][-1] == page.reads.snapshot(query("jobs").key)
    assert page.seen["jobs"][-1].age(page.clock.now()) == 1.5


async def test_the_request_of_the_query_is_sent_as_it_is() -> None:
    page = Page()
    request = strict_request("/api/v1/jobs/query", {"tags": ["b", "a"]}, {"limit": 50})
    page.reads.subscribe(Query("jobs", request, decode, Floor.UNCACHED, None), lambda _: None)
    await page.settle()
    assert page.fetch.calls[0].request == request


async def test_two_views_of_one_key_share_one_read() -> None:
    page = Page()
    page.show("jobs")
    page.show("jobs")
    await page.answer("jobs", ok("x"))
    assert page.sent("jobs") == [0.0]
    assert [seen.data for seen in page.seen["jobs"]] == [None, None, "x", "x"]


async def test_a_later_view_of_a_key_is_told_at_once_what_is_known() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", ok("x"))
    told: list[Any] = []
    page.reads.subscribe(query("jobs"), told.append)
    assert [seen.data for seen in told] == ["x"]
    assert page.sent("jobs") == [0.0]


async def test_the_key_is_released_with_its_last_view() -> None:
    page = Page()
    first, second = page.show("jobs"), page.show("jobs")
    await page.settle()
    first()
    first()
    await page.settle()
    assert [call.aborted for call in page.fetch.calls] == [False]
    second()
    await page.settle()
    assert [call.aborted for call in page.fetch.calls] == [True]
    assert page.timer.at is None
    assert page.reads.snapshot(query("jobs").key).data is None


async def test_views_of_one_key_get_the_shortest_cadence_and_the_longest_floor() -> None:
    page = Page()
    page.show("jobs", cadence=20.0)
    quick = page.show("jobs", cadence=3.0, floor=Floor.CACHED)
    await page.answer("jobs", ok(1))
    assert page.timer.at == 3.0
    await page.wait(5.0)
    assert page.sent("jobs") == [0.0, 5.0]
    quick()
    await page.answer("jobs", ok(2))
    assert page.timer.at == 25.0


async def test_a_count_that_another_view_wants_refreshed_is_refreshed() -> None:
    page = Page()
    page.show("count", manual=True)
    automatic = page.show("count", cadence=4.0)
    await page.answer("count", ok(1))
    assert page.timer.at == 4.0
    automatic()
    assert page.timer.at is None


async def test_a_listener_that_raises_is_reported_and_disturbs_nobody() -> None:
    page = Page()

    def broken(_: Observation[Any]) -> None:
        raise RuntimeError("a view's fault")

    page.reads.subscribe(query("jobs"), broken)
    page.show("jobs")
    page.show("queues")
    await page.answer("jobs", ok("x"))
    await page.answer("queues", ok("y"))
    assert page.seen["jobs"][-1].data == "x"
    assert page.seen["queues"][-1].data == "y"
    assert [str(error) for error in page.errors] == ["a view's fault"] * 2
    assert page.timer.at == 30.0


async def test_a_listener_may_leave_subscribe_and_refresh_from_within_its_call() -> None:
    page = Page()
    leave: list[Any] = []

    def listener(seen: Observation[Any]) -> None:
        if seen.data == "x":
            leave[0]()
            page.show("queues")
            page.reads.refresh(query("queues").key)
            page.reads.mark_dirty(["jobs"])

    leave.append(page.reads.subscribe(query("jobs"), listener))
    await page.answer("jobs", ok("x"))
    assert page.sent("queues") == [0.0]
    await page.answer("queues", ok("y"))
    await page.wait(2.0)
    assert page.sent("queues") == [0.0, 2.0]
    assert page.errors == []


async def test_a_view_that_leaves_while_others_are_told_is_told_no_more() -> None:
    page = Page()
    told: list[Any] = []
    leave_second: list[Any] = []
    page.reads.subscribe(query("jobs"), lambda seen: leave_second[0]() if seen.data else None)
    leave_second.append(page.reads.subscribe(query("jobs"), told.append))
    await page.answer("jobs", ok("x"))
    assert [seen.data for seen in told] == [None]
    assert page.errors == []


async def test_a_key_released_before_its_read_began_sends_nothing() -> None:
    page = Page()
    nested: list[Any] = []

    def listener(seen: Observation[Any]) -> None:
        # From within a call, so that the dispatch of the new key is still queued when its view leaves again.
        if seen.data == "x":
            nested.append(page.show("queues"))
            nested[0]()

    page.reads.subscribe(query("jobs"), listener)
    await page.answer("jobs", ok("x"))
    assert page.sent("queues") == []
    assert page.seen["queues"] == []
    assert page.errors == []


async def test_released_views_are_not_held() -> None:
    page = Page()

    class View:
        def listen(self, seen: Observation[Any]) -> None:
            pass

    view = View()
    gone = weakref.ref(view)
    leave = page.reads.subscribe(query("jobs"), view.listen)
    await page.answer("jobs", ok("x"))
    await page.wait(30.0)
    leave()
    del view
    await page.settle()
    gc.collect()
    assert gone() is None
    assert page.fetch.open == []


async def test_the_17th_view_is_told_that_it_is_refused_and_takes_the_next_free_place() -> None:
    page = Page()
    leave = [page.show(f"k{n}") for n in range(16)]
    page.show("k16")
    page.show("k17")
    assert page.brief("k16") == ("error", "over_cap", None)
    assert [(seen.state, seen.reason) for seen in page.seen["k16"]] == [("error", "over_cap")]
    leave[5]()
    assert page.brief("k16") == ("loading", "first_read", None)
    assert page.brief("k17") == ("error", "over_cap", None)
    assert page.seen["k16"][-1].state == "loading"


async def test_a_second_view_of_a_refused_key_is_told_so_and_a_refused_view_may_leave() -> None:
    page = Page()
    leave = [page.show(f"k{n}") for n in range(16)]
    first, second = page.show("k16"), page.show("k16")
    assert [seen.reason for seen in page.seen["k16"]] == ["over_cap", "over_cap"]
    first()
    assert page.brief("k16") == ("error", "over_cap", None)
    second()
    assert page.brief("k16") == ("loading", "first_read", None)
    leave[0]()
    await page.settle()
    assert page.sent("k16") == []


async def test_marks_reach_the_scopes_below_and_what_a_predicate_accepts() -> None:
    page = Page()
    for name in ("jobs", "jobs/7", "queues"):
        page.show(name)
    await page.answer("jobs", ok(1))
    await page.answer("jobs/7", ok(1))
    await page.answer("queues", ok(1))
    page.reads.mark_dirty(["jobs"])
    assert [page.brief(name)[1] for name in ("jobs", "jobs/7", "queues")] == ["changed", "changed", "read"]
    page.reads.mark_dirty(lambda key: key.path == "/api/queues")
    assert page.brief("queues")[1] == "changed"
    await page.wait(2.0)
    assert (page.sent("jobs"), page.sent("jobs/7")) == ([0.0, 2.0], [0.0, 2.0])


async def test_one_scope_may_be_given_as_plain_text() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", ok(1))
    page.reads.mark_dirty("jobs")
    assert page.brief("jobs")[1] == "changed"
    page.reads.mark_dirty("nothing")


async def test_pause_resume_and_refresh_reach_the_key() -> None:
    page = Page()
    page.show("jobs", cadence=5.0)
    await page.answer("jobs", ok(1))
    key = query("jobs").key
    page.reads.pause(key)
    assert page.brief("jobs") == ("paused", "selection", 1)
    await page.wait(60.0)
    assert page.sent("jobs") == [0.0]
    page.reads.refresh(key)
    await page.answer("jobs", ok(2))
    assert page.brief("jobs") == ("paused", "selection", 2)
    await page.wait(10.0)
    page.reads.resume(key)
    await page.answer("jobs", ok(3))
    assert page.brief("jobs") == ("fresh", "read", 3)


async def test_updates_paused_by_hand_stay_paused_for_views_opened_later_which_are_read_once() -> None:
    page = Page()
    page.show("jobs", cadence=5.0)
    await page.answer("jobs", ok(1))
    page.reads.pause_all()
    page.show("queues", cadence=5.0)
    await page.answer("queues", ok(1))
    assert page.brief("jobs") == ("paused", "by_hand", 1)
    assert page.brief("queues") == ("paused", "by_hand", 1)
    await page.wait(60.0)
    assert len(page.fetch.calls) == 2
    page.reads.pause(query("jobs").key, PauseCause.SELECTION)
    page.reads.resume_all()
    await page.settle()
    assert page.brief("jobs") == ("paused", "selection", 1)
    assert page.sent("queues") == [0.0, 60.0]
    page.show("workers", cadence=5.0)
    await page.answer("workers", ok(1))
    assert page.brief("workers")[0] == "fresh"


async def test_another_database_voids_all_data_and_another_process_none() -> None:
    page = Page()
    page.reads.backend_seen(BackendIdentity("db-1", "p-1"))
    page.show("jobs")
    await page.answer("jobs", ok("first"))
    page.reads.backend_seen(BackendIdentity("db-1", "p-2"))
    assert page.brief("jobs") == ("fresh", "read", "first")
    page.reads.refresh(query("jobs").key)
    await page.wait(2.0)
    page.reads.backend_seen(BackendIdentity("db-2", "p-3"))
    assert page.brief("jobs") == ("loading", "first_read", None)
    await page.settle()
    assert page.fetch.calls[-1].aborted


async def test_the_advertised_cache_lifetime_reaches_the_floor() -> None:
    page = Page()
    page.reads.backend_seen(BackendIdentity("db-1", "p-1"), cached_for=9.0)
    page.show("stats", floor=Floor.CACHED, cadence=5.0)
    await page.answer("stats", ok(1))
    await page.wait(9.0)
    assert page.sent("stats") == [0.0, 9.0]


async def test_new_credentials_blank_and_read_again() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", error(401, "unauthenticated"))
    assert page.brief("jobs")[0] == "signed_out"
    await page.wait(100.0)
    assert page.sent("jobs") == [0.0]
    page.reads.credentials_changed()
    await page.answer("jobs", ok("mine"))
    assert page.brief("jobs") == ("fresh", "read", "mine")


@pytest.mark.parametrize("fault", [NetworkError("reset"), ValueError("a fault of the port")])
async def test_any_error_of_the_network_ends_the_read_as_a_network_failure(fault: Exception) -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", fault)
    assert page.brief("jobs") == ("error", "network", None)
    assert page.errors == ([] if isinstance(fault, NetworkError) else [fault])
    await page.wait(2.0)
    await page.answer("jobs", ok(1))
    assert page.brief("jobs") == ("fresh", "read", 1)


async def test_a_row_that_is_gone_is_told_from_a_missing_route() -> None:
    page = Page()
    page.show("jobs/7", may_be_gone=True)
    await page.answer("jobs/7", error(404, "not_found"))
    assert page.brief("jobs/7") == ("error", "gone", None)
    page.show("jobs")
    await page.answer("jobs", error(404, "not_found"))
    assert page.brief("jobs") == ("unsupported", "route_absent", None)


async def test_an_old_server_that_answers_html_is_unsupported() -> None:
    page = Page()
    page.show("jobs")
    await page.answer("jobs", HTML)
    assert page.brief("jobs") == ("unsupported", "not_json", None)


async def test_the_newest_decoder_of_a_key_is_used() -> None:
    page = Page()
    page.show("jobs")

    def other(response: Response) -> Decoded[Any]:
        return Decoded(f"other {decode(response).data}", NOON, NOON, 0)

    await page.answer("jobs", ok("x"))
    page.show("jobs", decode=other)
    await page.wait(30.0)
    await page.answer("jobs", ok("x"))
    assert page.brief("jobs")[2] == "other x"


async def test_a_tab_that_opens_in_the_background_reads_nothing_until_it_is_seen() -> None:
    page = Page(visible=False)
    page.show("jobs")
    await page.wait(60.0)
    assert (page.fetch.calls, page.timer.at) == ([], None)


async def test_errors_are_logged_without_their_text(caplog: pytest.LogCaptureFixture) -> None:
    reads = TabReads(Page().ports, SchedulerSettings(), lambda: 0.5)

    def broken(_: Observation[Any]) -> None:
        raise RuntimeError("patient-4711")

    reads.subscribe(query("jobs"), broken)
    assert caplog.messages == ["A view or a port failed: RuntimeError"]
