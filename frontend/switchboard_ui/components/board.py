"""The queues of the board, or in words why there are none to see."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.queue_card import queue_card
from switchboard_ui.core.board_view import BoardView


@component
def board(view: BoardView) -> Any:
    if view.queues is None:
        return html.div(
            {"class": "queues", "aria-busy": "true"},
            *(html.div({"class": "queue placeholder", "key": str(slot), "aria-hidden": "true"}) for slot in range(4)),
        )
    if not view.queues and view.narrowed:
        return html.p("No queue has a name that contains this.")
    if not view.queues:
        return html.p("You have no queues yet. Granting a queue to an endpoint makes one.")
    return html.div({"class": "queues"}, *(queue_card(card, key=str(card.id)) for card in view.queues))
