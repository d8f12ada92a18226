"""Todos of a listing in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.board_view import Chip, chip_of
from switchboard_ui.core.row_store import RowId
from switchboard_ui.core.zoned_time import ZonedTime, in_one_zone, to_the_second, viewer_zone
from switchboard_wire.dead_letters import DeadLetter
from switchboard_wire.reads import JobsCount
from switchboard_wire.todo import TodoState, TodoSummary

LONGEST_ERROR = 160
"""Characters of an error in a listing; the todo's own page has all of it."""


@dataclass(frozen=True, slots=True)
class TodoRow:
    """`when` tells what comes next or came last, with its time. `holder`: who works on it, None: nobody.

    `order` falls from row to row. `listed` False: it was chosen, and the listing does not have it any more.
    """

    id: int
    title: str
    queue_id: int
    queue: str
    scope: str
    kind: str
    tags: tuple[str, ...]
    state: str
    chip: Chip | None
    when: tuple[str, ZonedTime] | None
    tried: str
    holder: str | None
    created: ZonedTime
    error: str | None
    order: tuple[float, int]
    listed: bool = True


def todo_rows(todos: tuple[TodoSummary, ...], viewer: str, now: datetime) -> dict[int, TodoRow]:
    """In the listing's order. `viewer` is an IANA zone name; `now` is aware."""
    zone = viewer_zone(viewer)
    return {todo.id: todo_row(todo, zone, now) for todo in todos}


def todo_row(todo: TodoSummary, viewer: ZoneInfo, now: datetime) -> TodoRow:
    return TodoRow(
        id=todo.id,
        title=todo.title or todo.kind,
        queue_id=todo.queue_id,
        queue=todo.queue,
        scope=todo.scope,
        kind=todo.kind,
        tags=todo.tags,
        state=todo.state.value,
        chip=chip_of(todo.admission, viewer, viewer, now),
        when=_when(todo, viewer, now),
        tried=f"{todo.attempt} of {todo.max_attempts}",
        holder=_holder(todo),
        created=in_one_zone(todo.created_at, viewer, now),
        error=None if todo.error is None else _shortened(todo.error),
        order=(0.0, todo.id),
    )


def dead_letter_rows(letters: tuple[DeadLetter, ...], viewer: str, now: datetime) -> dict[int, TodoRow]:
    """In the listing's order: who died last comes first."""
    zone = viewer_zone(viewer)
    return {
        letter.id: replace(
            todo_row(letter, zone, now),
            when=("died", to_the_second(letter.dlq_at, zone, now)),
            order=(letter.dlq_at.timestamp(), letter.id),
        )
        for letter in letters
    }


def with_left(listed: Mapping[int, TodoRow], left: Mapping[int, TodoRow]) -> dict[RowId, TodoRow]:
    """The listing with the rows that have left it, where they were."""
    both = {**listed, **{row.id: replace(row, listed=False) for row in left.values()}}
    return {row.id: row for row in sorted(both.values(), key=lambda row: row.order, reverse=True)}


def matching_text(count: JobsCount) -> str:
    """ "1,234 match", "10,000 or more match"."""
    if not count.count:
        return "None matches"
    more = " or more" if count.capped else ""
    return f"{count.count:,}{more} {'matches' if count.count == 1 and not count.capped else 'match'}"


def _when(todo: TodoSummary, viewer: ZoneInfo, now: datetime) -> tuple[str, ZonedTime] | None:
    instant, words = {
        TodoState.SCHEDULED: (todo.not_before, "from"),
        TodoState.PENDING: (None, ""),
        TodoState.CLAIMED: (todo.lease_expires_at, "lease ends"),
        TodoState.FAILED: (todo.next_retry_at, "retried from"),
        TodoState.DONE: (todo.finished_at, "at"),
        TodoState.DEAD: (todo.finished_at, "at"),
        TodoState.CANCELED: (todo.finished_at, "at"),
    }[todo.state]
    return None if instant is None else (words, to_the_second(instant, viewer, now))


def _holder(todo: TodoSummary) -> str | None:
    if todo.state is not TodoState.CLAIMED or todo.claimant is None:
        return None
    return todo.claimant if todo.worker is None else f"{todo.claimant} · {todo.worker}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_ERROR else line[:LONGEST_ERROR] + "…"
