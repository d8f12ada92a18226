"""Why a todo waits: text first, colour second, a shape third."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.board_view import Chip


def admission_chip(chip: Chip) -> Any:
    """`data-reason` carries the machine's word for the reason."""
    return html.span(
        {"class": "chip deferred", "data-reason": chip.reason},
        html.span({"aria-hidden": "true", "class": "mark"}, "◷"),
        *(
            (html.span({"class": "part"}, chip.text),)
            if chip.at is None
            else (
                html.span({"class": "part"}, f"{chip.text} ·"),
                " ",
                html.span({"class": "part"}, f"{chip.until} ", zoned(chip.at)),
            )
        ),
    )
