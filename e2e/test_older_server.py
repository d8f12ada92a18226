"""A replica of an older release answers with something else: said so, and nothing made up in its place (D30)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.support.board import JOBS, QUEUES, Board
from e2e.support.witness import Witness
from e2e.support.world import Operator, World, budget
from tests.support.servers import Server

PAGE = "<!doctype html><title>Switchboard</title><div id=root></div>"
NO_SUPPORT = "This server does not support what the page asks for: "


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["investigations"])
    world.set_policy(one, "investigations", budget(100))
    world.enqueue(one, "investigations", "Look into sensor {n}", times=3)
    return one


def html_200(route: Route) -> None:
    """What a server with a catch-all route for its page answers to any path."""
    route.fulfill(status=200, content_type="text/html; charset=utf-8", body=PAGE)


def not_found(route: Route) -> None:
    route.fulfill(status=404, content_type="application/json", body='{"error": {"code": "not_found", "message": ""}}')


def not_allowed(route: Route) -> None:
    route.fulfill(status=405, content_type="text/plain", body="Method Not Allowed", headers={"allow": "GET"})


def newer(route: Route) -> None:
    body = '{"version": 2, "data": {}, "observation": {}}'
    route.fulfill(status=200, content_type="application/json", body=body)


ANSWERS = {
    "html": (html_200, "it answered with something else than data"),
    "404": (not_found, "it does not know this read"),
    "405": (not_allowed, "it does not know this read"),
    "newer": (newer, "it speaks another version of this read"),
}


@pytest.mark.parametrize("answer", list(ANSWERS))
def test_without_the_strict_read_the_list_is_unknown_not_empty(
    page: Page, server: Server, witness: Witness, answer: str
) -> None:
    stub, words = ANSWERS[answer]
    witness.allow(r"Failed to load resource: the server responded with a status of 40[45]")
    page.route("**" + JOBS, stub)
    board = Board(page, server.url).open(wait_for_data=False)
    board.expect_state("unsupported")
    expect(board.freshness).to_contain_text(NO_SUPPORT + words)
    # what the other read told is shown, and what waits is unknown
    expect(board.figure("investigations", "pending")).to_have_text("3 waiting")
    expect(board.queue("investigations")).to_contain_text("The waiting todos are not known yet.")
    expect(page.get_by_text("Nothing waits.")).to_have_count(0)
    expect(board.queue("investigations").get_by_role("list", name="Waiting")).to_have_count(0)


def test_an_absent_read_is_not_asked_for_at_the_usual_pace_but_when_the_operator_asks(
    clocked_page: Page, server: Server, witness: Witness
) -> None:
    page = clocked_page
    page.route("**" + JOBS, html_200)
    board = Board(page, server.url).open(wait_for_data=False)
    board.expect_state("unsupported")
    with page.expect_response(board.origin + QUEUES):
        page.clock.fast_forward(30_000)
    assert witness.reads(JOBS) == 1
    # a newer server, and the operator asks
    page.unroute("**" + JOBS)
    with page.expect_response(board.origin + JOBS):
        board.button("Refresh now").click()
    board.pass_until("fresh")
    expect(board.todos("investigations")).to_have_count(3)


def test_without_the_read_of_queues_there_is_no_board_and_no_zero(page: Page, server: Server) -> None:
    page.route("**" + QUEUES, html_200)
    board = Board(page, server.url).open(wait_for_data=False)
    board.expect_state("unsupported")
    expect(board.freshness).to_contain_text(NO_SUPPORT)
    expect(board.queue_names).to_have_count(0)
    expect(page.get_by_role("main")).not_to_contain_text("0")
    expect(page.get_by_text("You have no queues yet")).to_have_count(0)


def test_a_redirect_to_a_sign_in_page_is_not_an_answer(page: Page, server: Server) -> None:
    page.route("**" + QUEUES, lambda route: route.fulfill(status=302, headers={"location": "/sign-in"}))
    board = Board(page, server.url).open(wait_for_data=False)
    board.expect_state("unsupported")
    expect(board.freshness).to_contain_text("it sent the page elsewhere")


def test_an_integer_that_a_browser_would_round_is_refused(page: Page, server: Server) -> None:
    def huge(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"pending":3', f'"pending":{2**53}'))

    page.route("**" + QUEUES, huge)
    board = Board(page, server.url).open(wait_for_data=False)
    board.expect_state("unsupported")
    expect(board.freshness).to_contain_text("its answer is not what this page can read")
    expect(page.get_by_text(str(2**53))).to_have_count(0)
