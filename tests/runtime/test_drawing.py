"""What the renderer does to the DOM."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from .test_fields import refreshed

Visit = Callable[..., Page]
NAMES = [["a", "b", "c", "d", "e"], ["e", "d", "c", "b", "a"]]


def order(page: Page, selector: str) -> list[str]:
    names: list[str] = page.locator(selector).evaluate_all("nodes => nodes.map(node => node.id.split('-')[1])")
    return names


def test_keyed_rows_keep_their_nodes_when_refreshed_and_reordered(visit: Visit) -> None:
    page = visit("rows")
    page.evaluate("document.querySelectorAll('tr, li').forEach(node => { node.mark = node.id })")
    assert order(page, "tbody > tr") == NAMES[0]
    refreshed(page)
    page.locator("#reverse").click()
    expect(page.locator("tbody > tr").first).to_have_id("row-e")
    assert order(page, "tbody > tr") == NAMES[1]
    assert order(page, "ul > li") == NAMES[1]
    page.locator("#drop").click()
    expect(page.locator("#row-e")).to_have_count(0)
    marks = page.evaluate("[...document.querySelectorAll('tr, li')].map(node => node.mark === node.id)")
    assert marks == [True] * 8


def test_a_focused_row_keeps_focus_draft_and_caret_when_it_moves(visit: Visit) -> None:
    page = visit("rows")
    field = page.locator("#input-a")
    field.press_sequentially("draft")
    field.evaluate("element => element.setSelectionRange(1, 3)")
    # Not by a click, which would take the focus.
    page.evaluate("document.querySelector('#reverse').click()")
    expect(page.locator("tbody > tr").last).to_have_id("row-a")
    page.evaluate("document.querySelector('#drop').click()")
    expect(page.locator("tbody > tr").first).to_have_id("row-d")
    refreshed(page)
    expect(field).to_be_focused()
    expect(field).to_have_value("draft")
    assert field.evaluate("element => [element.selectionStart, element.selectionEnd]") == [1, 3]


def test_a_refresh_touches_only_what_changed(visit: Visit) -> None:
    page = visit("rows")
    page.evaluate(
        """() => {
          window.touched = new Set();
          const note = ({ target, type }) => touched.add(`${type} ${target.nodeName}`);
          new MutationObserver(records => records.forEach(note))
            .observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
        }"""
    )
    refreshed(page, 5)
    assert page.evaluate("[...touched]") == ["characterData #text"]


def test_svg_is_svg(visit: Visit) -> None:
    page = visit("drawing")
    spaces = page.evaluate("['chart', 'bar', 'label'].map(id => document.getElementById(id).namespaceURI)")
    assert spaces == ["http://www.w3.org/2000/svg"] * 3
    before = page.locator("#bar").bounding_box()
    page.locator("#widen").click()
    expect(page.locator("#bar")).to_have_attribute("width", "8")
    after = page.locator("#bar").bounding_box()
    assert before
    assert after
    assert after["width"] == 2 * before["width"] > 0


def seen(page: Page) -> dict[str, Any]:
    expect(page.locator("#seen")).not_to_be_empty()
    data: dict[str, Any] = json.loads(page.locator("#seen").inner_text())
    return data


def test_a_form_is_not_sent_and_delivers_its_values(visit: Visit) -> None:
    page = visit("forms")
    page.locator("#queue").fill("reviews")
    page.get_by_role("button", name="save").click()
    event = seen(page)
    assert event["type"] == "submit"
    assert event["form"] == {"queue": "reviews", "verb": "claim", "action": "save"}
    assert event["formLists"]["verb"] == ["claim", "drain"]
    assert event["target"]["id"] == "form"


def test_keys_outside_the_filter_keep_their_meaning(visit: Visit) -> None:
    page = visit("forms")
    page.locator("#keys").focus()
    page.keyboard.press("Tab")
    expect(page.locator("#link")).to_be_focused()
    expect(page.locator("#seen")).to_be_empty()
    page.locator("#keys").press("Shift+ArrowDown")
    event = seen(page)
    assert (event["key"], event["shiftKey"], event["ctrlKey"]) == ("ArrowDown", True, False)
    page.locator("#keys").press("Space")
    expect(page.locator("#seen")).to_contain_text('"key": " "')


def test_a_link_is_handled_unless_it_is_to_open_elsewhere(visit: Visit) -> None:
    page = visit("forms")
    with page.context.expect_page() as opened:
        page.locator("#link").click(modifiers=["ControlOrMeta"])
    opened.value.close()
    expect(page.locator("#seen")).to_be_empty()
    page.locator("#link").click()
    assert seen(page)["type"] == "click"
    assert page.url.endswith("root=probe:forms")


def test_an_event_tells_both_where_it_happened_and_whose_handler_it_met(visit: Visit) -> None:
    page = visit("forms")
    page.locator("#inner").click()
    event = seen(page)
    assert event["target"]["id"] == "inner"
    assert event["currentTarget"]["id"] == "nested"
    assert event["currentTarget"]["dataset"] == {"job": "42"}


def test_attributes_are_html_and_false_ones_are_left_out(visit: Visit) -> None:
    page = visit("forms")
    attributes = page.locator("#none").evaluate(
        "e => Object.fromEntries([...e.attributes].map(a => [a.name, a.value]))"
    )
    assert attributes == {"id": "none", "class": "quiet", "readonly": ""}
