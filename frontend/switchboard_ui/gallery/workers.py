"""The workers: live, silent, none, more than are listed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from reactpy import html

from switchboard_ui.components.workers_table import worker_row, workers_table
from switchboard_ui.core.workers_view import worker_rows, workers_summary
from switchboard_ui.gallery.still import NOW, VIEWER
from switchboard_wire.workers import Workers, WorkerState, WorkerView

LIVE = WorkerView("research", "agent-1", WorkerState.LIVE, NOW, 2, NOW + timedelta(minutes=5))
IDLE = WorkerView("research", "agent-2", WorkerState.LIVE, NOW - timedelta(seconds=30), 0, None)
SILENT = WorkerView("builder", "agent-3", WorkerState.SILENT, NOW - timedelta(days=2), 1, NOW - timedelta(days=2))


def states() -> dict[str, Any]:
    return {
        "none-yet": _table(Workers((), truncated=False)),
        "live-idle-and-silent": _table(Workers((LIVE, IDLE, SILENT), truncated=False)),
        "more-than-are-listed": _table(Workers((LIVE,), truncated=True)),
    }


def _table(workers: Workers) -> Any:
    rows = worker_rows(workers, VIEWER, NOW)
    drawn = [html.fragment({"key": str(each)}, worker_row(row)) for each, row in rows.items()]
    return workers_table(workers_summary(workers), drawn)
