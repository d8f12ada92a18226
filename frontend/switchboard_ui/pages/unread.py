"""What a page shows before it has read anything: the server's shell of it, and the tab's first render."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.board import board
from switchboard_ui.components.board_controls import board_controls
from switchboard_ui.components.filter_form import filter_fields
from switchboard_ui.components.freshness import freshness
from switchboard_ui.components.placeholder import placeholder
from switchboard_ui.components.schedule_form import new_schedule
from switchboard_ui.components.update_controls import update_buttons
from switchboard_ui.core.board_view import BoardView
from switchboard_ui.core.freshness_view import reading
from switchboard_ui.core.places import PAGES, PageName


def unread(page: PageName) -> Any:
    trust = freshness(reading(PAGES[page].what))
    if page is PageName.BOARD:
        return html.fragment(trust, board_controls(update_buttons()), board(BoardView(None)))
    if page is PageName.QUEUES:
        return html.fragment(trust, board_controls(update_buttons()), placeholder())
    filter_bar: Any = ""
    if page in (PageName.JOBS, PageName.DEAD_LETTERS):
        filter_bar = html.section(
            {"class": "filter-bar", "aria-label": "What is listed"}, filter_fields(states=page is PageName.JOBS)
        )
    new = new_schedule() if page is PageName.SCHEDULES else ""
    return html.fragment(trust, html.div({"class": "controls"}, update_buttons(), new), filter_bar, placeholder())
