"""Going from place to place in one document: titles, focus, Back, and addresses that are nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from e2e.support.board import START_MS, Board
from e2e.support.witness import Witness
from e2e.support.world import Operator, World
from tests.support.servers import Server


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["builds", *(f"queue-{number:02}" for number in range(30))])
    world.enqueue(one, "builds", "Build {n}", times=2)
    return one


@pytest.fixture
def marked(board: Board) -> Iterator[Page]:
    """The board's tab, with a mark that a new document would not have."""
    board.page.evaluate("() => { window.sameDocument = true; }")
    yield board.page
    assert board.page.evaluate("() => window.sameDocument") is True


def place(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page).to_have_title(f"{name} - Switchboard")
    expect(page.get_by_role("navigation", name="Pages").locator("[aria-current=page]")).to_have_text(name)


def test_a_link_goes_there_without_a_new_document_and_the_heading_has_the_focus(marked: Page) -> None:
    marked.get_by_role("link", name="Workers", exact=True).click()
    place(marked, "Workers")
    assert re.search(r"/workers$", marked.url)
    expect(marked.get_by_role("heading", level=1)).to_be_focused()


def test_back_and_forward_find_the_places_again_as_they_were_left(marked: Page) -> None:
    marked.evaluate("() => window.scrollTo(0, 400)")
    marked.get_by_role("link", name="Workers", exact=True).focus()
    marked.evaluate("() => window.scrollTo(0, 400)")
    marked.keyboard.press("Enter")
    place(marked, "Workers")
    marked.go_back()
    place(marked, "Board")
    marked.wait_for_function("() => window.scrollY === 400")
    marked.go_forward()
    place(marked, "Workers")


def test_each_place_reads_only_what_it_shows(marked: Page, witness: Witness) -> None:
    marked.get_by_role("link", name="Workers", exact=True).click()
    expect(marked.locator("#freshness")).to_have_attribute("data-state", "fresh")
    before = witness.reads("/api/queues")
    with marked.expect_response("**/api/workers"):
        marked.get_by_role("button", name="Refresh now").click()
    assert witness.reads("/api/queues") == before


def test_coming_back_shows_what_was_known_at_once(marked: Page) -> None:
    marked.get_by_role("link", name="Workers", exact=True).click()
    place(marked, "Workers")
    marked.route("**/api/queues", lambda route: None)  # never answered
    marked.route("**/api/v1/jobs/query", lambda route: None)
    marked.go_back()
    expect(marked.get_by_role("region", name=re.compile("^builds"))).to_be_visible()
    expect(marked.locator("#freshness")).to_have_attribute("data-state", "stale")


def test_a_modified_click_is_the_browsers_business(marked: Page, witness: Witness) -> None:
    with marked.context.expect_page() as opened:
        marked.get_by_role("link", name="Workers", exact=True).click(modifiers=["ControlOrMeta"])
    other = opened.value
    other.wait_for_url("**/workers")
    expect(other.locator("html")).to_have_attribute("data-runtime", "ready", timeout=START_MS)
    other.close()
    place(marked, "Board")


def test_the_skip_link_and_back_from_it_change_nothing_on_the_page(marked: Page) -> None:
    marked.keyboard.press("Tab")
    marked.keyboard.press("Enter")
    expect(marked.get_by_role("main")).to_be_focused()
    marked.go_back()
    place(marked, "Board")
    expect(marked.get_by_role("region", name=re.compile("^builds"))).to_be_visible()


def test_a_hard_load_of_any_place_is_its_shell_and_then_its_page(page: Page, server: Server) -> None:
    answer = page.goto(server.url + "/workers")
    assert answer is not None
    assert answer.headers["cache-control"] == "no-cache"
    place(page, "Workers")
    expect(page.locator("html")).to_have_attribute("data-runtime", "ready", timeout=START_MS)
    place(page, "Workers")


@pytest.mark.parametrize("address", ["/nowhere", "/workers/7", "/board/"])
def test_an_address_that_is_nobodys_is_a_page_of_its_own(
    page: Page, server: Server, witness: Witness, address: str
) -> None:
    witness.allow(r"Failed to load resource: the server responded with a status of 404")
    answer = page.goto(server.url + address)
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
