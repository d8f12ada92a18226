"""Payloads of the operator's reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .admission import QueueAdmission
from .todo import TodoSummary

PENDING_COUNT_CAP = 10_000


@dataclass(frozen=True, slots=True)
class JobsPage:
    """POST /api/v1/jobs/query. `next_before_id` continues the listing; None at its end."""

    jobs: tuple[TodoSummary, ...]
    next_before_id: int | None


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
