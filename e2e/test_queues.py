"""The pages of the queues, the statistics and the limits in force, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import NewPage
from e2e.support.board import REFRESH_MS, Board
from e2e.support.witness import Witness
from e2e.support.world import Operator, World, budget
from tests.support.servers import Server


@pytest.fixture
def operator(world: World) -> Operator:
    one = world.operator(["mail", "builds"])
    world.set_policy(one, "mail", budget(5, in_flight=3))
    world.enqueue(one, "mail", "Mail {n}", times=4, kind="letter")
    world.claim(one, "mail", 2)
    return one


@pytest.fixture
def queue(page: Page, server: Server) -> Page:
    """The page of the queue with the budget, reached from the board."""
    board = Board(page, server.url).open()
    board.queue("mail").get_by_role("link", name="mail").click()
    expect(page.locator("#queue-name")).to_have_text("mail", timeout=REFRESH_MS)
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    return page


def test_the_queues_are_a_table_that_can_be_narrowed(page: Page, server: Server) -> None:
    Board(page, server.url).open("/queues")
    expect(page.locator("[data-queue=mail]")).to_contain_text("2 of 5 used")
    page.get_by_role("searchbox").fill("bui")
    expect(page.locator("[data-queue]")).to_have_count(1)
    page.get_by_role("link", name="builds").click()
    expect(page.locator("#queue-name")).to_have_text("builds")
    expect(page.locator("#no-window")).to_be_visible()


def test_its_usage_is_a_picture_a_sentence_and_a_table(queue: Page) -> None:
    picture = queue.get_by_role("img", name=re.compile("^Claims per window 2 of 5 in this window so far"))
    expect(picture).to_be_visible()
    queue.get_by_text("Figures").click()
    expect(queue.locator("#usage").get_by_role("cell")).to_have_text(["2 of 5"])


def test_pausing_and_resuming_by_keyboard(queue: Page, world: World, operator: Operator) -> None:
    queue.get_by_role("button", name="Pause queue mail").focus()
    queue.keyboard.press("Enter")
    expect(queue.locator("#pause-queue-outcome")).to_have_text("Queue mail is paused.")
    expect(queue.locator("#queue-status")).to_contain_text("paused", timeout=REFRESH_MS)
    expect(queue.locator("#audit tbody tr").first).to_contain_text("paused: none at once")
    expect(queue.get_by_role("button", name="Pause queue mail")).to_be_focused()
    assert world.claim(operator, "mail") == ()
    queue.get_by_role("button", name="Resume queue mail").focus()
    queue.keyboard.press("Enter")
    expect(queue.locator("#queue-budget")).to_contain_text("at most 3 at once", timeout=REFRESH_MS)
    assert len(world.claim(operator, "mail")) == 1


def test_draining_names_its_set_and_tells_what_changed(queue: Page) -> None:
    queue.get_by_role("button", name="Drain queue mail").click()
    dialog = queue.get_by_role("dialog", name="Drain queue mail?")
    expect(dialog).to_contain_text("2 waiting among them")
    dialog.get_by_role("button", name="Drain it").click()
    expect(queue.locator("#drain-queue-outcome")).to_have_text("2 todos canceled.")
    expect(queue.get_by_role("link", name="0 waiting")).to_be_visible(timeout=REFRESH_MS)


def test_a_queue_that_never_was_is_said(page: Page, server: Server, witness: Witness) -> None:
    witness.allow("Failed to load resource: the server responded with a status of 404")
    Board(page, server.url).open("/queues/999999", wait_for_data=False)
    expect(page.locator("#no-longer-found")).to_have_text("There is no such queue that you may see.")


def test_the_statistics_are_those_of_the_viewers_queues(page: Page, server: Server) -> None:
    Board(page, server.url).open("/statistics")
    expect(page.locator("#kinds").get_by_role("row").filter(has_text="letter")).to_have_text("letter4")
    expect(page.get_by_role("img", name=re.compile("^Claimed a minute Most: 2, at"))).to_be_visible()
    expect(page.locator("#operators-only")).to_be_visible()
    page.get_by_role("link", name="letter", exact=True).click()
    expect(page.locator("[data-todo]")).to_have_count(4)


def test_an_instance_operator_sees_the_storage(
    new_page: NewPage, server: Server, world: World, operator: Operator
) -> None:
    world.execute("update switchboard.humans set operator = true where id = $1", operator.human.id)
    page = new_page(operator)
    Board(page, server.url).open("/statistics")
    expect(page.locator("#tables").get_by_role("rowheader", name="todos", exact=True)).to_be_visible()


def test_about_names_the_longest_time_that_a_change_may_stay_unseen(page: Page, server: Server) -> None:
    Board(page, server.url).open("/about")
    expect(page.get_by_text("Server and tab know the same zone data")).to_be_visible()
    expect(page.locator("dl").filter(has_text="Unannounced changes show after at most")).to_contain_text("33 s")
