"""Operations: durable bulk work over the jobs that a filter names, with previews and progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from .errors import invalid
from .job_filter import MAX_ID, JobFilter, decode_job_filter, filter_to_plain
from .shape import NOT_NULL, Between, JsonObject, Length

COUNT_CAP = 10_000
SAMPLE_SIZE = 10
MAX_OPERATIONS_PAGE = 200


class OperationKind(StrEnum):
    RETRY = "retry"
    CANCEL = "cancel"
    MOVE = "move"
    PURGE = "purge"


class OperationState(StrEnum):
    SCANNING = "scanning"
    RUNNING = "running"
    DONE = "done"
    CANCELING = "canceling"
    CANCELED = "canceled"
    FAILED = "failed"


class ItemOutcome(StrEnum):
    """skipped: not eligible any more, or its queue not manageable any more; gone: deleted since the scan."""

    CHANGED = "changed"
    SKIPPED = "skipped"
    CONFLICT = "conflict"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class PreviewBody:
    """POST /api/operations/preview. `queue`: where to move to, by its name; `all` stands for an empty filter."""

    kind: OperationKind
    filter: JsonObject
    queue: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    all: bool = False


@dataclass(frozen=True, slots=True)
class SubmitBody:
    """POST /api/operations. `expected`: the count that was confirmed, null when it was capped. `key`: the client's."""

    kind: OperationKind
    filter: JsonObject
    expected: Annotated[int | None, Between(0, COUNT_CAP)]
    key: Annotated[str, Length(1, 200)]
    queue: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    all: bool = False


@dataclass(frozen=True, slots=True)
class OperationAsk:
    """What is to be done to which set."""

    kind: OperationKind
    filter: JobFilter
    queue: str | None
    all: bool


def operation_ask(body: PreviewBody | SubmitBody) -> OperationAsk:
    """Raises SwitchboardError(invalid_argument) that names the field.

    An empty filter hits everything, so it is meant only together with `all`; `all` with a filter contradicts itself.
    """
    job_filter = decode_job_filter(body.filter)
    empty = not filter_to_plain(job_filter)
    if body.all and not empty:
        raise invalid("all", "This means every job, and a filter was given: leave one of them out.")
    if empty and not body.all:
        raise invalid("filter", "An empty filter means every job: say so with all.")
    if body.kind is OperationKind.MOVE and body.queue is None:
        raise invalid("queue", "Name the queue to move to.")
    if body.kind is not OperationKind.MOVE and body.queue is not None:
        raise invalid("queue", "Only a move takes a queue.")
    return OperationAsk(body.kind, job_filter, body.queue, body.all)


@dataclass(frozen=True, slots=True)
class OperationPreview:
    """What the filter names now among the queues that the asker manages. Both counts are exact below the cap.

    `sample`: the newest ids that match, at most 10.
    """

    count: int
    capped: bool
    eligible: int
    eligible_capped: bool
    cap: int
    sample: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """`kind` may be one of a later release. `filter` is the normal form of what was given.

    `total` is None until the scan has frozen the set. What of it is in none of changed, skipped, conflict and gone
    still waits, or was left alone by a cancel. `human`: whose it is, by name.
    """

    id: int
    kind: str
    filter: Mapping[str, Any]
    all: bool
    queue: str | None
    state: OperationState
    expected: int | None
    total: int | None
    changed: int
    skipped: int
    conflict: int
    gone: int
    human: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class OperationsParameters:
    """GET /api/operations; `before_id` is exclusive."""

    before_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    limit: Annotated[int, Between(1, MAX_OPERATIONS_PAGE)] = 50


@dataclass(frozen=True, slots=True)
class OperationsPage:
    """GET /api/operations, newest first. `next_before_id` continues the listing; None at its end."""

    operations: tuple[Operation, ...]
    next_before_id: int | None
