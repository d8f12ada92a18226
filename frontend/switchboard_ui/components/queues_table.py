"""The queues, one a row."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.data_table import Column, cell, data_table
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.queue_card import queue_status
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.board_view import QueueCard

_COLUMNS = (
    Column("Queue"),
    Column("Status"),
    Column("Waiting"),
    Column("In flight"),
    Column("Budget"),
    Column("Resets at"),
)


def queues_table(rows: list[Any], *, narrowed: bool) -> Any:
    """`narrowed`: only some of the queues are wanted."""
    empty = "No queue has a name that contains this." if narrowed else "You have no queues yet."
    count = "1 queue" if len(rows) == 1 else f"{len(rows):,} queues"
    return data_table("queues", count, _COLUMNS, rows, empty=empty)


def queue_row(card: QueueCard) -> Any:
    return html.tr(
        {"data-queue": card.name, "data-scope": card.scope},
        html.th(
            {"scope": "row"},
            page_link(f"/queues/{card.id}", card.name),
            " ",
            html.span({"class": "scope"}, card.scope),
        ),
        cell(queue_status(card)),
        cell(card.pending),
        cell(card.in_flight),
        cell("no limit" if card.used is None else card.used),
        cell("" if card.resets is None else zoned(card.resets)),
    )
