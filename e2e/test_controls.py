"""The operator's own hand: filter, pause, refresh. Refreshes never disturb it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from e2e.support.board import JOBS, QUEUES, Board, Held
from e2e.support.witness import Witness
from e2e.support.world import Operator, World, budget

CADENCE = 5_100
"""Milliseconds that the page's clock is moved on for the next refresh."""


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["investigations", "builds", "invoices"])
    world.set_policy(one, "investigations", budget(100))
    world.enqueue(one, "investigations", "Look into sensor {n}", times=9)
    return one


@pytest.fixture
def board(clocked_board: Board) -> Board:
    return clocked_board


def test_the_focused_field_is_the_same_node_over_three_refreshes_and_no_keystroke_is_lost(
    board: Board, world: World, operator: Operator
) -> None:
    board.filter.focus()
    node = board.filter.element_handle()
    for used, letter in enumerate("inv", start=1):
        board.page.keyboard.type(letter)
        # something changes each time, so that the board is drawn anew
        world.claim(operator, "investigations")
        board.refreshed()
        expect(board.figure("investigations", "used")).to_have_text(f"{used} of 100 used")
    assert node.evaluate("node => node.isConnected && node === document.activeElement")
    expect(board.filter).to_have_value("inv")
    board.expect_queues("investigations", "invoices")
    assert node.evaluate("node => [node.selectionStart, node.selectionEnd]") == [3, 3]


def test_typing_while_answers_arrive(board: Board) -> None:
    held = Held(board.page, QUEUES, JOBS)
    with board.page.expect_request(board.origin + QUEUES), board.page.expect_request(board.origin + JOBS):
        board.page.clock.fast_forward(CADENCE)
    board.filter.focus()
    board.page.keyboard.type("invest")
    with board.page.expect_response(board.origin + QUEUES):
        held.let_go()
        board.page.keyboard.type("igations")
    expect(board.filter).to_have_value("investigations")
    expect(board.filter).to_be_focused()
    board.expect_queues("investigations")


def test_a_filter_that_fits_nothing_says_so_and_can_be_cleared(board: Board) -> None:
    board.filter.fill("nothing of this name")
    expect(board.page.get_by_text("No queue has a name that contains this.")).to_be_visible()
    board.filter.fill("")
    expect(board.queue_names).to_have_count(3)


def test_pausing_stops_the_reads_and_resuming_starts_them(
    board: Board, world: World, operator: Operator, witness: Witness
) -> None:
    board.button("Pause updates").focus()
    board.page.keyboard.press("Enter")
    board.expect_state("paused")
    expect(board.freshness).to_contain_text("Updates are paused. Shown as of ")
    expect(board.button("Resume updates")).to_be_focused()
    world.enqueue(operator, "builds", "Came while paused")
    asked = len(data_reads(witness))
    for _ in range(12):
        board.page.clock.fast_forward(CADENCE)
    expect(board.figure("builds", "pending")).to_have_text("0 waiting")
    assert len(data_reads(witness)) == asked
    with board.page.expect_response(board.origin + QUEUES):
        board.button("Resume updates").click()
    board.expect_state("fresh")
    expect(board.figure("builds", "pending")).to_have_text("1 waiting")
    board.refreshed()


def test_the_pause_is_remembered_and_refresh_now_works_in_it(
    board: Board, world: World, operator: Operator, witness: Witness
) -> None:
    board.button("Pause updates").click()
    board.expect_state("paused")
    board.open(wait_for_data=False)
    board.expect_state("paused")
    expect(board.button("Resume updates")).to_be_visible()
    expect(board.queue_names).to_have_count(3)
    before = board.figure("invoices", "pending").inner_text()
    world.enqueue(operator, "invoices", "Came while paused")
    board.page.clock.fast_forward(60_000)
    asked = witness.reads(QUEUES)
    with board.page.expect_response(board.origin + QUEUES), board.page.expect_response(board.origin + JOBS):
        board.button("Refresh now").click()
    expect(board.figure("invoices", "pending")).not_to_have_text(before)
    expect(board.button("Refresh now")).to_be_focused()
    board.expect_state("paused")
    board.page.clock.fast_forward(60_000)
    expect(board.freshness).to_contain_text("1 min ago")
    assert witness.reads(QUEUES) == asked + 1


def test_refresh_now_is_paced_however_often_it_is_pressed(board: Board, witness: Witness) -> None:
    before = witness.reads(QUEUES)
    for _ in range(10):
        board.button("Refresh now").click()
    board.refreshed()
    board.expect_state("fresh")
    assert witness.reads(QUEUES) - before <= 2


def data_reads(witness: Witness) -> list[str]:
    return [request.url for request in witness.requests if request.url.endswith((QUEUES, JOBS))]
