"""When the page must not ask: told to wait, or not seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from e2e.support.board import JOBS, QUEUES, Board, Held
from e2e.support.witness import Witness
from e2e.support.world import Operator, World

SEEN = """(state) => {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  Object.defineProperty(document, "hidden", { configurable: true, get: () => state === "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["builds"])
    world.enqueue(one, "builds", "Build {n}", times=2)
    return one


@pytest.fixture
def board(clocked_board: Board) -> Board:
    return clocked_board


@pytest.mark.parametrize(("status", "code"), [(429, "rate_limited"), (503, "read_deadline_exceeded")])
def test_retry_after_holds_every_read_back(board: Board, witness: Witness, status: int, code: str) -> None:
    witness.allow(rf"Failed to load resource: the server responded with a status of {status}")
    page = board.page

    def overloaded(route: Route) -> None:
        body = f'{{"error": {{"code": "{code}", "message": "Not now."}}}}'
        headers = {"retry-after": "40"}
        route.fulfill(status=status, content_type="application/json", body=body, headers=headers)

    page.route("**" + QUEUES, overloaded)
    board.refreshed()
    board.expect_state("stale")
    expect(board.freshness).to_contain_text("Stale: the server is overloaded.")
    expect(board.freshness).to_contain_text("Trying again in about 3")
    expect(board.todos("builds")).to_have_count(2)
    page.unroute("**" + QUEUES)
    # the jobs' read of the same moment may have been under way
    board.expect_state("stale")
    queues, jobs = witness.reads(QUEUES), witness.reads(JOBS)
    page.clock.run_for(30_000)
    expect(board.freshness).to_contain_text("Trying again in about")
    assert (witness.reads(QUEUES), witness.reads(JOBS)) == (queues, jobs)
    with page.expect_response(board.origin + QUEUES), page.expect_response(board.origin + JOBS):
        page.clock.run_for(12_000)
    board.expect_state("fresh")
    assert witness.reads(QUEUES) <= queues + 2


def test_a_hidden_tab_sends_nothing_and_a_shown_one_asks_once(board: Board, witness: Witness) -> None:
    page = board.page
    page.evaluate(SEEN, "hidden")
    asked = len(witness.requests)
    page.clock.run_for(120_000)
    # a later answer to the same page proves that all of it has been handled
    page.evaluate("() => fetch('/static/icon.svg')")
    assert [request.url for request in witness.requests[asked:]] == [board.origin + "/static/icon.svg"]
    expect(board.todos("builds")).to_have_count(2)
    asked = len(witness.requests)
    with page.expect_response(board.origin + QUEUES), page.expect_response(board.origin + JOBS):
        page.evaluate(SEEN, "visible")
        page.clock.run_for(1_000)
    board.expect_state("fresh")
    sent = [request.url.removeprefix(board.origin) for request in witness.requests[asked:]]
    assert (sent.count(QUEUES), sent.count(JOBS)) == (1, 1)
    board.refreshed()


def test_an_answer_that_is_under_way_when_the_tab_is_hidden_still_counts(board: Board) -> None:
    page = board.page
    held = Held(page, QUEUES)
    with page.expect_request(board.origin + QUEUES):
        page.clock.fast_forward(5_100)
    page.evaluate(SEEN, "hidden")
    with page.expect_response(board.origin + QUEUES):
        held.let_go()
    page.evaluate(SEEN, "visible")
    board.expect_state("fresh")


def test_a_response_that_hangs_is_ended_at_its_deadline_and_its_late_end_changes_nothing(
    board: Board, world: World, operator: Operator, witness: Witness
) -> None:
    page = board.page
    held = Held(page, JOBS)
    with page.expect_request(board.origin + JOBS):
        page.clock.fast_forward(5_100)
    world.enqueue(operator, "builds", "Build of the late answer")
    with page.expect_event("requestfailed", lambda request: request.url.endswith(JOBS)):
        page.clock.run_for(20_000)
    board.expect_state("stale")
    expect(board.freshness).to_contain_text("Stale: the server did not answer in time.")
    held.let_go()
    page.evaluate("() => fetch('/static/icon.svg')")
    board.expect_state("stale")
    expect(board.todos("builds")).to_have_count(2)
    # its demand was kept: the next read brings what the late one would have
    board.pass_until("fresh")
    expect(board.todos("builds")).to_have_count(3)
