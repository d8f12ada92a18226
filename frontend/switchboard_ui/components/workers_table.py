"""The workers, one a row."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.data_table import Column, cell, data_table, number
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.workers_view import WorkerRow, WorkersSummary

_COLUMNS = (
    Column("Worker"),
    Column("Endpoint"),
    Column("State"),
    Column("Last seen"),
    Column("In flight", numeric=True),
    Column("Last lease ends"),
)
_EVIDENCE = "A worker is live when it holds a running lease or was seen within the last minute."


def workers_table(summary: WorkersSummary, rows: list[Any]) -> Any:
    return html.div(
        data_table(
            "workers",
            f"Workers: {summary.text}. {_EVIDENCE}",
            _COLUMNS,
            rows,
            empty="No worker has been seen yet. One shows here with its first claim or heartbeat.",
        ),
        () if summary.more is None else html.p({"class": "quiet"}, summary.more),
    )


def worker_row(row: WorkerRow) -> Any:
    return html.tr(
        html.th({"scope": "row"}, row.name),
        cell(row.endpoint),
        cell(html.span({"class": f"state {row.kind}", "data-state": row.kind}, row.state)),
        cell(zoned(row.seen)),
        number(row.in_flight),
        cell("none" if row.lease is None else zoned(row.lease)),
    )
