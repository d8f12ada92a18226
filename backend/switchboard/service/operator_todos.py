"""What an operator does to todos by hand: retry now, cancel, claim on the board. None of it passes a budget by.

Each change is audited in its own transaction.
"""

from __future__ import annotations

from switchboard.core.identity import Caller, Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.errors import Deadlock, DuplicateKey, translated
from switchboard.store.rows import Row, todo
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator_actions import CanceledJobs, JobIds, OperatorAction, RetriedJobs
from switchboard_wire.worker import Changed, Claim, Claimed, Verb

from .admission_reads import queue_admissions, todo_admission
from .claim import ClaimService
from .known_policies import KnownPolicies
from .operator_audit import audited
from .reach import manageable_queues

BOARD_LEASE_SECONDS = 300
# A round is lost when a live todo took an idempotency key in between, which the next round sees, or when two such works
# waited for each other's keys.
MAX_ROUNDS = 20


class OperatorTodos:
    """Foreign and unknown todos are refused in the same words."""

    def __init__(self, database: Database, known_policies: KnownPolicies, claim: ClaimService) -> None:
        self._database = database
        self._known = known_policies
        self._claim = claim

    async def retry_now(self, human: Human, todo_id: int) -> Changed:
        """A parked or dead todo is pending at once, attempt 0; its next claim is charged like any. Raises conflict."""
        async with self._database.change() as connection:
            found = await manageable_todo(connection, human, todo_id)
            try:
                async with translated():
                    row = await statements.operator_todos.retry_now(
                        connection, todo_id=todo_id, queue_id=found["queue_id"]
                    )
            except DuplicateKey as error:
                raise key_is_held() from error
            return await self._changed(connection, human, found, row, OperatorAction.JOBS_RETRY, "retried")

    async def cancel(self, human: Human, todo_id: int) -> Changed:
        """Raises conflict for a todo that is claimed, done or canceled."""
        async with self._database.change() as connection:
            found = await manageable_todo(connection, human, todo_id)
            row = await statements.operator_todos.cancel(connection, todo_id=todo_id, queue_id=found["queue_id"])
            return await self._changed(connection, human, found, row, OperatorAction.JOBS_CANCEL, "canceled")

    async def retry_many(self, human: Human, ask: JobIds) -> RetriedJobs:
        """Each parked or dead one is pending at once, attempt 0; all in one transaction."""
        for _ in range(MAX_ROUNDS):
            try:
                changed, not_found, conflicts = await self._many(human, ask, OperatorAction.JOBS_RETRY, "retried")
                return RetriedJobs(retried=changed, not_found=not_found, conflicts=conflicts)
            except (DuplicateKey, Deadlock):
                continue
        raise SwitchboardError(
            ErrorCode.UNAVAILABLE, "The idempotency keys of these todos keep being taken; try again.", retry_after=1
        )

    async def cancel_many(self, human: Human, ask: JobIds) -> CanceledJobs:
        """Each one that nobody holds and that has not ended; all in one transaction."""
        changed, not_found, conflicts = await self._many(human, ask, OperatorAction.JOBS_CANCEL, "canceled")
        return CanceledJobs(canceled=changed, not_found=not_found, conflicts=conflicts)

    async def _many(self, human: Human, ask: JobIds, action: OperatorAction, done: str) -> tuple[int, int, int]:
        """Changed, not found, in the way: together as many as were asked for."""
        act = {
            OperatorAction.JOBS_RETRY: statements.operator_todos.retry_many,
            OperatorAction.JOBS_CANCEL: statements.operator_todos.cancel_many,
        }[action]
        ids = sorted(ask.ids)
        async with self._database.change() as connection:
            queues = await manageable_queues(connection, human.id)
            row = await act(connection, todo_ids=ids, queue_ids=list(queues))
            counts = row["changed"], len(ids) - row["found"], row["found"] - row["changed"]
            audit = dict(zip((done, "not_found", "conflicts"), counts, strict=True))
            await audited(connection, human, action, {"ids": ids}, row["queue_id"], audit)
        return counts

    async def claim(self, human: Human, todo_id: int) -> Claimed:
        """The board's claim, in the name of the todo's endpoint. Admission holds as for any claim (REQ-3)."""
        async with self._database.session() as connection:
            found = await manageable_todo(connection, human, todo_id)
        queue = todo_queue(found)
        caller = Caller(
            endpoint_id=found["endpoint_id"],
            slug=found["endpoint"] or f"operator {human.name}",
            verbs=frozenset({Verb.CLAIM}),
            queues={queue.name: queue},
            default_lease_seconds=BOARD_LEASE_SECONDS,
        )
        ask = Claim(todo_id=todo_id, worker=f"operator {human.name}")
        claimed = await self._claim.claim(caller, ask, by_hand_of=human)
        self._database.generation.advance()  # the claim committed by itself, as every claim does
        return claimed

    async def _changed(
        self, connection: Connection, human: Human, found: Row, row: Row | None, action: OperatorAction, done: str
    ) -> Changed:
        if row is None:
            raise SwitchboardError(
                ErrorCode.CONFLICT,
                f"This todo is {found['state']} and cannot be {done}.",
                field="todo_id",
                details={"state": found["state"]},
            )
        queue = todo_queue(found)
        await audited(connection, human, action, {"ids": [row["id"]]}, queue.id, {done: 1})
        admissions = await queue_admissions(connection, self._known, [queue])
        return Changed(todo(row, queue, None, todo_admission(admissions, queue.id, row["state"])))


async def manageable_todo(connection: Connection, human: Human, todo_id: int) -> Row:
    """State, endpoint and queue of a todo that this human may manage. Raises not_found."""
    row: Row | None = await statements.operator_todos.manageable_todo(connection, todo_id=todo_id, human_id=human.id)
    if row is None:
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such todo that you may manage.", field="todo_id")
    return row


def todo_queue(row: Row) -> QueueIdentity:
    """Of a row that manageable_todo gave."""
    return QueueIdentity(row["queue_id"], row["scope"], row["name"])


def key_is_held() -> SwitchboardError:
    return SwitchboardError(ErrorCode.CONFLICT, "Another live todo holds this one's idempotency key.", field="todo_id")
