"""Operations in each state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reactpy import html

from switchboard_ui.components.cancel_operation import cancel_operation
from switchboard_ui.components.operation_progress import operation_progress
from switchboard_ui.components.operations_table import operation_table_row, operations_table
from switchboard_ui.core.operations_view import Progress, operation_row, operation_rows
from switchboard_ui.core.zoned_time import viewer_zone
from switchboard_ui.gallery.still import NOW, VIEWER, still_context
from switchboard_wire.operations import Operation, OperationState

RUNNING = Operation(
    id=7,
    kind="retry",
    filter={"queue": "mail", "states": ["dead"], "tags": ["a", "b"]},
    all=False,
    queue=None,
    state=OperationState.RUNNING,
    expected=2_000,
    total=2_000,
    changed=800,
    skipped=10,
    conflict=1,
    gone=1,
    human="ada",
    created_at=NOW,
    started_at=NOW,
    finished_at=None,
    error=None,
)
IN_EACH_STATE = (
    replace(RUNNING, id=12, state=OperationState.SCANNING, total=None, changed=0, skipped=0, conflict=0, gone=0),
    replace(RUNNING, id=11, kind="move", queue="later"),
    replace(RUNNING, id=10, state=OperationState.CANCELING),
    replace(RUNNING, id=9, state=OperationState.CANCELED, finished_at=NOW),
    replace(RUNNING, id=8, state=OperationState.FAILED, finished_at=NOW, error="The database went away."),
    replace(RUNNING, id=6, state=OperationState.DONE, finished_at=NOW, all=True, filter={}, total=812),
)


def states() -> dict[str, Any]:
    row = operation_row(RUNNING, viewer_zone(VIEWER), NOW)
    return {
        "none": operations_table("none", "Operations: 0 on this page, the newest first.", []),
        "in-each-state": _table(),
        "half-done": operation_progress("progress-half", Progress(1_000, 2_000, "1,000 of 2,000")),
        "nothing-known": operation_progress("progress-none", Progress(0, None, "collecting the set")),
        "cancel": cancel_operation(still_context(), row),
    }


def _table() -> Any:
    context = still_context()
    rows = operation_rows(IN_EACH_STATE, VIEWER, NOW)
    drawn = [html.fragment({"key": str(each)}, operation_table_row(context, row)) for each, row in rows.items()]
    return operations_table("operations", "Operations: 6 on this page, the newest first.", drawn)
