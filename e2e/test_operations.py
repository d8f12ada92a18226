"""The pages of the operations in a real browser: one that was submitted elsewhere shows, ends, and can be stopped."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.conftest import NewPage
from e2e.support.board import REFRESH_MS, Board
from e2e.support.world import Operator, World
from tests.support.servers import Server

Submit = Callable[..., int]


@pytest.fixture
def operator(world: World) -> Operator:
    return world.operator(["mail", "later"])


@pytest.fixture
def submit(server: Server, operator: Operator) -> Submit:
    """Submits an operation as the operator's own program would; its number."""

    def submit(kind: str, wanted: dict[str, Any], key: str = "one") -> int:
        body = {"kind": kind, "filter": wanted, "expected": 3, "key": key}
        headers = {"Authorization": f"Bearer {operator.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(server.url + "/api/operations", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return int(json.load(answer)["id"])

    return submit


@pytest.fixture
def page(new_page: NewPage, operator: Operator, server: Server) -> Page:
    return Board(new_page(operator), server.url).open("/operations").page


@contextmanager
def todos_held(world: World, numbers: list[int]) -> Iterator[None]:
    """Another transaction has its hands on these todos, so that no operation gets to them."""

    async def take() -> asyncpg.Connection:
        connection = await asyncpg.connect(world.database_url)
        await connection.execute("begin")
        await connection.execute("select from switchboard.todos where id = any($1::bigint[]) for update", numbers)
        return connection

    connection = world.loop.run(take())
    try:
        yield
    finally:
        world.loop.run(connection.close())


def row(page: Page, number: int) -> Locator:
    return page.locator(f"[data-operation='{number}']")


def test_one_that_was_submitted_by_api_shows_and_ends(
    page: Page, submit: Submit, world: World, operator: Operator
) -> None:
    expect(page.locator("#operations-empty")).to_be_visible()
    world.enqueue(operator, "mail", "Mail {n}", times=3)
    number = submit("cancel", {"queue": "mail", "states": ["pending"]})
    expect(row(page, number)).to_contain_text("Cancel pending todos of queue mail", timeout=REFRESH_MS)
    expect(row(page, number).locator("[data-state]")).to_have_text("done", timeout=REFRESH_MS)
    expect(row(page, number)).to_contain_text("3 of 3")
    page.get_by_role("link", name=f"Operation {number}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Operation {number}")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator("#operation-state")).to_have_text("done")
    expect(page.get_by_role("progressbar", name="3 of 3")).to_be_visible()
    page.get_by_role("link", name="List what matches now").click()
    expect(page.get_by_text("No todo matches.")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Operation {number}")


def test_one_that_goes_on_is_stopped_by_keyboard_alone(
    page: Page, submit: Submit, world: World, operator: Operator
) -> None:
    numbers = world.enqueue(operator, "mail", "Mail {n}", times=3)
    with todos_held(world, numbers):
        number = submit("purge", {"ids": numbers})
        button = page.get_by_role("button", name=f"Cancel operation {number}")
        expect(button).to_be_visible(timeout=REFRESH_MS)
        button.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name=f"Cancel operation {number}?")
        one, two, three = numbers
        expect(dialog).to_contain_text(f"Delete: todos #{one}, #{two} and #{three}.")
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Cancel the operation")).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(button).to_be_focused()
        expect(page.locator(f"#cancel-{number}-outcome")).to_have_text(f"Operation {number} is being canceled.")
        expect(page.locator("#announcements")).to_have_text(f"Operation {number} is being canceled.")
    expect(row(page, number).locator("[data-state]")).to_have_text("canceled", timeout=REFRESH_MS)
    expect(button).to_be_focused()
    expect(row(page, number)).to_contain_text("0 of 3")


def test_pages_follow_each_other_by_links(page: Page, submit: Submit) -> None:
    numbers = [submit("retry", {"queue": "later"}, key=str(count)) for count in range(51)]
    expect(row(page, numbers[50]).locator("[data-state]")).to_have_text("done", timeout=REFRESH_MS)
    page.get_by_role("link", name="Next page").click()
    expect(page.locator("[data-operation]")).to_have_count(1)
    assert page.url.endswith(f"/operations?before={numbers[1]}")
    expect(page.locator("#operations-caption")).to_be_focused()
    expect(row(page, numbers[0])).to_contain_text("Retry todos of queue later")
    expect(page).to_have_title(re.compile("^Operations, page 2"))
