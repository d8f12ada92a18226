"""What an operator does to a whole queue: pause and resume, which are edits of its policy (D21), and drain."""

from __future__ import annotations

from datetime import datetime

import orjson

from switchboard.core.identity import Human, QueueIdentity
from switchboard.core.known_policy import columns_of
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.rows import Row
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator_actions import Drained, OperatorAction, QueueChanged
from switchboard_wire.policy import MAX_IN_FLIGHT_BOUND, Policy

from .admission_reads import queue_admissions
from .known_policies import KnownPolicies
from .operator_audit import audited
from .policies import BUDGET, Columns, PolicyService, refuse_revoked

BATCH = 500


class QueueActions:
    """Foreign, unknown and unmanageable queue identities are refused in the same words (D7)."""

    def __init__(
        self, database: Database, known_policies: KnownPolicies, policies: PolicyService, *, batch: int = BATCH
    ) -> None:
        self._database = database
        self._known = known_policies
        self._policies = policies
        self._size = batch

    async def pause(self, human: Human, queue_id: int) -> QueueChanged:
        """max_in_flight 0, in the policy that stands or in one made for it. Raises not_found, or conflict when it is 0
        already or the endpoint is revoked."""
        queue = await self._editable(human, queue_id)

        async def paused(connection: Connection, before: Row | None) -> Columns:
            if before is not None and before["max_in_flight"] == 0:
                raise SwitchboardError(ErrorCode.CONFLICT, "This queue is paused already.")
            await _audited(connection, human, OperatorAction.QUEUES_PAUSE, queue, {"paused": 1})
            return columns_of(Policy(max_in_flight=0)) if before is None else _with_limit(before, 0)

        await self._policies.edit(human, queue.id, paused)
        return await self._now(queue)

    async def resume(self, human: Human, queue_id: int) -> QueueChanged:
        """The max_in_flight that stood before the pause, as the policy's audit tells; no policy where nothing limits it
        then. Raises not_found, or conflict when it is not paused, when the audit does not tell, or when the endpoint is
        revoked."""
        queue = await self._editable(human, queue_id)

        async def resumed(connection: Connection, before: Row | None) -> Columns | None:
            if before is None or before["max_in_flight"] != 0:
                raise _not_paused()
            columns = _with_limit(before, await _former_limit(connection, queue.id))
            await _audited(connection, human, OperatorAction.QUEUES_RESUME, queue, {"resumed": 1})
            return None if all(value is None for value in columns.values()) else columns

        if not await self._policies.change(human, queue.id, resumed):
            raise _not_paused()
        return await self._now(queue)

    async def drain(self, human: Human, queue_id: int) -> Drained:
        """Cancels what waits since before this began: scheduled, pending and parked. What a worker holds is left to it.

        In batches, each its own transaction and audited in it; what is drained when it ends early stays so.
        Raises not_found.
        """
        async with self._database.session() as connection:
            queue, _ = await _manageable(connection, human, queue_id)
            started: datetime = await statements.queue_actions.clock(connection)
        total, first = 0, None
        while True:
            async with self._database.change() as connection:
                canceled: int = await statements.queue_actions.cancel_waiting(
                    connection, queue_id=queue.id, created_until=started, batch=self._size
                )
                if canceled or first is None:
                    record = await _audited(
                        connection, human, OperatorAction.QUEUES_DRAIN, queue, {"canceled": canceled}, first
                    )
                    first = first or record
            if not canceled:
                return Drained(total)
            total += canceled

    async def _editable(self, human: Human, queue_id: int) -> QueueIdentity:
        """Raises not_found, or conflict for a revoked endpoint (D9)."""
        async with self._database.session() as connection:
            queue, revoked = await _manageable(connection, human, queue_id)
        refuse_revoked(revoked)
        return queue

    async def _now(self, queue: QueueIdentity) -> QueueChanged:
        async with self._database.read(BUDGET) as connection:
            return QueueChanged((await queue_admissions(connection, self._known, [queue]))[queue.id])


async def _manageable(connection: Connection, human: Human, queue_id: int) -> tuple[QueueIdentity, bool]:
    """The queue, and whether its endpoint is revoked."""
    row = await statements.queue_actions.manageable_queue(connection, queue_id=queue_id, human_id=human.id)
    if row is None:
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such queue that you may manage.")
    return QueueIdentity(row["id"], row["scope"], row["name"]), row["endpoint_state"] == "revoked"


async def _audited(
    connection: Connection,
    human: Human,
    action: OperatorAction,
    queue: QueueIdentity,
    counts: dict[str, int],
    part_of: int | None = None,
) -> int:
    return await audited(connection, human, action, {"queue_id": queue.id}, queue.id, counts, part_of)


async def _former_limit(connection: Connection, queue_id: int) -> int | None:
    """max_in_flight before it became 0; None: no limit. Raises conflict when the audit does not tell: never a guess."""
    row = await statements.queue_actions.before_the_pause(connection, queue_id=queue_id)
    if row is None:
        raise _unknown_limit()
    if row["before"] is None:
        return None
    limit = orjson.loads(row["before"]).get("max_in_flight")
    if limit is not None and not (isinstance(limit, int) and 0 <= limit <= MAX_IN_FLIGHT_BOUND):
        raise _unknown_limit()
    return limit


def _with_limit(row: Row, max_in_flight: int | None) -> Columns:
    """The policy's columns, valid or not, but for this limit: a pause must not depend on a zone that is known."""
    names = ("max_claims_per_window", "window_period", "window_tz", "window_start", "window_weekday")
    return {"max_in_flight": max_in_flight} | {name: row[name] for name in names}


def _not_paused() -> SwitchboardError:
    return SwitchboardError(ErrorCode.CONFLICT, "This queue is not paused.")


def _unknown_limit() -> SwitchboardError:
    return SwitchboardError(
        ErrorCode.CONFLICT, "Nothing tells which limit stood before the pause; set the policy instead."
    )
