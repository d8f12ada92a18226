"""What bulk work would do, does and did, in words."""

from __future__ import annotations

from switchboard_wire.operations import Operation, OperationKind, OperationPreview, OperationState

VERBS = {
    OperationKind.RETRY: "Retry",
    OperationKind.CANCEL: "Cancel",
    OperationKind.MOVE: "Move",
    OperationKind.PURGE: "Delete",
}
_DONE = {
    OperationKind.RETRY: "retried",
    OperationKind.CANCEL: "canceled",
    OperationKind.MOVE: "moved",
    OperationKind.PURGE: "deleted",
}
ENDED = frozenset({OperationState.DONE, OperationState.CANCELED, OperationState.FAILED})


def todos_text(count: int, capped: bool = False) -> str:
    """ "1 todo", "1,234 todos", "10,000 or more todos"."""
    return f"{count:,}{' or more' if capped else ''} {'todo' if count == 1 and not capped else 'todos'}"


def preview_words(kind: OperationKind, preview: OperationPreview) -> str:
    """ "30 todos match. 25 of them can be retried; the others are left alone." """
    matched = f"{todos_text(preview.count, preview.capped)} {'matches' if preview.count == 1 else 'match'}."
    if not preview.eligible:
        return f"{matched} None of them can be {_DONE[kind]} by you."
    if preview.eligible == preview.count and not preview.capped:
        return f"{matched} All of them can be {_DONE[kind]}."
    able = f"{preview.eligible:,}{' or more' if preview.eligible_capped else ''}"
    return f"{matched} {able} of them can be {_DONE[kind]}; the others are left alone."


def sample_words(preview: OperationPreview) -> str:
    return "The newest: " + ", ".join(f"#{each}" for each in preview.sample) + "."


def progress_words(operation: Operation) -> str:
    """One sentence on how far it is."""
    one = f"Operation {operation.id}"
    match operation.state:
        case OperationState.SCANNING:
            return f"{one} collects its todos."
        case OperationState.RUNNING:
            return f"{one}: {_ended(operation):,} of {operation.total or 0:,} done so far."
        case OperationState.CANCELING:
            return f"{one} is being canceled."
        case OperationState.FAILED:
            return f"{one} has failed: {operation.error or 'no reason is known'}. {_counts(operation)}"
        case OperationState.CANCELED:
            return f"{one} was canceled. {_counts(operation)}"
        case OperationState.DONE:
            return f"{one} is done. {_counts(operation)}"


def _ended(operation: Operation) -> int:
    return operation.changed + operation.skipped + operation.conflict + operation.gone


def _counts(operation: Operation) -> str:
    kind = operation.kind
    done = _DONE[OperationKind(kind)] if kind in set(OperationKind) else "changed"
    parts = [f"{todos_text(operation.changed)} {done}"]
    for count, words in (
        (operation.skipped, "left alone"),
        (operation.conflict, "in conflict with another todo of the same key"),
        (operation.gone, "deleted meanwhile"),
    ):
        if count:
            parts.append(f"{count:,} {words}")
    return ", ".join(parts) + "."
