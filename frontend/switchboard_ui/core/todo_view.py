"""One todo in words: its facts, why it waits, its attempts, and what may be done to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from switchboard_ui.core.duration_words import duration_text
from switchboard_ui.core.todos_view import TodoRow, todo_row
from switchboard_ui.core.zoned_time import ZonedTime, to_the_second, viewer_zone
from switchboard_wire.reads import JobDetail
from switchboard_wire.todo import TodoState
from switchboard_wire.worker import Attempt

_RETRIED = frozenset({TodoState.FAILED, TodoState.DEAD})
_CANCELED = frozenset({TodoState.SCHEDULED, TodoState.PENDING, TodoState.FAILED, TodoState.DEAD})


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """`ended` None while it runs."""

    number: int
    claimant: str
    worker: str
    began: ZonedTime
    ended: ZonedTime | None
    outcome: str
    took: str


@dataclass(frozen=True, slots=True)
class TodoView:
    """`payload` and `result` are indented JSON, None: there is none. `no_*`: why it cannot be done, None: it can."""

    row: TodoRow
    source: str
    created: ZonedTime
    updated: ZonedTime
    key: str | None
    payload: str | None
    result: str | None
    error: str | None
    attempts: tuple[AttemptRow, ...]
    manageable: bool
    no_retry: str | None
    no_cancel: str | None
    no_claim: str | None


def todo_view(detail: JobDetail, viewer: str, now: datetime) -> TodoView:
    """`viewer` is an IANA zone name; `now` is aware."""
    zone, todo = viewer_zone(viewer), detail.todo
    return TodoView(
        row=todo_row(todo, zone, now),
        source=todo.source,
        created=to_the_second(todo.created_at, zone, now),
        updated=to_the_second(todo.updated_at, zone, now),
        key=todo.idempotency_key,
        payload=_json(todo.payload),
        result=_json(todo.result),
        error=todo.error,
        attempts=tuple(attempt_row(one, zone, now) for one in detail.attempts),
        manageable=detail.manageable,
        no_retry=_unless(todo.state in _RETRIED, "Only failed and dead todos can be retried."),
        no_cancel=_unless(todo.state in _CANCELED, "A todo that is claimed, done or canceled cannot be canceled."),
        no_claim=_unless(todo.state is TodoState.PENDING, "Only pending todos can be claimed."),
    )


def attempt_row(one: Attempt, viewer: ZoneInfo, now: datetime) -> AttemptRow:
    return AttemptRow(
        number=one.seq,
        claimant=one.claimant or "unknown",
        worker=one.worker or "not named",
        began=to_the_second(one.claimed_at, viewer, now),
        ended=None if one.ended_at is None else to_the_second(one.ended_at, viewer, now),
        outcome=one.outcome or "running",
        took="" if one.duration_ms is None else duration_text(one.duration_ms),
    )


def _unless(allowed: bool, why: str) -> str | None:
    return None if allowed else why


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, indent=2, ensure_ascii=False)
