"""A todo's attempts, oldest first."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.data_table import Column, cell, data_table, number
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.todo_view import AttemptRow

_COLUMNS = (
    Column("Attempt"),
    Column("Outcome"),
    Column("Claimed by"),
    Column("Worker"),
    Column("Began"),
    Column("Ended"),
    Column("Took", numeric=True),
)


def attempts_table(attempts: tuple[AttemptRow, ...]) -> Any:
    rows = [
        html.tr(
            {"key": str(one.number)},
            html.th({"scope": "row"}, f"{one.number}"),
            cell(html.span({"class": f"state {one.outcome}"}, one.outcome)),
            cell(one.claimant),
            cell(one.worker),
            cell(zoned(one.began)),
            cell("not yet" if one.ended is None else zoned(one.ended)),
            number(one.took),
        )
        for one in attempts
    ]
    return data_table("attempts", "Attempts, oldest first", _COLUMNS, rows, empty="Nobody has claimed it yet.")
