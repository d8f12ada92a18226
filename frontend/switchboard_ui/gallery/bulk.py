"""Bulk work: what is asked before it begins, and how it comes on."""

from __future__ import annotations

from typing import Any

from switchboard_ui.components.operation_action import Target, drawn_confirmation, operation_action
from switchboard_ui.components.operation_line import operation_line
from switchboard_ui.core.bulk_words import preview_words
from switchboard_ui.gallery.still import NOW, still_context
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operations import Operation, OperationKind, OperationPreview, OperationState

CHOSEN = Target(JobFilter(ids=(2, 3)), "the 2 selected todos")
EVERY = Target(JobFilter(queue="mail"), "every todo that matches")
SOME = OperationPreview(30, False, 25, False, 10_000, (812, 811, 810))
NONE = OperationPreview(2, False, 0, False, 10_000, (3, 2))
MANY = OperationPreview(10_000, True, 10_000, True, 10_000, (90_812, 90_811))


def states() -> dict[str, Any]:
    purge, retry, move = OperationKind.PURGE, OperationKind.RETRY, OperationKind.MOVE
    return {
        "idle": operation_action(still_context(), "retry", retry, lambda: CHOSEN, lambda _: None),
        "counting": drawn_confirmation("retry-1", retry, CHOSEN, "Counting…", None),
        "some-can-be-changed": drawn_confirmation("retry-2", retry, EVERY, preview_words(retry, SOME), SOME),
        "none-can-be-changed": drawn_confirmation("retry-3", retry, CHOSEN, preview_words(retry, NONE), NONE),
        "more-than-are-counted": drawn_confirmation("purge-1", purge, EVERY, preview_words(purge, MANY), MANY),
        "where-to": drawn_confirmation("move-1", move, CHOSEN, "", None),
        "collecting": _line(OperationState.SCANNING, total=None),
        "running": _line(OperationState.RUNNING, changed=12),
        "done": _line(OperationState.DONE, changed=25, skipped=4, gone=1),
        "failed": _line(OperationState.FAILED, changed=3, error="The database went away."),
    }


def _line(state: OperationState, *, total: int | None = 30, error: str | None = None, **counts: int) -> Any:
    operation = Operation(
        id=7,
        kind=OperationKind.RETRY,
        filter={"queue": "mail"},
        all=False,
        queue=None,
        state=state,
        expected=30,
        total=total,
        human="ada",
        created_at=NOW,
        started_at=NOW,
        finished_at=None,
        error=error,
        **({"changed": 0, "skipped": 0, "conflict": 0, "gone": 0} | counts),
    )
    return operation_line(still_context(), operation, f"operation-{state}")
