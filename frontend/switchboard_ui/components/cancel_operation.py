"""The button that stops an operation before its next todo."""

from __future__ import annotations

from typing import Any

from reactpy import component, html, use_ref

from switchboard_ui.components.action import Confirmation, action
from switchboard_ui.core.actions import Mutation
from switchboard_ui.core.operations_view import OperationRow
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.session_query import session_query
from switchboard_wire.operations import Operation
from switchboard_wire.session import Session


@component
def cancel_operation(context: PageContext, row: OperationRow) -> Any:
    """Nothing for what had ended before it was shown here, and for what others began: only they may stop it."""
    was_active = use_ref(row.active)
    was_active.current = was_active.current or row.active
    session: Session | None = context.reads.snapshot(session_query().key).data
    if not was_active.current or (session is not None and session.human.name != row.who):
        return ""
    what = f"{row.what}: {row.named_set}"
    asked = Confirmation(
        f"Cancel operation {row.id}?",
        (
            html.p(f"{what}."),
            html.p(f"Done so far: {row.progress.text}. What is done stays done; the rest is left as it is."),
        ),
        "Cancel the operation",
        "Let it go on",
    )
    return action(
        context,
        f"cancel-{row.id}",
        "Cancel",
        Mutation("POST", f"/api/operations/{row.id}/cancel", Operation, ("operations", "jobs", "queues", "dlq")),
        _told,
        asked,
        about=f"operation {row.id}",
        danger=True,
        blocked=None if row.active else f"Operation {row.id} has ended.",
    )


def _told(now: Operation) -> str:
    return f"Operation {now.id} {'is canceled' if now.finished_at is not None else 'is being canceled'}."
