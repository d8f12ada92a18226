"""axe on a page, with every finding a failure, and so is everything that axe cannot decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@dataclass(frozen=True)
class Allowed:
    """A finding that is none: of this rule, at what this selector matches, in these words. `reason` says why."""

    rule: str
    selector: str
    words: str
    reason: str


ALLOWED = (
    Allowed(
        "color-contrast",
        '.mark[aria-hidden="true"]',
        "non-text characters",
        "A mark beside words that say the same, in their colour or, on a fresh board, in that of .status.admitted.",
    ),
    Allowed(
        "color-contrast",
        ":root:has(.starting:not(:empty)) *",
        "overlap",
        "The bar at the window's end while the page starts; the same elements are judged without it once it is gone.",
    ),
    *(
        Allowed(rule, ".shown *", "", "The gallery has many states of one page on one page; each page has its own.")
        for rule in ("landmark-unique", "duplicate-id-aria")
    ),
    Allowed(
        "color-contrast",
        "dialog:modal *",
        "partially overlaps",
        "axe takes what lies under a modal dialog's lines for what lies over them; the gallery's have nothing below.",
    ),
)

_axe = Axe()


def problems(page: Page) -> list[str]:
    """Violations and incompletes that nobody has allowed, a line each."""
    answer: dict[str, Any] = _axe.run(
        page, options={"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations", "incomplete"]}
    ).response
    found = []
    for kind in ("violations", "incomplete"):
        for rule in answer[kind]:
            for node in rule["nodes"]:
                target, words = str(node["target"][0]), str(node.get("failureSummary", ""))
                if not _allowed(page, rule["id"], target, words):
                    found.append(f"{kind} {rule['id']} at {target}: {rule['help']} {words}")
    return found


def _allowed(page: Page, rule: str, target: str, words: str) -> bool:
    return any(
        rule == one.rule
        and one.words in words
        and page.evaluate("([at, what]) => document.querySelector(at).matches(what)", [target, one.selector])
        for one in ALLOWED
    )
