"""What an operator does to one dead letter: retry, purge, move to another queue. None of it passes a budget by."""

from __future__ import annotations

from switchboard.core.identity import Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.errors import DuplicateKey
from switchboard.store.rows import Row, todo
from switchboard_wire.dead_letters import MoveBody, Purged
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator_actions import OperatorAction
from switchboard_wire.todo import TodoState
from switchboard_wire.worker import Changed

from .admission_reads import queue_admissions, todo_admission
from .known_policies import KnownPolicies
from .operator_audit import audited
from .operator_todos import key_is_held, manageable_todo, todo_queue


class DeadLetterActions:
    """Foreign, unknown and unmanageable todos are refused in the same words; what is not dead by conflict."""

    def __init__(self, database: Database, known_policies: KnownPolicies) -> None:
        self._database = database
        self._known = known_policies

    async def retry(self, human: Human, todo_id: int) -> Changed:
        """Pending at once, attempt 0. Raises not_found, or conflict, also when a live todo holds its key."""
        try:
            async with self._database.change() as connection:
                queue = await _locked_dead(connection, human, todo_id, "retried as a dead letter")
                if not await statements.dead_letters.retry(connection, todo_ids=[todo_id], queue_id=queue.id):
                    raise key_is_held()
                await audited(connection, human, OperatorAction.DLQ_RETRY, {"ids": [todo_id]}, queue.id, {"retried": 1})
                row = await statements.todos.todo_in_queues(connection, todo_id=todo_id, queue_ids=[queue.id])
                return await self._changed(connection, row, queue)
        except DuplicateKey as error:
            raise key_is_held() from error

    async def purge(self, human: Human, todo_id: int) -> Purged:
        """Gone for ever, with its attempts. Raises not_found or conflict."""
        async with self._database.change() as connection:
            queue = await _locked_dead(connection, human, todo_id, "purged")
            purged = await statements.dead_letters.purge(connection, todo_ids=[todo_id], queue_id=queue.id)
            await audited(connection, human, OperatorAction.DLQ_PURGE, {"ids": [todo_id]}, queue.id, {"purged": purged})
        return Purged(purged)

    async def move(self, human: Human, todo_id: int, ask: MoveBody) -> Changed:
        """Pending in another queue of the same owner, attempt 0, under that queue's budget from its next claim on.

        Raises not_found, also for a queue that this owner does not have, or conflict.
        """
        try:
            async with self._database.change() as connection:
                queue = await _locked_dead(connection, human, todo_id, "moved")
                target = await _sibling(connection, human, queue, ask.queue)
                row = await statements.dead_letters.move(
                    connection, todo_id=todo_id, queue_id=queue.id, to_queue_id=target.id
                )
                about = {"ids": [todo_id], "to_queue_id": target.id}
                await audited(connection, human, OperatorAction.DLQ_MOVE, about, queue.id, {"moved": 1})
                return await self._changed(connection, row, target)
        except DuplicateKey as error:
            raise key_is_held() from error

    async def _changed(self, connection: Connection, row: Row, queue: QueueIdentity) -> Changed:
        admissions = await queue_admissions(connection, self._known, [queue])
        return Changed(todo(row, queue, None, todo_admission(admissions, queue.id, row["state"])))


async def _locked_dead(connection: Connection, human: Human, todo_id: int, done: str) -> QueueIdentity:
    """The queue of a dead todo that nobody else changes before this transaction ends. Raises not_found or conflict."""
    queue = todo_queue(await manageable_todo(connection, human, todo_id))
    state = await statements.dead_letters.lock(connection, todo_id=todo_id, queue_id=queue.id)
    if state is None:  # it was purged, or moved, while we looked
        await manageable_todo(connection, human, todo_id)
        raise SwitchboardError(ErrorCode.CONFLICT, "This todo was moved to another queue just now.", field="todo_id")
    if state != TodoState.DEAD:
        raise SwitchboardError(
            ErrorCode.CONFLICT,
            f"This todo is {state} and cannot be {done}.",
            field="todo_id",
            details={"state": state},
        )
    return queue


async def _sibling(connection: Connection, human: Human, queue: QueueIdentity, name: str) -> QueueIdentity:
    found = await statements.dead_letters.sibling_queue(connection, queue_id=queue.id, name=name, human_id=human.id)
    if found is None:
        raise SwitchboardError(
            ErrorCode.NOT_FOUND, "The owner of this todo has no such queue that you may manage.", field="queue"
        )
    if found["id"] == queue.id:
        raise SwitchboardError(ErrorCode.CONFLICT, "The todo is in this queue already.", field="queue")
    return QueueIdentity(found["id"], found["scope"], found["name"])
