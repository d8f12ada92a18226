"""Todos, one a row, each of which can be chosen."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.admission_chip import admission_chip
from switchboard_ui.components.data_table import Column, cell, data_table, number
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.todos_view import TodoRow

_COLUMNS = (
    Column("Todo"),
    Column("Queue"),
    Column("Kind"),
    Column("State"),
    Column("Attempts", numeric=True),
    Column("Created"),
)


def todos_table(name: str, caption: str, choose_all: Any, rows: list[Any], empty: str) -> Any:
    return data_table(name, caption, (Column(choose_all), *_COLUMNS), rows, empty=empty)


def todo_cells(row: TodoRow, choose: Any) -> Any:
    """`choose` is the row's check box. A row that is not listed any more says so in place of its state."""
    return html.tr(
        {"data-todo": str(row.id), "class": None if row.listed else "left"},
        cell(choose),
        html.th(
            {"scope": "row"},
            page_link(f"/jobs/{row.id}", f"#{row.id}"),
            " ",
            html.span({"class": "title"}, row.title),
            html.span({"class": "tags quiet"}, " ", ", ".join(row.tags)) if row.tags else "",
        ),
        cell(row.queue, " ", html.span({"class": "scope"}, row.scope)),
        cell(row.kind),
        cell(*_state(row)),
        number(row.tried),
        cell(zoned(row.created)),
    )


def _state(row: TodoRow) -> list[Any]:
    if not row.listed:
        return [html.span({"class": "state", "data-state": "left"}, "no longer listed"), f" last seen as {row.state}"]
    parts: list[Any] = [html.span({"class": f"state {row.state}", "data-state": row.state}, row.state)]
    if row.chip is not None:
        parts.extend((" ", admission_chip(row.chip)))
    if row.when is not None:
        parts.append(html.span({"class": "part quiet"}, f" {row.when[0]} ", zoned(row.when[1])))
    if row.holder is not None:
        parts.append(html.span({"class": "part quiet"}, f" held by {row.holder}"))
    if row.error is not None:
        parts.append(html.span({"class": "quiet"}, f" {row.error}"))
    return parts
