"""What a screen reader is told while the board refreshes: next to nothing (D34)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.support.board import Board
from e2e.support.world import Operator, World, budget
from tests.support.servers import Server

# Installed before anything else of the page; what is in the region is logged whenever it changes to something.
LISTEN = """
  window.heard = [];
  new MutationObserver(() => {
    const region = document.getElementById("announcements");
    if (!region) return;
    window.region ??= region;
    const text = region.textContent;
    if (text && text !== window.last) heard.push(text);
    window.last = text;
  }).observe(document, { subtree: true, childList: true, characterData: true });
"""


@pytest.fixture
def operator(world: World) -> Operator:
    one = world.operator(["investigations", "builds"])
    world.set_policy(one, "investigations", budget(3))
    world.enqueue(one, "investigations", "Look into sensor {n}", times=5)
    world.enqueue(one, "builds", "Build {n}", times=2)
    return one


@pytest.fixture
def board(clocked_page: Page, server: Server) -> Board:
    clocked_page.add_init_script(LISTEN)
    return Board(clocked_page, server.url).open()


def test_twelve_polls_that_bring_nothing_new_say_nothing(board: Board) -> None:
    for _ in range(12):
        board.refreshed()
    assert board.page.evaluate("heard") == []
    assert board.page.evaluate("region.isConnected && region === document.getElementById('announcements')")


def test_a_queue_that_runs_dry_is_one_sentence_and_its_count_none(
    board: Board, world: World, operator: Operator
) -> None:
    world.claim(operator, "investigations")
    board.refreshed()
    expect(board.figure("investigations", "used")).to_have_text("1 of 3 used")
    world.claim(operator, "investigations", 2)
    board.refreshed()
    expect(board.status("investigations")).to_have_text("■budget used up")
    board.page.clock.run_for(2_000)
    for _ in range(4):
        board.refreshed()
    resets = board.figure("investigations", "resets").inner_text()
    assert board.page.evaluate("heard") == [f"Queue investigations: budget used up, {resets}."]
    expect(board.announcements).to_be_empty()
    assert board.page.evaluate("region.isConnected")


def test_visible_figures_are_in_no_live_region(board: Board) -> None:
    live = board.page.locator("[aria-live], [role=status], [role=alert], [role=log]")
    expect(live).to_have_count(2)
    for region in live.all():
        expect(region).to_be_empty()
