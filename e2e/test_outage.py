"""A server that goes away takes no data with it, and the page finds back by itself."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from e2e.support.board import Board
from e2e.support.witness import Witness, complaints_in
from e2e.support.world import Operator, World, budget
from tests.support.servers import running_server


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["investigations"])
    world.set_policy(one, "investigations", budget(100))
    world.enqueue(one, "investigations", "Look into sensor {n}", times=3)
    return one


def test_data_stays_and_is_marked_until_a_server_is_back(
    clocked_page: Page, world: World, operator: Operator, witness: Witness, runtime: None
) -> None:
    witness.allow(r"Failed to load resource: net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)")
    page = clocked_page
    with running_server(world.database_url) as first:
        board = Board(page, first.url).open()
        expect(board.figure("investigations", "used")).to_have_text("0 of 100 used")
        assert first.stop() == 0
        assert complaints_in(first.log()) == []
    board.pass_until("stale")
    expect(board.freshness).to_contain_text("Stale: the server cannot be reached. Shown as of ")
    expect(board.freshness).to_contain_text("Trying again")
    expect(board.figure("investigations", "used")).to_have_text("0 of 100 used")
    expect(board.todos("investigations")).to_have_count(3)
    page.clock.fast_forward(1_000)
    expect(board.announcements).to_have_text("Stale: the server cannot be reached.")
    world.claim(operator, "investigations")
    with running_server(world.database_url, port=urlsplit(first.url).port or 0) as second:
        # by itself: the backoff runs out
        board.pass_until("fresh")
        expect(board.figure("investigations", "used")).to_have_text("1 of 100 used")
        expect(board.announcements).to_have_text("The board is up to date again.")
        page.goto("about:blank")
        assert second.stop() == 0
        assert complaints_in(second.log()) == []
