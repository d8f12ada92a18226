"""Admission status of queue identities: the one function behind list_todos, get_todo, the board and status (D23)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from switchboard.core.admission import ADMITTED, refusal, status
from switchboard.core.identity import QueueIdentity
from switchboard.core.known_policy import NO_POLICY_VERSION, KnownPolicy
from switchboard.store import statements
from switchboard.store.database import Connection
from switchboard.store.rows import Row
from switchboard_wire.admission import AdmissionStatus, DeferralReason, QueueAdmission

from .known_policies import KnownPolicies


async def queue_admissions(
    connection: Connection, known_policies: KnownPolicies, queues: Iterable[QueueIdentity]
) -> dict[int, QueueAdmission]:
    """By queue id, in two statements; call it inside one snapshot. One bad policy spoils only its own entry (D18)."""
    asked = {queue.id: queue for queue in queues}
    if not asked:
        return {}
    policies = await statements.policies.policies_of_queues(connection, queue_ids=list(asked))
    known = {row["queue_id"]: known_policies.learn(row) for row in policies}
    at = {row["queue_id"]: row["at"] for row in policies}
    usage = await statements.policies.usage_of_queues(
        connection,
        queue_ids=list(asked),
        definitions=[known[queue_id].definition for queue_id in asked],
        starts=[None if (one := known[queue_id].interval) is None else one.start for queue_id in asked],
    )
    return {
        row["queue_id"]: _admission(asked[row["queue_id"]], known[row["queue_id"]], row, at[row["queue_id"]])
        for row in usage
    }


def _admission(queue: QueueIdentity, known: KnownPolicy, usage: Row, at: datetime) -> QueueAdmission:
    policy, interval = known.policy, known.interval
    used = usage["used"]
    limit = None if policy is None else policy.max_claims_per_window
    return QueueAdmission(
        queue_id=queue.id,
        scope=queue.scope,
        queue=queue.name,
        policy=policy,
        fault=known.fault,
        status=_status(known, usage, at),
        in_flight=usage["in_flight"],
        used=used,
        remaining=None if limit is None or used is None else max(limit - used, 0),
        window_started_at=None if interval is None else interval.start,
        window_resets_at=None if interval is None else interval.end,
    )


def _status(known: KnownPolicy, usage: Row, at: datetime) -> AdmissionStatus:
    if known.version == NO_POLICY_VERSION:
        return ADMITTED
    if known.policy is None:
        reason: DeferralReason | None = DeferralReason.ADMISSION_UNAVAILABLE
    else:
        reason = refusal(
            max_in_flight=known.policy.max_in_flight,
            max_claims_per_window=known.policy.max_claims_per_window,
            in_flight=usage["in_flight"],
            used=usage["used"],
        )
    return status(
        reason,
        at=at,
        window_ends_at=None if known.interval is None else known.interval.end,
        live_lease_expires_at=usage["live_lease_expires_at"],
    )


def todo_admission(admissions: dict[int, QueueAdmission], queue_id: int, state: str) -> AdmissionStatus | None:
    """What a todo carries: its queue's status while it is pending in a queue with a policy, else nothing."""
    admission = admissions.get(queue_id)
    if state != "pending" or admission is None or (admission.policy is None and admission.fault is None):
        return None
    return admission.status
