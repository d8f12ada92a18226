"""What an operator does to one todo by hand: retry now, cancel, claim on the board. None of it passes a budget by."""

from __future__ import annotations

from switchboard.core.identity import Caller, Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.errors import DuplicateKey, translated
from switchboard.store.rows import Row, todo
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import Changed, Claim, Claimed, Verb

from .admission_reads import queue_admissions, todo_admission
from .claim import ClaimService
from .known_policies import KnownPolicies

BOARD_LEASE_SECONDS = 300


class OperatorTodos:
    """Foreign and unknown todos are refused in the same words."""

    def __init__(self, database: Database, known_policies: KnownPolicies, claim: ClaimService) -> None:
        self._database = database
        self._known = known_policies
        self._claim = claim

    async def retry_now(self, human: Human, todo_id: int) -> Changed:
        """A parked or dead todo is pending at once, attempt 0; its next claim is charged like any. Raises conflict."""
        async with self._database.change() as connection:
            found = await _manageable(connection, human, todo_id)
            try:
                async with translated():
                    row = await statements.operator_todos.retry_now(
                        connection, todo_id=todo_id, queue_id=found["queue_id"]
                    )
            except DuplicateKey as error:
                raise SwitchboardError(
                    ErrorCode.CONFLICT, "Another live todo holds this one's idempotency key.", field="todo_id"
                ) from error
            return await self._changed(connection, found, row, "retried")

    async def cancel(self, human: Human, todo_id: int) -> Changed:
        """Raises conflict for a todo that is claimed, done or canceled."""
        async with self._database.change() as connection:
            found = await _manageable(connection, human, todo_id)
            row = await statements.operator_todos.cancel(connection, todo_id=todo_id, queue_id=found["queue_id"])
            return await self._changed(connection, found, row, "canceled")

    async def claim(self, human: Human, todo_id: int) -> Claimed:
        """The board's claim, in the name of the todo's endpoint. Admission holds as for any claim (REQ-3)."""
        async with self._database.session() as connection:
            found = await _manageable(connection, human, todo_id)
        queue = _queue(found)
        caller = Caller(
            endpoint_id=found["endpoint_id"],
            slug=found["endpoint"] or f"operator {human.name}",
            verbs=frozenset({Verb.CLAIM}),
            queues={queue.name: queue},
            default_lease_seconds=BOARD_LEASE_SECONDS,
        )
        return await self._claim.claim(caller, Claim(todo_id=todo_id, worker=f"operator {human.name}"))

    async def _changed(self, connection: Connection, found: Row, row: Row | None, done: str) -> Changed:
        if row is None:
            raise SwitchboardError(
                ErrorCode.CONFLICT,
                f"This todo is {found['state']} and cannot be {done}.",
                field="todo_id",
                details={"state": found["state"]},
            )
        queue = _queue(found)
        admissions = await queue_admissions(connection, self._known, [queue])
        return Changed(todo(row, queue, None, todo_admission(admissions, queue.id, row["state"])))


async def _manageable(connection: Connection, human: Human, todo_id: int) -> Row:
    row: Row | None = await statements.operator_todos.manageable_todo(connection, todo_id=todo_id, human_id=human.id)
    if row is None:
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such todo that you may manage.", field="todo_id")
    return row


def _queue(row: Row) -> QueueIdentity:
    return QueueIdentity(row["queue_id"], row["scope"], row["name"])
