"""Everything by keyboard, with the focus seen at every stop."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.support.board import Board
from e2e.support.keyboard import Stop, walk
from e2e.support.world import Operator
from switchboard_ui.core.places import PAGES
from tests.support.servers import Server

BOARD = [
    ("link", "Skip to main content"),
    ("link", "Switchboard"),
    *(("link", page.heading) for page in PAGES.values() if not page.of_one_row),
    ("link", "Sign out"),
    ("searchbox", "Show queues whose name contains"),
    ("button", "Pause updates"),
    ("button", "Refresh now"),
    *(("link", queue) for queue in ("broken", "builds", "idle", "investigations", "newsletters", "triage")),
    ("link", "Board without scripts"),
]
SIGN_IN = [("textbox", "Name"), ("textbox", "Password"), ("button", "Sign in")]


def places(stops: list[Stop]) -> list[tuple[str, str]]:
    return [(stop.role, stop.name) for stop in stops]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_walk_over_the_board(board: Board, scheme: str) -> None:
    board.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    there = walk(board.page)
    assert places(there) == BOARD
    assert [stop for stop in there if not stop.is_visible] == []
    back = walk(board.page, "Shift+Tab")
    assert places(back) == BOARD[::-1]


def test_the_walk_in_a_narrow_window(board: Board) -> None:
    board.page.set_viewport_size({"width": 320, "height": 256})
    there = walk(board.page)
    assert places(there) == BOARD
    assert [stop for stop in there if not stop.is_visible] == []


def test_the_walk_over_the_sign_in_form(anonymous: Page, server: Server) -> None:
    anonymous.goto(server.url + "/sign-in")
    expect(anonymous.get_by_label("Name", exact=True)).to_be_focused()
    back = walk(anonymous, "Shift+Tab")
    assert back == []
    there = walk(anonymous)
    assert places(there) == SIGN_IN
    assert [stop for stop in there if not stop.is_visible] == []


def test_the_skip_link_skips(board: Board) -> None:
    board.page.keyboard.press("Tab")
    board.page.keyboard.press("Enter")
    expect(board.page.get_by_role("main")).to_be_focused()
    board.page.keyboard.press("Tab")
    expect(board.filter).to_be_focused()


def test_the_tree_that_a_screen_reader_reads(board: Board, operator: Operator) -> None:
    expect(board.page.get_by_role("banner")).to_match_aria_snapshot(
        """
        - banner:
          - link "Switchboard"
          - navigation "Pages":
            - list:
              - listitem:
                - link "Board"
          - navigation "Account":
            - link "Sign out"
        """
    )
    expect(board.page.get_by_role("link", name="Board", exact=True)).to_have_attribute("aria-current", "page")
    expect(board.queue("newsletters")).to_match_aria_snapshot(
        f"""
        - region "newsletters {operator.scope}":
          - heading "newsletters {operator.scope}" [level=2]
          - paragraph: paused
          - list:
            - listitem: 0 of 0 in flight
            - listitem: 1 waiting
          - list "Waiting in newsletters":
            - listitem
        """
    )
    expect(board.todos("newsletters").first).to_contain_text("deferred · paused")
