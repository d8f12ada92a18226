"""What operators do to todos and queues: bulk bodies and answers, and the audit of it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from .admission import QueueAdmission
from .job_filter import MAX_ID, JobId
from .shape import NOT_NULL, Between, Distinct, Length

MAX_AUDIT_PAGE = 200


class OperatorAction(StrEnum):
    """As the audit names them."""

    JOBS_RETRY = "jobs.retry"
    JOBS_CANCEL = "jobs.cancel"
    JOBS_CLAIM = "jobs.claim"
    DLQ_RETRY = "dlq.retry"
    DLQ_PURGE = "dlq.purge"
    DLQ_MOVE = "dlq.move"
    DLQ_RETRY_MATCHING = "dlq.retry_matching"
    DLQ_PURGE_MATCHING = "dlq.purge_matching"
    QUEUES_PAUSE = "queues.pause"
    QUEUES_RESUME = "queues.resume"
    QUEUES_DRAIN = "queues.drain"
    SCHEDULES_CREATE = "schedules.create"
    SCHEDULES_EDIT = "schedules.edit"
    SCHEDULES_DELETE = "schedules.delete"
    SCHEDULES_TRIGGER = "schedules.trigger"
    SCHEDULES_PAUSE = "schedules.pause"
    SCHEDULES_RESUME = "schedules.resume"


@dataclass(frozen=True, slots=True)
class JobIds:
    """The body of POST /api/jobs/retry and /api/jobs/cancel."""

    ids: Annotated[tuple[JobId, ...], Length(1, 1000), Distinct()]


@dataclass(frozen=True, slots=True)
class RetriedJobs:
    """Of the ids asked for: changed, unknown or foreign, and in no state (or under a key) that allows it."""

    retried: int
    not_found: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class CanceledJobs:
    """Of the ids asked for: changed, unknown or foreign, and in no state that allows it."""

    canceled: int
    not_found: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """A queue after pause or resume, with the policy that stands now."""

    queue: QueueAdmission


@dataclass(frozen=True, slots=True)
class Drained:
    """How many waiting todos are canceled."""

    canceled: int


@dataclass(frozen=True, slots=True)
class OperatorAuditRecord:
    """One change by an operator, or one batch of it: then `part_of` is the id of the first batch's record.

    `action` is open: a later release may audit more. `target` names the set (ids, or a filter in normal form),
    `counts` what really changed.
    """

    id: int
    at: datetime
    human: str
    action: str
    target: Mapping[str, Any]
    queue_id: int | None
    counts: Mapping[str, Any]
    part_of: int | None


@dataclass(frozen=True, slots=True)
class OperatorAuditParameters:
    """GET /api/audit; `before_id` is exclusive."""

    before_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    limit: Annotated[int, Between(1, MAX_AUDIT_PAGE)] = 50


@dataclass(frozen=True, slots=True)
class OperatorAuditPage:
    """GET /api/audit: newest first; `next_before_id` continues it, None at its end."""

    records: tuple[OperatorAuditRecord, ...]
    next_before_id: int | None
