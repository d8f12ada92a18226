"""The browser's side of the ports."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

Visit = Callable[..., Page]


def outcome(page: Page, button: str) -> str:
    page.locator(f"#{button}").click()
    expect(page.locator("#outcome")).not_to_be_empty()
    return page.locator("#outcome").inner_text()


def test_a_read_brings_the_whole_answer(visit: Visit) -> None:
    assert json.loads(outcome(visit("reads"), "get")) == [200, "GET x=1 application/json", False, "text/plain"]


def test_a_mutation_sends_json_as_it_is(visit: Visit) -> None:
    body = '{"big": 9007199254740993}'
    assert json.loads(outcome(visit("reads"), "post")) == [200, body, False, "application/json"]


def test_a_redirect_is_told(visit: Visit) -> None:
    status, text, redirected, _ = json.loads(outcome(visit("reads"), "redirected"))
    assert (status, redirected) == (200, True)
    assert text.startswith("GET moved")


def test_an_answer_that_is_cut_off_is_no_answer(visit: Visit, complaints: list[str]) -> None:
    assert outcome(visit("reads"), "broken") == "network error"
    assert all("ERR_CONTENT_LENGTH_MISMATCH" in text for text in complaints)
    complaints.clear()


def test_another_origin_is_refused(visit: Visit) -> None:
    assert outcome(visit("reads"), "foreign") == "refused"


def test_cancelling_aborts_the_request(visit: Visit) -> None:
    page = visit("reads")
    with page.expect_request("**/slow"):
        page.locator("#slow").click()
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/slow")) as aborted:
        page.locator("#cancel").click()
    assert aborted.value.failure == "net::ERR_ABORTED"
    expect(page.locator("#outcome")).to_have_text("cancelled")


def test_the_life_of_the_tab_is_told(visit: Visit) -> None:
    page = visit("lifecycle")
    page.evaluate(
        """() => {
          let state = 'hidden';
          Object.defineProperty(document, 'visibilityState', { get: () => state, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
          state = 'visible';
          document.dispatchEvent(new Event('visibilitychange'));
          dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
          dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
          dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
          dispatchEvent(new Event('online'));
        }"""
    )
    expect(page.locator("#seen")).to_have_text("hidden visible page_hide page_show_persisted online")


def test_focus_goes_to_what_a_later_render_brings(visit: Visit) -> None:
    page = visit("lifecycle")
    page.locator("#look").click()
    expect(page.locator("#heading")).to_be_focused()
    page.locator("#look").focus()
    expect(page.locator("#heading")).not_to_have_attribute("tabindex", "-1")
