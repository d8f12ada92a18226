"""The page of the todos in a real browser: filter, choice, bulk work, refreshes that disturb nobody."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import NewPage
from e2e.support.board import JOBS, REFRESH_MS, Board
from e2e.support.witness import Witness
from e2e.support.world import Operator, World
from tests.support.servers import Server

Todos = Callable[..., Board]

# Counts what a refresh does to the page, but for the trust line, whose age ticks.
WATCH = """() => {
  window.touched = [];
  const name = (node) => (node.nodeType === 3 ? node.parentElement : node)?.closest("tr, #freshness, [id]");
  new MutationObserver((changes) => {
    for (const change of changes) {
      const at = name(change.target);
      if (at?.id === "freshness" || at?.closest("#freshness")) continue;
      window.touched.push(at?.dataset.todo ? `todo ${at.dataset.todo}` : `${change.type} ${at?.id || at?.localName}`);
    }
  }).observe(document.getElementById("app"),
    { subtree: true, childList: true, attributes: true, characterData: true });
}"""


@pytest.fixture
def operator(world: World) -> Operator:
    return world.operator(["mail", "later"])


@pytest.fixture
def todos(new_page: NewPage, operator: Operator, server: Server) -> Todos:
    """Opens the page of the todos at an address."""

    def opened(address: str = "/jobs", *, clocked: bool = False) -> Board:
        return Board(new_page(operator, clocked=clocked), server.url).open(address)

    return opened


def row(page: Page, number: int) -> Any:
    return page.locator(f"[data-todo='{number}']")


def states(page: Page) -> list[str]:
    return page.locator("[data-todo] [data-state]").all_inner_texts()


def test_a_filter_is_set_in_the_form_and_taken_off_by_its_chip(todos: Todos, world: World, operator: Operator) -> None:
    world.enqueue(operator, "mail", "Mail {n}", times=3)
    world.enqueue(operator, "later", "Later {n}", times=2)
    page = todos().page
    expect(page.locator("[data-todo]")).to_have_count(5)
    page.get_by_label(re.compile("^Queue")).fill("later")
    page.get_by_role("checkbox", name="pending").check()
    page.keyboard.press("Enter")
    expect(page.locator("[data-todo]")).to_have_count(2)
    assert page.url.endswith("/jobs?queue=later&state=pending")
    expect(page.locator("#count")).to_have_text(re.compile(r"^2 match, counted at "))
    expect(page.locator("#announcements")).to_have_text("2 match.")
    page.get_by_role("link", name="List without pending").click()
    expect(page.get_by_role("checkbox", name="pending")).not_to_be_checked()
    assert page.url.endswith("/jobs?queue=later")
    page.go_back()
    expect(page.get_by_role("checkbox", name="pending")).to_be_checked()
    page.get_by_role("link", name="No filter").click()
    expect(page.locator("[data-todo]")).to_have_count(5)
    expect(page.get_by_label(re.compile("^Queue"))).to_have_value("")


def test_pages_follow_each_other_by_links_and_the_caption_has_the_focus(
    todos: Todos, world: World, operator: Operator
) -> None:
    numbers = world.enqueue(operator, "mail", "Mail {n}", times=60)
    page = todos("/jobs?queue=mail").page
    expect(page.locator("[data-todo]")).to_have_count(50)
    page.get_by_role("link", name="Next page").click()
    expect(page.locator("[data-todo]")).to_have_count(10)
    expect(row(page, numbers[9])).to_have_count(1)
    expect(page).to_have_title("Todos, page 2 - Switchboard")
    expect(page.locator("#jobs-caption")).to_be_focused()
    expect(page.get_by_role("navigation", name="Pagination")).to_contain_text("Page 2, the last one")
    page.get_by_role("link", name="Previous page").click()
    expect(page.locator("[data-todo]")).to_have_count(50)
    expect(page).to_have_title("Todos - Switchboard")


def test_many_at_once_by_keyboard_alone(todos: Todos, world: World, operator: Operator) -> None:
    numbers = world.enqueue(operator, "mail", "Mail {n}", times=3)
    page = todos("/jobs?queue=mail").page
    page.get_by_role("checkbox", name=f"Select todo {numbers[0]}", exact=True).focus()
    page.keyboard.press("Space")
    page.get_by_role("checkbox", name=f"Select todo {numbers[2]}", exact=True).focus()
    page.keyboard.press("Space")
    expect(page.locator("#chosen")).to_have_text("2 selected; the list is paused meanwhile.")
    expect(page.locator("#freshness")).to_have_attribute("data-state", "paused")
    page.get_by_role("button", name="Clear selection").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("checkbox", name=re.compile("^Select todo"), checked=True)).to_have_count(0)
    expect(page.get_by_role("checkbox", name="Select all on this page")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#chosen")).to_have_text("3 selected; the list is paused meanwhile.")
    page.get_by_role("checkbox", name=f"Select todo {numbers[1]}", exact=True).uncheck()
    page.get_by_role("button", name="Cancel…").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Cancel the 2 selected todos?")
    expect(dialog.get_by_role("status")).to_have_text("2 todos match. All of them can be canceled.")
    page.get_by_role("button", name="Cancel 2 todos").focus()
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Cancel…")).to_be_focused()
    expect(page.locator("#operation")).to_have_text(re.compile(r"is done\. 2 todos canceled\."), timeout=REFRESH_MS)
    expect(row(page, numbers[0]).locator("[data-state]")).to_have_text("canceled", timeout=REFRESH_MS)
    expect(row(page, numbers[1]).locator("[data-state]")).to_have_text("pending")


def test_escape_leaves_the_dialog_and_changes_nothing(todos: Todos, world: World, operator: Operator) -> None:
    world.enqueue(operator, "mail", "Mail {n}", times=2)
    page = todos().page
    page.get_by_role("button", name="Delete…").click()
    expect(page.get_by_role("dialog", name="Delete all todos?")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="match")).to_have_text(
        "2 todos match. None of them can be deleted by you."
    )
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Delete…")).to_be_focused()
    assert states(page) == ["pending", "pending"]


def test_a_choice_a_half_typed_name_and_an_open_dialog_survive_ten_refreshes(
    todos: Todos, world: World, operator: Operator
) -> None:
    numbers = world.enqueue(operator, "mail", "Mail {n}", times=45)
    board = todos("/jobs?state=pending", clocked=True)
    page = board.page
    expect(page.locator("[data-todo]")).to_have_count(45)
    chosen = numbers[:30]
    for number in chosen:
        page.get_by_role("checkbox", name=f"Select todo {number}", exact=True).check()
    expect(page.locator("#chosen")).to_have_text("30 selected; the list is paused meanwhile.")
    page.get_by_role("button", name="Update it anyway").click()
    page.get_by_role("button", name="Move…").click()
    field = page.get_by_label("Queue to move to, of the same owner")
    field.press_sequentially("lat")
    page.evaluate("() => { window.field = document.activeElement; }")
    page.evaluate("(number) => { window.kept = document.querySelector(`[data-todo='${number}']`); }", chosen[29])
    for count in range(10):
        if count == 3:
            world.claim(operator, "mail", 5)
        board.refreshed(JOBS)
    expect(page.get_by_role("dialog", name="Move the 30 selected todos?")).to_be_visible()
    expect(field).to_have_value("lat")
    assert page.evaluate("() => document.activeElement === window.field && window.field.isConnected")
    assert page.evaluate("() => window.kept.isConnected && window.kept.querySelector('input').checked")
    left = page.locator("[data-todo].left")
    expect(left).to_have_count(5)
    assert [int(each.get_attribute("data-todo") or 0) for each in left.all()] == sorted(chosen[:5], reverse=True)
    field.press_sequentially("er")
    page.keyboard.press("Enter")
    told = page.get_by_role("dialog").get_by_role("status")
    expect(told).to_have_text("30 todos match. 25 of them can be moved; the others are left alone.")
    expect(page.locator("#chosen")).to_have_text("30 selected; the list goes on being updated.")


def test_a_refresh_of_fifty_rows_that_changed_nothing_touches_no_node(
    todos: Todos, world: World, operator: Operator
) -> None:
    world.enqueue(operator, "mail", "Mail {n}", times=50)
    board = todos(clocked=True)
    expect(board.page.locator("[data-todo]")).to_have_count(50)
    board.page.evaluate(WATCH)
    for _ in range(3):
        board.refreshed(JOBS)
    assert board.page.evaluate("() => window.touched") == []


def test_a_refresh_that_changed_one_row_touches_that_row_alone(todos: Todos, world: World, operator: Operator) -> None:
    numbers = world.enqueue(operator, "mail", "Mail {n}", times=50)
    board = todos(clocked=True)
    expect(board.page.locator("[data-todo]")).to_have_count(50)
    board.page.evaluate(WATCH)
    world.claim(operator, "mail")
    board.refreshed(JOBS)
    expect(row(board.page, numbers[0]).locator("[data-state]")).to_have_text("claimed", timeout=REFRESH_MS)
    assert set(board.page.evaluate("() => window.touched")) == {f"todo {numbers[0]}"}


def test_one_todo_is_read_retried_and_still_readable_when_it_is_gone(
    todos: Todos, world: World, operator: Operator, witness: Witness
) -> None:
    witness.allow(r"Failed to load resource: the server responded with a status of 404")
    (number,) = world.enqueue(operator, "mail", "Mail one")
    page = todos().page
    page.get_by_role("link", name=f"#{number}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Todo {number}")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator("#todo-state")).to_have_text("pending")
    page.get_by_role("button", name=f"Cancel todo {number}").click()
    page.get_by_role("button", name="Cancel it").click()
    expect(page.locator("#cancel-outcome")).to_have_text(f"Todo {number} is canceled.")
    expect(page.locator("#todo-state")).to_have_text("canceled", timeout=REFRESH_MS)
    expect(page.locator("#cancel-outcome")).to_be_visible()
    world.execute("delete from switchboard.todos where id = $1", number)
    expect(page.locator("#no-longer-found")).to_contain_text("This was last known.", timeout=REFRESH_MS)
    expect(page.locator("#todo-state")).to_have_text("canceled")
