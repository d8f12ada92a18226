"""What holds for every page in every state: axe, reflow, spacing, sizes."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize

from e2e.support.axe import problems

WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 320, "height": 256}

OVERFLOWING = """() => {
  const page = document.documentElement;
  if (page.scrollWidth <= innerWidth) return [];
  return [...document.querySelectorAll("body *")]
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5)
    .map((node) => `${node.localName}.${node.className}`);
}"""

# WCAG 1.4.12. Set through the style sheet's own object: the content security policy bars style elements.
SPACED = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
    p { margin-block-end: 2em !important; }`);
  document.adoptedStyleSheets = [sheet];
}"""
PLAINLY = "() => { document.adoptedStyleSheets = []; }"

# Text that its own box cuts off. What is there for screen readers only is one pixel on purpose.
CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
  .filter((node) => !node.closest(".unseen") && getComputedStyle(node).overflow !== "visible")
  .filter((node) => node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)
  .map((node) => node.outerHTML.slice(0, 80))"""

SMALL_TARGETS = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")]
  .map((node) => ({ node, box: node.getBoundingClientRect() }))
  .filter(({ node, box }) => box.width && !node.closest(".skip"))
  // a link within a sentence is exempt (WCAG 2.5.8)
  .filter(({ node }) => getComputedStyle(node).display !== "inline" || node.parentElement.innerText === node.innerText)
  .filter(({ box }) => box.width < 24 || box.height < 24)
  .map(({ node, box }) => `${node.outerHTML.slice(0, 60)} is ${box.width} x ${box.height}`)"""


@pytest.fixture(params=["light", "dark", "narrow"])
def looks(request: pytest.FixtureRequest, shown: Page) -> Page:
    """The page in a light and a dark window, and in one as narrow as 1280 px at 400 %."""
    shown.emulate_media(color_scheme="dark" if request.param == "dark" else "light")
    shown.set_viewport_size(NARROW if request.param == "narrow" else WIDE)
    return shown


def test_axe_finds_nothing(looks: Page) -> None:
    assert problems(looks) == []


def test_no_page_scrolls_sideways(shown: Page) -> None:
    shown.set_viewport_size(NARROW)
    assert shown.evaluate(OVERFLOWING) == []


def test_wider_spacing_cuts_nothing_off(shown: Page) -> None:
    for size in (NARROW, WIDE):
        shown.set_viewport_size(size)
        shown.evaluate(SPACED)
        try:
            assert shown.evaluate(OVERFLOWING) == []
            assert shown.evaluate(CUT_OFF) == []
        finally:
            shown.evaluate(PLAINLY)


def test_targets_are_large_enough(shown: Page) -> None:
    for size in (NARROW, WIDE):
        shown.set_viewport_size(size)
        assert shown.evaluate(SMALL_TARGETS) == []


def test_title_language_and_one_heading(shown: Page) -> None:
    facts: dict[str, Any] = shown.evaluate(
        "() => ({ title: document.title, lang: document.documentElement.lang, "
        "h1: document.querySelectorAll('h1').length, main: document.querySelectorAll('main').length, "
        "titles: document.querySelectorAll('[title]').length })"
    )
    assert facts.pop("title").endswith(" - Switchboard")
    assert facts == {"lang": "en", "h1": 1, "main": 1, "titles": 0}
