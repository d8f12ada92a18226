"""A todo as it travels, and its states (D5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from .admission import AdmissionStatus


class TodoState(StrEnum):
    SCHEDULED = "scheduled"
    PENDING = "pending"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"
    DEAD = "dead"
    CANCELED = "canceled"


@dataclass(frozen=True, slots=True)
class TodoSummary:
    """A todo without its payload and result, as lists show it. Times are aware, in UTC.

    `scope` is the owner of its queue, "endpoint:<slug>" or "team:<slug>". `attempt` counts claims since it was
    last retried by hand. `admission` is present exactly on pending todos of a queue with a policy (D23).
    """

    id: int
    scope: str
    queue: str
    queue_id: int
    kind: str
    source: str
    title: str
    tags: tuple[str, ...]
    state: TodoState
    attempt: int
    max_attempts: int
    created_at: datetime
    updated_at: datetime
    claimed_at: datetime | None
    lease_expires_at: datetime | None
    next_retry_at: datetime | None
    not_before: datetime | None
    finished_at: datetime | None
    claimant: str | None
    worker: str | None
    error: str | None
    admission: AdmissionStatus | None


@dataclass(frozen=True, slots=True)
class Todo(TodoSummary):
    """A whole todo. `payload` and `result` are JSON values; `fence` stands only in the answer of a claim that asked."""

    payload: Any
    result: Any
    idempotency_key: str | None
    fence: str | None = None
