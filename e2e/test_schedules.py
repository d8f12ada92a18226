"""The page of the schedules in a real browser, against a real server."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.conftest import NewPage
from e2e.support.board import REFRESH_MS, Board
from e2e.support.witness import Witness
from e2e.support.world import Operator, World
from tests.support.servers import Server

Api = Callable[..., Any]


@pytest.fixture
def operator(world: World) -> Operator:
    return world.operator(["mail"])


@pytest.fixture
def api(server: Server, operator: Operator) -> Api:
    """Asks the server as the operator's own program would."""

    def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {operator.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(server.url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    return ask


@pytest.fixture
def nightly(api: Api, operator: Operator) -> Any:
    """A schedule that fires once a year."""
    template = {"name": "nightly", "kind": "sweep", "title": "Sweep", "cron": "0 2 1 1 *", "tz": "America/Los_Angeles"}
    return api("POST", "/api/schedules", {**template, "scope": operator.scope, "queue": "mail"})


@pytest.fixture
def page(new_page: NewPage, operator: Operator, server: Server) -> Page:
    return Board(new_page(operator), server.url).open("/schedules").page


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row", name=re.compile(f"^{name} "))


def stands(api: Api) -> list[Any]:
    listed: list[Any] = api("GET", "/api/schedules")["schedules"]
    return listed


def test_a_schedule_is_made_paused_and_deleted_by_keyboard_alone(page: Page, api: Api, witness: Witness) -> None:
    witness.allow(r"Failed to load resource: the server responded with a status of 400")
    expect(page.locator("#schedules-empty")).to_be_visible()
    page.get_by_role("button", name="New schedule…").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="New schedule")
    expect(dialog.get_by_role("heading")).to_be_focused()
    expect(dialog.get_by_label("Queue").get_by_role("option")).to_have_count(2)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    for text in ("digest", "0 9 * *", None, None, "digest", "Send the digest"):
        page.keyboard.press("Tab")
        if text is not None:
            page.keyboard.type(text)
    page.keyboard.press("Enter")
    cron = dialog.get_by_label("Cron expression")
    expect(cron).to_be_focused()
    expect(cron).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#schedule-cron-error")).not_to_be_empty()
    expect(dialog.get_by_label("Title")).to_have_value("Send the digest")
    expect(cron).to_have_value("0 9 * *")
    assert stands(api) == []
    page.keyboard.press("End")
    page.keyboard.type(" *")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="New schedule…")).to_be_focused()
    expect(page.locator("#announcements")).to_have_text("Schedule digest is made.")
    expect(row(page, "digest")).to_contain_text("09:00 CET", timeout=REFRESH_MS)
    (made,) = stands(api)
    assert (made["cron"], made["tz"], made["queue"], made["paused"]) == ("0 9 * * *", "Europe/Berlin", "mail", False)

    page.get_by_role("button", name="Pause schedule digest").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Resume schedule digest")).to_be_focused(timeout=REFRESH_MS)
    expect(row(page, "digest").locator("[data-state]")).to_have_text("paused")
    assert stands(api)[0]["paused"] is True

    page.get_by_role("button", name="Delete schedule digest").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Delete schedule digest?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Delete schedule digest")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete it").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#schedules-empty")).to_be_visible(timeout=REFRESH_MS)
    assert stands(api) == []


@pytest.mark.usefixtures("nightly")
def test_triggering_makes_a_todo_that_the_page_names(page: Page, api: Api) -> None:
    page.get_by_role("button", name="Trigger schedule nightly").click()
    expect(page.get_by_text(re.compile(r"^Todo \d+ was made\.$")).first).to_be_visible()
    (todo,) = api("GET", "/api/jobs?queue=mail")["jobs"]
    assert (todo["kind"], todo["title"], todo["state"]) == ("sweep", "Sweep", "pending")
    expect(row(page, "nightly")).to_contain_text(f"Todo {todo['id']} was made.")


def test_what_somebody_else_changed_is_shown_before_it_is_replaced(
    page: Page, api: Api, nightly: Any, witness: Witness
) -> None:
    witness.allow(r"Failed to load resource: the server responded with a status of 409")
    page.get_by_role("button", name="Edit… schedule nightly").click()
    dialog = page.get_by_role("dialog", name="Edit schedule nightly")
    dialog.get_by_label("Title").fill("Sweep twice")
    kept = {name: nightly[name] for name in ("name", "kind", "title", "tz", "version")}
    api("PUT", f"/api/schedules/{nightly['id']}", {**kept, "cron": "30 3 1 1 *"})
    dialog.get_by_role("button", name="Save the schedule").click()
    expect(page.locator("#schedule-told")).to_have_text("This schedule has been changed since.")
    expect(page.locator("#schedule-newer")).to_contain_text("30 3 1 1 *", timeout=REFRESH_MS)
    expect(page.locator("#schedule-newer")).to_be_focused()
    expect(dialog.get_by_label("Title")).to_have_value("Sweep twice")
    assert stands(api)[0]["title"] == "Sweep"
    dialog.get_by_role("button", name="Save the schedule").click()
    expect(dialog).to_have_count(0)
    (now,) = stands(api)
    assert (now["title"], now["cron"]) == ("Sweep twice", "0 2 1 1 *")


@pytest.mark.usefixtures("nightly")
def test_a_half_filled_form_survives_refreshes(new_page: NewPage, operator: Operator, server: Server) -> None:
    board = Board(new_page(operator, clocked=True), server.url).open("/schedules")
    page = board.page
    page.get_by_role("button", name="Edit… schedule nightly").click()
    title = page.get_by_label("Title")
    title.fill("")
    title.press_sequentially("Half a ti")
    for _ in range(3):
        board.refreshed("/api/schedules")
    expect(title).to_be_focused()
    title.press_sequentially("tle")
    expect(title).to_have_value("Half a title")
