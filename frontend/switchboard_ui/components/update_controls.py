"""What an operator does to the updates themselves: pause them (WCAG 2.2.2), and refresh by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, html, use_state

from switchboard_ui.components.observed import Queries
from switchboard_ui.core.page_context import PageContext

UPDATES, PAUSED, RUNNING = "updates", "paused", "running"
"""The remembered choice of this browser."""


def _nothing(_: Any) -> None:
    """The shell renders the same controls before there is anything behind them."""


def update_buttons(
    paused: bool = False, on_pause: Callable[[Any], None] = _nothing, on_refresh: Callable[[Any], None] = _nothing
) -> Any:
    return html.div(
        {"class": "update-buttons"},
        html.button(
            {"type": "button", "id": "pause", "onClick": on_pause}, "Resume updates" if paused else "Pause updates"
        ),
        html.button({"type": "button", "id": "refresh", "onClick": on_refresh}, "Refresh now"),
    )


@component
def update_controls(context: PageContext, queries: Queries) -> Any:
    """Pause and resume concern every page of the tab, refresh what this one reads."""
    reads = context.reads
    _, redraw = use_state(reads.paused_all)

    def toggle_pause(_: object) -> None:
        pausing = not reads.paused_all
        if pausing:
            reads.pause_all()
        else:
            reads.resume_all()
        context.ports.tab.remember(UPDATES, PAUSED if pausing else RUNNING)
        redraw(pausing)

    def refresh(_: object) -> None:
        for query in queries:
            reads.refresh(query.key)

    return update_buttons(reads.paused_all, toggle_pause, refresh)
