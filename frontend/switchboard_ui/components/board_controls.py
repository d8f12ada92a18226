"""What an operator does to the board: narrow the queues shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import html

Handler = Callable[[Any], None]


def _nothing(_: Any) -> None:
    """The shell renders the same controls before there is anything behind them."""


def board_controls(updates: Any, on_filter: Handler = _nothing) -> Any:
    """`updates` are the page's update buttons. The field is uncontrolled: the DOM holds what is typed."""
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
        updates,
    )
