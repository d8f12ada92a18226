"""One queue identity whole: GET /api/queues/{id}."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .operator import AuditRecord
from .reads import QueueOverview
from .todo import TodoSummary


@dataclass(frozen=True, slots=True)
class WindowUsage:
    """Claims charged in one past or present window. `current`: it is the window of the policy as it stands."""

    started_at: datetime
    used: int
    current: bool


@dataclass(frozen=True, slots=True)
class QueueDetail:
    """`usage` and `audit` newest first; `in_flight` the claims whose leases end first. `oldest_waiting_at` None: none
    waits."""

    queue: QueueOverview
    oldest_waiting_at: datetime | None
    in_flight: tuple[TodoSummary, ...]
    usage: tuple[WindowUsage, ...]
    audit: tuple[AuditRecord, ...]
