"""What an operator does to the board itself: pause updates (WCAG 2.2.2), refresh by hand, narrow the queues shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import html

Handler = Callable[[Any], None]


def _nothing(_: Any) -> None:
    """The shell renders the same controls before there is anything behind them."""


def board_controls(
    paused: bool = False, on_pause: Handler = _nothing, on_refresh: Handler = _nothing, on_filter: Handler = _nothing
) -> Any:
    """The field is uncontrolled: the DOM holds what is typed."""
    return html.div(
        {"class": "controls", "key": "controls"},
        html.div(
            {"class": "field"},
            html.label({"for": "queue-filter"}, "Show queues whose name contains"),
            html.input(
                {
                    "id": "queue-filter",
                    "type": "search",
                    "autocomplete": "off",
                    "spellcheck": "false",
                    "onInput": on_filter,
                }
            ),
        ),
        html.button(
            {"type": "button", "id": "pause", "onClick": on_pause}, "Resume updates" if paused else "Pause updates"
        ),
        html.button({"type": "button", "id": "refresh", "onClick": on_refresh}, "Refresh now"),
    )
