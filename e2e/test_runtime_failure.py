"""When the page cannot start it says so, and says what works instead."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.support.board import START_MS, Board
from e2e.support.witness import Witness
from e2e.support.world import Operator, World
from tests.support.servers import Server

LOST = r"Failed to load resource: the server responded with a status of 404"


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    return world.operator(["builds"])


def lose(route: Route) -> None:
    route.fulfill(status=404, body="")


def test_a_part_that_is_missing(page: Page, server: Server, witness: Witness) -> None:
    witness.allow(LOST)
    witness.allow("Switchboard: ")
    page.route("**/pyodide.asm*.mjs", lose)
    page.goto(server.url + "/board")
    status = page.locator("#runtime-status")
    expect(status).to_contain_text("This page could not start. Reload it, or use the plain board", timeout=START_MS)
    expect(status).to_be_visible()
    box = status.bounding_box()
    assert box
    assert box["y"] == 0, "before everything else"
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_text("Reading the board")).to_be_hidden()
    status.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Plain board")


def test_a_script_that_never_comes_leaves_a_way_on(page: Page, server: Server, witness: Witness) -> None:
    witness.allow(LOST)
    page.route("**/boot*.mjs", lose)
    page.goto(server.url + "/board")
    status = page.locator("#runtime-status")
    expect(status).to_contain_text("Starting the page.")
    status.get_by_role("link", name="Use the plain board").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Plain board")


def test_a_lost_memory_image_costs_only_time(page: Page, server: Server, witness: Witness) -> None:
    witness.allow(LOST)
    witness.allow("starting without the memory image")
    page.route("**/memory*.bin", lose)
    board = Board(page, server.url).open()
    expect(page.locator("html")).to_have_attribute("data-runtime-mode", "plain")
    expect(board.queue("builds")).to_be_visible()
