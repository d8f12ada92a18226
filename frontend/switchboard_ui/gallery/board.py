"""The board as a whole: unread, empty, narrowed, full."""

from __future__ import annotations

from typing import Any

from switchboard_ui.components.board import board
from switchboard_ui.components.board_controls import board_controls
from switchboard_ui.components.update_controls import update_buttons
from switchboard_ui.core.board_view import BoardView
from switchboard_ui.gallery.queue_cards import CARDS


def states() -> dict[str, Any]:
    return {
        "controls": board_controls(update_buttons()),
        "unread": board(BoardView(None)),
        "no-queues": board(BoardView(())),
        "none-of-that-name": board(BoardView((), narrowed=True)),
        "all-kinds-of-queues": board(BoardView(tuple(CARDS.values()))),
    }
