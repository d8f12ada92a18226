"""The todos of a queue that workers hold, the lease that ends first first."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.data_table import Column, cell, data_table
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.todos_view import TodoRow

_COLUMNS = (Column("Todo"), Column("Held by"), Column("Lease ends"))


def in_flight_table(todos: tuple[TodoRow, ...]) -> Any:
    rows = [
        html.tr(
            {"key": str(todo.id)},
            html.th(
                {"scope": "row"},
                page_link(f"/jobs/{todo.id}", f"#{todo.id}"),
                " ",
                html.span({"class": "title"}, todo.title),
            ),
            cell(todo.holder or "unknown"),
            cell("unknown" if todo.when is None else zoned(todo.when[1])),
        )
        for todo in todos
    ]
    return data_table("in-flight", "In flight", _COLUMNS, rows, empty="Nothing is in flight.")
