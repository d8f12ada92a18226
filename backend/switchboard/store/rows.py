"""Rows to values: one mapper each for a todo, a policy and a queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switchboard.core.identity import QueueIdentity
from switchboard.core.known_policy import NO_POLICY_VERSION, PolicyColumns
from switchboard.core.raw_json import JSON_NULL, RawJson
from switchboard_wire.admission import AdmissionStatus
from switchboard_wire.dead_letters import DeadLetter
from switchboard_wire.todo import Todo, TodoState, TodoSummary
from switchboard_wire.worker import Attempt

Row = Mapping[str, Any]


def _summary(row: Row, queue: QueueIdentity, claimant: str | None, admission: AdmissionStatus | None) -> dict[str, Any]:
    return {
        "id": row["id"],
        "scope": queue.scope,
        "queue": queue.name,
        "queue_id": queue.id,
        "kind": row["kind"],
        "source": row["source"],
        "title": row["title"],
        "tags": tuple(row["tags"]),
        "state": TodoState(row["state"]),
        "attempt": row["attempt"],
        "max_attempts": row["max_attempts"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
        "claimed_at": row["claimed_at"],
        "lease_expires_at": row["lease_expires_at"],
        "next_retry_at": row["next_retry_at"],
        "not_before": row["not_before"],
        "finished_at": row["finished_at"],
        "claimant": claimant,
        "worker": row["worker"],
        "error": row["error"],
        "admission": admission,
    }


def todo_summary(
    row: Row, queue: QueueIdentity, claimant: str | None, admission: AdmissionStatus | None = None
) -> TodoSummary:
    """A row of `todos` as lists show it."""
    return TodoSummary(**_summary(row, queue, claimant, admission))


def dead_letter(row: Row, queue: QueueIdentity) -> DeadLetter:
    """A row of `todos` in state dead, with the claimant's slug."""
    return DeadLetter(**_summary(row, queue, row["claimant"], None), dlq_at=row["finished_at"])


def todo(
    row: Row,
    queue: QueueIdentity,
    claimant: str | None,
    admission: AdmissionStatus | None = None,
    *,
    with_fence: bool = False,
) -> Todo:
    """A row of `todos`, or the todo columns of a claim_row; payload and result stay JSON text."""
    fence = row["fence"] if with_fence else None
    return Todo(
        **_summary(row, queue, claimant, admission),
        payload=_json(row["payload"]),
        result=_json(row["result"]),
        idempotency_key=row["idempotency_key"],
        fence=None if fence is None else str(fence),
    )


def _json(text: str | None) -> RawJson:
    return JSON_NULL if text is None else RawJson(text)


def attempt(row: Row) -> Attempt:
    """A row of `attempts` with the claimant's slug."""
    ended_at = row["ended_at"]
    return Attempt(
        seq=row["seq"],
        claimant=row["claimant"],
        worker=row["worker"],
        claimed_at=row["claimed_at"],
        ended_at=ended_at,
        outcome=row["outcome"],
        duration_ms=None if ended_at is None else int((ended_at - row["claimed_at"]).total_seconds() * 1000),
    )


def policy_columns(row: Row) -> PolicyColumns:
    """The policy columns of a row in which the policy may be missing (version null or 0)."""
    return PolicyColumns(
        version=row["version"] or NO_POLICY_VERSION,
        max_in_flight=row["max_in_flight"],
        max_claims_per_window=row["max_claims_per_window"],
        window_period=row["window_period"],
        window_tz=row["window_tz"],
        window_start=row["window_start"],
        window_weekday=row["window_weekday"],
    )
