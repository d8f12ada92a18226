"""Inputs belong to the person, however often the page renders around them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .site import Site

Visit = Callable[..., Page]


def refreshed(page: Page, times: int = 3) -> None:
    """Wait until the page has rendered a few more times."""
    tick = page.locator("#tick")
    seen = int(tick.inner_text())
    for further in range(1, times + 1):
        expect(tick).not_to_have_text(re.compile(f"^{seen + further - 1}$"))


@pytest.mark.parametrize("field", ["plain", "echo", "delegated", "area"])
def test_no_keystroke_is_lost(visit: Visit, field: str) -> None:
    page = visit("fields")
    page.locator(f"#{field}").focus()
    page.keyboard.type("hello world")
    expect(page.locator(f"#{field}")).to_have_value("hello world")
    refreshed(page)
    expect(page.locator(f"#{field}")).to_have_value("hello world")
    expect(page.locator(f"#{field}")).to_be_focused()


def test_the_components_hear_what_was_typed(visit: Visit) -> None:
    page = visit("fields")
    page.locator("#plain").press_sequentially("hello world")
    page.locator("#echo").press_sequentially("hello echo")
    expect(page.locator("#heard")).to_have_text("hello world")
    expect(page.locator("#echoed")).to_have_text("hello echo")


@pytest.mark.parametrize("field", ["plain", "echo", "delegated", "area"])
def test_the_caret_stays_in_the_middle(visit: Visit, field: str) -> None:
    page = visit("fields")
    element = page.locator(f"#{field}")
    element.press_sequentially("hello world")
    element.evaluate("element => element.setSelectionRange(5, 5)")
    page.keyboard.type(", my")
    refreshed(page)
    expect(element).to_have_value("hello, my world")
    assert element.evaluate("element => [element.selectionStart, element.selectionEnd]") == [9, 9]


def test_a_selection_survives(visit: Visit) -> None:
    page = visit("fields")
    page.locator("#plain").press_sequentially("hello world")
    page.locator("#plain").evaluate("element => element.setSelectionRange(2, 7)")
    refreshed(page)
    assert page.locator("#plain").evaluate("e => [e.selectionStart, e.selectionEnd]") == [2, 7]


def test_the_model_can_change_a_value_on_purpose(visit: Visit) -> None:
    page = visit("fields")
    page.locator("#echo").press_sequentially("abc")
    page.locator("#plain").press_sequentially("kept")
    page.locator("#clear").click()
    expect(page.locator("#echo")).to_have_value("")
    expect(page.locator("#plain")).to_have_value("kept")
    # And once more: the same value is a change again after the person has typed.
    page.locator("#echo").press_sequentially("x")
    expect(page.locator("#echoed")).to_have_text("x")
    page.locator("#clear").click()
    expect(page.locator("#echo")).to_have_value("")


def test_a_select_reports_keeps_and_takes_a_choice(visit: Visit) -> None:
    page = visit("fields")
    choice = page.locator("#choice")
    expect(choice).to_have_value("b")
    choice.select_option("c")
    expect(page.locator("#chosen")).to_have_text("c")
    refreshed(page)
    expect(choice).to_have_value("c")
    page.locator("#clear").click()
    expect(choice).to_have_value("a")


def test_a_checkbox_reports_keeps_and_takes_a_state(visit: Visit) -> None:
    page = visit("fields")
    box = page.locator("#box")
    box.check()
    expect(page.locator("#ticked")).to_have_text("True")
    refreshed(page)
    expect(box).to_be_checked()
    for _ in range(3):
        box.click()
    expect(page.locator("#ticked")).to_have_text("False")
    box.check()
    expect(page.locator("#ticked")).to_have_text("True")
    page.locator("#clear").click()
    expect(box).not_to_be_checked()


def test_what_was_typed_before_the_start_is_kept_and_heard(site: Site, page: Page) -> None:
    page.route(site.file("memory.bin"), lambda route: (page.locator("#early").fill("first"), route.continue_()))
    page.goto(site.page("early"))
    expect(page.locator("#heard")).to_have_text("first")
    expect(page.locator("#early")).to_have_value("first")
