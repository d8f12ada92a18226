"""How far the figures can be trusted: observed when, how old, and what happens next; each state in words of its own."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.core.freshness_view import FreshnessView

_MARKS = {"fresh": "●", "loading": "○"}


def freshness(view: FreshnessView) -> Any:
    """A line in flow, first in main. Its ticking age is ordinary text, never a live region."""
    return html.p(
        {"class": f"freshness {view.state}", "id": "freshness", "data-state": view.state},
        html.span({"aria-hidden": "true", "class": "mark"}, _MARKS.get(view.state, "▲")),
        html.span({"class": "words"}, view.text),
        () if view.link is None else html.a({"href": view.link[0]}, view.link[1]),
    )
