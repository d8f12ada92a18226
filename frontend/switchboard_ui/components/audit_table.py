"""Who changed a queue's policy, newest first."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.data_table import Column, cell, data_table
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.queue_view import AuditRow

_COLUMNS = (Column("When"), Column("Who"), Column("Before"), Column("After"))


def audit_table(audit: tuple[AuditRow, ...]) -> Any:
    rows = [
        html.tr(
            {"key": f"{place} {row.at.machine}"},
            html.th({"scope": "row"}, zoned(row.at)),
            cell(row.who),
            cell(row.before),
            cell(row.after),
        )
        for place, row in enumerate(audit)
    ]
    return data_table("audit", "Changes of its budget, newest first", _COLUMNS, rows, empty="Nobody set a budget yet.")
