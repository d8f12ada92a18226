"""Payloads of the operator's reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from .admission import QueueAdmission
from .envelope import JobsQuery
from .job_filter import MAX_ID, MAX_PAGE, JobFilter, JobPage
from .shape import NOT_NULL, Between, Length
from .todo import TodoState, TodoSummary
from .worker import TodoHistory

PENDING_COUNT_CAP = JOBS_COUNT_CAP = 10_000


@dataclass(frozen=True, slots=True)
class JobsPage:
    """POST /api/v1/jobs/query. `next_before_id` continues the listing; None at its end."""

    jobs: tuple[TodoSummary, ...]
    next_before_id: int | None


@dataclass(frozen=True, slots=True)
class JobDetail(TodoHistory):
    """GET /api/jobs/{id}. `manageable`: the viewer may retry, cancel or claim it, as far as its state allows."""

    manageable: bool


@dataclass(frozen=True, slots=True)
class JobsCount:
    """POST /api/v1/jobs/count. `count` is exact, or the cap when there are more."""

    count: int
    capped: bool
    cap: int


@dataclass(frozen=True, slots=True)
class JobsParameters:
    """GET /api/jobs: fields of a filter, and a page, as parameters."""

    queue: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    kind: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    state: Annotated[TodoState | None, NOT_NULL] = None
    tag: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    before_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    limit: Annotated[int, Between(1, MAX_PAGE)] = 50

    def query(self) -> JobsQuery:
        return JobsQuery(
            JobFilter(
                queue=self.queue,
                kind=self.kind,
                states=None if self.state is None else (self.state,),
                tags=None if self.tag is None else (self.tag,),
            ),
            JobPage(self.before_id, self.limit),
        )


@dataclass(frozen=True, slots=True)
class NoParameters:
    """A GET that takes none."""


@dataclass(frozen=True, slots=True)
class QueueOverview:
    """One queue identity on the board. `pending` is exact below the cap, and at least the cap when `capped`."""

    admission: QueueAdmission
    pending: int
    pending_capped: bool
    manageable: bool


@dataclass(frozen=True, slots=True)
class QueuesPage:
    """GET /api/queues: every queue identity that the viewer may see, by scope and name."""

    queues: tuple[QueueOverview, ...]


@dataclass(frozen=True, slots=True)
class BackendIdentity:
    """`process` is random per process, `database` a hash of the database's own identity (D29)."""

    process: str
    database: str


@dataclass(frozen=True, slots=True)
class FilterProtocol:
    """One strict read: its path and the exact versions spoken there."""

    path: str
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Milliseconds and counts that a client must respect."""

    whole_read_deadline_ms: int
    cached_refresh_floor_ms: int
    uncached_refresh_floor_ms: int
    max_body_bytes: int
    max_page: int


@dataclass(frozen=True, slots=True)
class Capabilities:
    """GET /api/capabilities. Advisory: every answer is checked on its own."""

    release: str
    zone_database: str
    read_only: bool
    backend: BackendIdentity
    job_filter_protocols: Mapping[str, FilterProtocol]
    limits: ReadLimits
