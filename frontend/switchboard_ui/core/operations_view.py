"""Operations in words: what is done to which set, how far it is, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.bulk_words import ENDED, VERBS
from switchboard_ui.core.filter_words import filter_words
from switchboard_ui.core.row_store import RowId
from switchboard_ui.core.todo_filter import parameters_of
from switchboard_ui.core.zoned_time import ZonedTime, to_the_second, viewer_zone
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.job_filter import JobFilter, decode_job_filter
from switchboard_wire.operations import Operation, OperationKind, OperationState

STATE_WORDS = {
    OperationState.SCANNING: "collecting the set",
    OperationState.RUNNING: "running",
    OperationState.CANCELING: "canceling",
    OperationState.DONE: "done",
    OperationState.CANCELED: "canceled",
    OperationState.FAILED: "failed",
}
_LISTED_IDS = 50
"""An address with more ids is too long for a link."""


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` todos have had their turn; `total` None: the set is not known, and nothing can be measured."""

    done: int
    total: int | None
    text: str


@dataclass(frozen=True, slots=True)
class OperationRow:
    """`kind` is the state's machine word. `now_matching`: the address's parameters that list what the filter names now,
    None when no link can. `active`: it has not ended. `started` and `ended` None: not yet.
    """

    id: int
    what: str
    named_set: str
    now_matching: tuple[tuple[str, str], ...] | None
    kind: str
    state: str
    active: bool
    progress: Progress
    expected: str
    changed: str
    skipped: str
    conflict: str
    gone: str
    who: str
    submitted: ZonedTime
    started: ZonedTime | None
    ended: ZonedTime | None
    error: str | None


def operation_rows(operations: Sequence[Operation], viewer: str, now: datetime) -> dict[RowId, OperationRow]:
    """Newest first, as the server gives them. `viewer` is an IANA zone name; `now` is aware."""
    zone = viewer_zone(viewer)
    return {one.id: operation_row(one, zone, now) for one in operations}


def operation_row(one: Operation, viewer: ZoneInfo, now: datetime) -> OperationRow:
    job_filter = _filter_of(one)
    named_set, listable = "a set that this page has no words for", False
    if one.all:
        named_set, listable = f"all todos that {one.human} manages", True
    elif job_filter is not None:
        named_set = filter_words(job_filter, viewer, now)
        listable = len(job_filter.ids or ()) <= _LISTED_IDS
    return OperationRow(
        id=one.id,
        what=_what(one),
        named_set=named_set,
        now_matching=parameters_of(job_filter) if listable and job_filter is not None else None,
        kind=one.state.value,
        state=STATE_WORDS[one.state],
        active=one.state not in ENDED,
        progress=_progress(one),
        expected="more than are counted" if one.expected is None else f"{one.expected:,}",
        changed=f"{one.changed:,}",
        skipped=f"{one.skipped:,}",
        conflict=f"{one.conflict:,}",
        gone=f"{one.gone:,}",
        who=one.human,
        submitted=to_the_second(one.created_at, viewer, now),
        started=None if one.started_at is None else to_the_second(one.started_at, viewer, now),
        ended=None if one.finished_at is None else to_the_second(one.finished_at, viewer, now),
        error=one.error,
    )


def _what(one: Operation) -> str:
    """ "Retry", "Move to queue later"; a kind of a later release by its own name."""
    verb = VERBS[OperationKind(one.kind)] if one.kind in set(OperationKind) else one.kind
    return verb if one.queue is None else f"{verb} to queue {one.queue}"


def _filter_of(one: Operation) -> JobFilter | None:
    """None for a filter of a later release."""
    try:
        return decode_job_filter(dict(one.filter))
    except SwitchboardError:
        return None


def _progress(one: Operation) -> Progress:
    done = one.changed + one.skipped + one.conflict + one.gone
    if one.total is None:
        return Progress(done, None, "the set was not collected" if one.state in ENDED else "collecting the set")
    return Progress(done, one.total, f"{done:,} of {one.total:,}")
