"""With scripts off the shell leads to the plain board, which shows the same figures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import session_cookie
from e2e.support.board import Board
from e2e.support.witness import Witness
from e2e.support.world import PASSWORD, VIEWER_ZONE, Operator, World, budget
from tests.support.servers import Server


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["investigations", "builds"])
    world.set_policy(one, "investigations", budget(2))
    world.enqueue(one, "investigations", "Look into sensor {n}", times=5)
    world.claim(one, "investigations", 2)
    world.enqueue(one, "builds", "Build {n}", times=2)
    return one


@pytest.fixture
def page(browser: Browser, witness: Witness) -> Iterator[Page]:
    with browser.new_context(java_script_enabled=False, timezone_id=VIEWER_ZONE) as context:
        page = context.new_page()
        witness.watch(page)
        yield page


def test_signing_in_reading_and_signing_out(page: Page, server: Server, operator: Operator) -> None:
    page.goto(server.url)
    page.get_by_label("Name", exact=True).fill(operator.human.name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Board")
    page.locator("noscript a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Plain board")
    board = Board(page, server.url)
    expect(board.figure("investigations", "used")).to_have_text("2 of 2 used")
    page.get_by_role("link", name="Sign out").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_title("Sign in - Switchboard")


def test_a_wrong_password_is_shown_and_focused(page: Page, server: Server, witness: Witness) -> None:
    witness.allow(r"Failed to load resource: the server responded with a status of 401")
    page.goto(server.url + "/sign-in")
    page.get_by_label("Name", exact=True).fill("nobody")
    page.get_by_label("Password").fill("whatever it is")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("group", name="There is a problem")).to_be_focused()


def test_the_shell_shows_no_dead_controls_and_no_promise(page: Page, server: Server, operator: Operator) -> None:
    page.context.add_cookies([session_cookie(operator, server.url)])
    page.goto(server.url + "/board")
    # Playwright's roles and texts leave noscript out, browsers do not
    notice = page.locator("noscript > p")
    expect(notice).to_be_visible()
    assert notice.inner_text() == "This page needs scripts. Use the plain board, which does not."
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("searchbox")).to_have_count(0)
    for text in ("Starting the page", "Reading the board"):
        expect(page.get_by_text(text)).to_be_hidden()


def test_the_plain_board_shows_what_the_live_one_shows(
    page: Page, server: Server, operator: Operator, board: Board, witness: Witness
) -> None:
    page.context.add_cookies([session_cookie(operator, server.url)])
    page.goto(server.url + "/plain/board")
    plain = Board(page, server.url)
    for queue in ("investigations", "builds"):
        for figure in ("used", "in-flight", "pending"):
            texts = [one.figure(queue, figure).all_inner_texts() for one in (plain, board)]
            assert texts[0] == texts[1], (queue, figure)
        assert plain.status(queue).inner_text() == board.status(queue).inner_text()
        titles = [one.todos(queue).locator(".title").all_inner_texts() for one in (plain, board)]
        assert titles[0] == titles[1]
        assert len(titles[0]) == {"investigations": 3, "builds": 2}[queue]
    expect(plain.freshness).to_contain_text("This page does not update by itself.")
    plain.freshness.get_by_role("link", name="Read again").click()
    expect(plain.figure("investigations", "used")).to_have_text("2 of 2 used")


@pytest.fixture
def board(new_page: object, operator: Operator, server: Server) -> Board:
    """The live board, in another browser that runs scripts."""
    assert callable(new_page)
    return Board(new_page(operator), server.url).open()
