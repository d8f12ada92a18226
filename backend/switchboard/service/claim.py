"""The claim verbs: ask the database to decide, under its own lock and clock, and answer from that decision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import structlog

from switchboard.core.admission import status
from switchboard.core.identity import Caller, QueueIdentity
from switchboard.core.known_policy import NO_POLICY_VERSION, KnownPolicy
from switchboard.store import statements
from switchboard.store.claims import ClaimStore, Completion, NextClaim
from switchboard.store.database import Database
from switchboard.store.rows import Row, todo
from switchboard_wire.admission import AdmissionState, AdmissionStatus, ClaimAdmission, DeferralReason, DeferredQueue
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.instants import format_instant
from switchboard_wire.reads import PENDING_COUNT_CAP
from switchboard_wire.worker import Claim, Claimed, ClaimNext, ClaimNextAnswer

from .admission_reads import queue_admissions
from .claim_gate import ClaimGate
from .grants import narrowed
from .known_policies import KnownPolicies

log = structlog.get_logger(__name__)

# A round is lost only when a policy was edited, or a window ended, since the round before.
MAX_ROUNDS = 10


class ClaimService:
    """claim and claim_next. Nothing is kept between calls but hints."""

    def __init__(self, database: Database, known_policies: KnownPolicies) -> None:
        self._database = database
        self._claims = ClaimStore(database)
        self._known = known_policies
        self._gate = ClaimGate(database.claim_connections)

    async def claim_next(self, caller: Caller, ask: ClaimNext) -> ClaimNextAnswer:
        """The oldest claimable todo, or up to `max` of one queue; else which queues defer pending work, and why."""
        return await self.claim_next_from(caller, ask, None)

    async def claim_next_from(self, caller: Caller, ask: ClaimNext, rows: list[Row] | None) -> ClaimNextAnswer:
        """As claim_next, from the rows of a round that was made already, if one was."""
        queues = narrowed(caller, ask.queues)
        for _ in range(MAX_ROUNDS):
            if rows is None:
                next_claim = self._next_claim(caller, ask)
                async with self._gate.turn(_with_policy(next_claim.known)):
                    rows = await self._claims.claim_next(caller, next_claim)
            stale = [row for row in rows if row["outcome"] == "stale"]
            if not stale:
                for row in rows:
                    _report_fault(row)
                return await self._answer(caller, queues, rows)
            for row in stale:
                self._known.learn(row)
            rows = None
        raise _contended()

    async def complete(
        self, caller: Caller, completions: Sequence[Completion], ask: ClaimNext
    ) -> tuple[list[Row], bool]:
        """Completes, and makes the first round of claim_next in the same transaction; and whether it did. Where too
        many wait for these queues it only completes: that must wait for nobody."""
        next_claim = self._next_claim(caller, ask)
        with_policy = _with_policy(next_claim.known)
        if self._gate.is_full(with_policy):
            return await self._claims.complete(caller, completions), False
        async with self._gate.turn(with_policy):
            return await self._claims.complete(caller, completions, next_claim), True

    def _next_claim(self, caller: Caller, ask: ClaimNext) -> NextClaim:
        queues = narrowed(caller, ask.queues)
        lease = timedelta(seconds=ask.lease_seconds or caller.default_lease_seconds)
        known = self._known.of(queue.id for queue in queues)
        return NextClaim(known, lease, ask.worker, ask.fence, ask.max or 1)

    async def _answer(self, caller: Caller, queues: Sequence[QueueIdentity], rows: list[Row]) -> ClaimNextAnswer:
        claimed = [row for row in rows if row["outcome"] == "claimed"]
        if claimed:
            queue = caller.queue_by_id(claimed[0]["queue_id"])
            claimed.sort(key=lambda row: (row["created_at"], row["id"]))
            return ClaimNextAnswer(
                empty=False,
                todos=tuple(todo(row, queue, caller.slug, with_fence=True) for row in claimed),
                admission=_headroom(claimed[0]),
                held_back=claimed[0]["held_back"] or 0,
            )
        refused = {row["queue_id"]: row for row in rows}
        return ClaimNextAnswer(empty=True, deferred=await self._deferred(queues, refused))

    async def _deferred(self, queues: Sequence[QueueIdentity], refused: dict[int, Row]) -> tuple[DeferredQueue, ...]:
        """The queues with pending work that admit none of it: those that refused, and those not even asked because
        every todo of theirs was in another claim's hands."""
        with_policy = list(_with_policy(self._known.of(queue.id for queue in queues)))
        if not with_policy:
            return ()
        async with self._database.session() as connection:
            pending = {
                row["queue_id"]: row["pending"]
                for row in await statements.queues.pending_counts(
                    connection, queue_ids=with_policy, cap=PENDING_COUNT_CAP + 1
                )
            }
            unasked = [queue for queue in queues if pending.get(queue.id) and queue.id not in refused]
            looked_up = await queue_admissions(connection, self._known, unasked)
        deferred = []
        for queue in queues:
            if not pending.get(queue.id):
                continue
            said = _status(refused[queue.id]) if queue.id in refused else looked_up[queue.id].status
            if said.state is AdmissionState.DEFERRED and said.reason is not None:
                deferred.append(
                    DeferredQueue(
                        queue.name,
                        said.reason,
                        min(pending[queue.id], PENDING_COUNT_CAP),
                        said.next_eligible_at,
                        said.exact,
                        pending_capped=pending[queue.id] > PENDING_COUNT_CAP,
                    )
                )
        return tuple(deferred)

    async def claim(self, caller: Caller, ask: Claim) -> Claimed:
        """One named todo. Raises not_found, forbidden, conflict or deferred, in that order (D8)."""
        queues = list(caller.queues.values())
        lease = timedelta(seconds=ask.lease_seconds or caller.default_lease_seconds)
        for _ in range(MAX_ROUNDS):
            known = self._known.of(queue.id for queue in queues)
            async with self._gate.turn(_with_policy(known)):
                row = await self._claims.claim_todo(caller, ask.todo_id, known, lease, ask.worker, ask.fence)
            match row["outcome"]:
                case "stale":
                    self._known.learn(row)
                case "claimed":
                    queue = caller.queue_by_id(row["queue_id"])
                    return Claimed(todo(row, queue, caller.slug, with_fence=True), _headroom(row))
                case "not_found":
                    raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such todo.", field="todo_id")
                case "forbidden":
                    raise SwitchboardError(
                        ErrorCode.FORBIDDEN, "This todo is in a queue outside your grant.", field="todo_id"
                    )
                case "conflict":
                    raise SwitchboardError(
                        ErrorCode.CONFLICT,
                        f"This todo is {row['state']} and cannot be claimed by you now.",
                        field="todo_id",
                        details={"state": row["state"]},
                    )
                case _:
                    _report_fault(row)
                    raise _deferred_error(caller.queue_by_id(row["queue_id"]), _status(row))
        raise _contended()


def _with_policy(known: Sequence[KnownPolicy]) -> frozenset[int]:
    return frozenset(one.queue_id for one in known if one.version != NO_POLICY_VERSION)


def _contended() -> SwitchboardError:
    return SwitchboardError(
        ErrorCode.UNAVAILABLE, "The policies of these queues keep changing; try again.", retry_after=1
    )


def _report_fault(row: Row) -> None:
    if row["fault"]:
        log.error("admission_unavailable", queue_id=row["queue_id"], fault=row["fault"])


def _status(row: Row) -> AdmissionStatus:
    return status(
        DeferralReason(row["reason"]),
        at=row["at"],
        window_ends_at=row["window_ends_at"],
        live_lease_expires_at=row["live_lease_expires_at"],
    )


def _headroom(row: Row) -> ClaimAdmission | None:
    if (row["version"] or NO_POLICY_VERSION) == NO_POLICY_VERSION:
        return None
    limit, used = row["max_claims_per_window"], row["used"]
    return ClaimAdmission(
        max_in_flight=row["max_in_flight"],
        in_flight=row["in_flight"],
        max_claims_per_window=limit,
        used=used,
        remaining=None if limit is None else limit - used,
        window_resets_at=row["window_ends_at"],
    )


_WHY = {
    DeferralReason.PAUSED: "is paused",
    DeferralReason.WINDOW_EXHAUSTED: "has used its budget for this window",
    DeferralReason.IN_FLIGHT_FULL: "has as many todos in flight as it may",
    DeferralReason.ADMISSION_UNAVAILABLE: "has a policy that cannot be evaluated now",
}


def _deferred_error(queue: QueueIdentity, said: AdmissionStatus) -> SwitchboardError:
    assert said.reason is not None
    until = ""
    if said.next_eligible_at is not None:
        until = f"; eligible {'' if said.exact else 'possibly '}from {format_instant(said.next_eligible_at)}"
    return SwitchboardError(
        ErrorCode.DEFERRED,
        f"The queue {queue.name} {_WHY[said.reason]}{until}.",
        details={
            "queue": queue.name,
            "reason": said.reason.value,
            "next_eligible_at": None if said.next_eligible_at is None else format_instant(said.next_eligible_at),
            "exact": said.exact,
        },
    )
