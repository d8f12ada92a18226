"""Dead letters: their strict query, what their reads answer, and what changes many of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from .envelope import decode_versioned
from .errors import invalid
from .job_filter import MAX_ID, MAX_PAGE, JobFilter, decode_job_filter
from .shape import NOT_NULL, Between, Length
from .todo import Todo, TodoSummary
from .worker import Attempt

DEPTH_CAP = 10_000


@dataclass(frozen=True, slots=True)
class DlqPage:
    """Newest first by (dlq_at, id). The two cursors are given together or not at all, and are exclusive."""

    before_dlq_at: Annotated[datetime | None, NOT_NULL] = None
    before_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    limit: Annotated[int, Between(1, MAX_PAGE)] = 50


@dataclass(frozen=True, slots=True)
class DlqQuery:
    """The body of POST /api/v1/dlq/query. The filter has no `states`: a dead letter is dead."""

    filter: JobFilter
    page: DlqPage


@dataclass(frozen=True, slots=True)
class _QueryBody:
    version: int
    filter: dict[str, Any]
    page: DlqPage


def decode_dlq_query(value: Any) -> DlqQuery:
    """`{"version": 1, "filter": {}, "page": {}}`, all three required. Raises SwitchboardError(invalid_argument)."""
    body = decode_versioned(_QueryBody, value)
    return DlqQuery(decode_dlq_filter(body.filter), checked_page(body.page))


def decode_dlq_filter(value: Any, path: str = "filter") -> JobFilter:
    """A filter in normal form, without `states`. Raises SwitchboardError(invalid_argument)."""
    if isinstance(value, dict) and "states" in value:
        raise invalid(f"{path}.states", "Every dead letter is dead; leave this out.")
    return decode_job_filter(value, path)


def checked_page(page: DlqPage, path: str = "page.") -> DlqPage:
    """The page with both cursors or none. Raises SwitchboardError(invalid_argument) that names the missing one."""
    if (page.before_dlq_at is None) != (page.before_id is None):
        missing = "before_id" if page.before_id is None else "before_dlq_at"
        raise invalid(f"{path}{missing}", "Give before_dlq_at and before_id together, or neither.")
    return page


@dataclass(frozen=True, slots=True)
class DlqParameters:
    """GET /api/dlq: fields of a filter, and a page, as parameters."""

    queue: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    kind: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    tag: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    before_dlq_at: Annotated[datetime | None, NOT_NULL] = None
    before_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    limit: Annotated[int, Between(1, MAX_PAGE)] = 50

    def query(self) -> DlqQuery:
        """Raises SwitchboardError(invalid_argument) that names the missing cursor."""
        return DlqQuery(
            JobFilter(queue=self.queue, kind=self.kind, tags=None if self.tag is None else (self.tag,)),
            checked_page(DlqPage(self.before_dlq_at, self.before_id, self.limit), path=""),
        )


@dataclass(frozen=True, slots=True)
class DlqCursor:
    """Where the next page begins."""

    before_dlq_at: datetime
    before_id: int


@dataclass(frozen=True, slots=True)
class DeadLetter(TodoSummary):
    """`dlq_at`: when it died."""

    dlq_at: datetime


@dataclass(frozen=True, slots=True)
class DlqPageAnswer:
    """`next` continues the listing; None at its end."""

    jobs: tuple[DeadLetter, ...]
    next: DlqCursor | None


@dataclass(frozen=True, slots=True)
class DeadLetterDetail:
    """A dead todo with its payload, and its attempts, oldest first."""

    todo: Todo
    dlq_at: datetime
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Dead letters of one queue identity: exact, or at least so many when `capped`. `oldest_dlq_at` None: none."""

    queue_id: int
    scope: str
    queue: str
    count: int
    capped: bool
    oldest_dlq_at: datetime | None


@dataclass(frozen=True, slots=True)
class DlqDepth:
    """Every queue identity that the viewer may see, by scope and name. `total` is a lower bound when `capped`."""

    queues: tuple[QueueDepth, ...]
    total: int
    capped: bool
    cap: int
    oldest_dlq_at: datetime | None


@dataclass(frozen=True, slots=True)
class MatchingBody:
    """The body of POST /api/dlq/retry-matching and purge-matching."""

    filter: dict[str, Any]
    all: bool = False


def decode_matching(body: MatchingBody) -> JobFilter:
    """The set that is meant: a filter that narrows, or everything, said in so many words.

    Raises SwitchboardError(invalid_argument).
    """
    job_filter = decode_dlq_filter(body.filter)
    if body.all and job_filter != JobFilter():
        raise invalid("all", "Give a filter or all: true, not both.")
    if not body.all and job_filter == JobFilter():
        raise invalid("filter", "This filter matches every dead letter; say all: true if that is meant.")
    return job_filter


@dataclass(frozen=True, slots=True)
class MoveBody:
    """The body of POST /api/dlq/{id}/move: another queue of the same owner."""

    queue: Annotated[str, Length(1, 200)]


@dataclass(frozen=True, slots=True)
class Purged:
    """How many dead letters are gone."""

    purged: int


@dataclass(frozen=True, slots=True)
class RetriedMatching:
    """How many are pending again; `conflicts` are those whose idempotency key another live todo holds."""

    retried: int
    conflicts: int
