"""What a worker may look up: todos of its queues, and the admission of its queues."""

from __future__ import annotations

from switchboard.core.identity import Caller
from switchboard.store import statements
from switchboard.store.database import Database, ReadBudget
from switchboard.store.rows import attempt, todo, todo_summary
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import AdmissionStatuses, AskAdmissionStatus, GetTodo, ListTodos, TodoHistory, TodoList

from .admission_reads import queue_admissions, todo_admission
from .grants import granted_queue
from .known_policies import KnownPolicies

BUDGET = ReadBudget(statement_ms=5000, lock_ms=1000)


class TodoReads:
    def __init__(self, database: Database, known_policies: KnownPolicies) -> None:
        self._database = database
        self._known = known_policies

    async def get_todo(self, caller: Caller, ask: GetTodo) -> TodoHistory:
        """With all its attempts. Raises not_found, in the same words for a todo of a queue outside the grant."""
        ids = [queue.id for queue in caller.queues.values()]
        async with self._database.read(BUDGET) as connection:
            row = await statements.todos.todo_in_queues(connection, todo_id=ask.todo_id, queue_ids=ids)
            if row is None:
                raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such todo in your queues.", field="todo_id")
            queue = caller.queue_by_id(row["queue_id"])
            admissions = await queue_admissions(connection, self._known, [queue])
            attempts = await statements.todos.attempts_of_todo(connection, todo_id=ask.todo_id, queue_id=queue.id)
        return TodoHistory(
            todo(row, queue, row["claimant"], todo_admission(admissions, queue.id, row["state"])),
            tuple(attempt(one) for one in attempts),
        )

    async def list_todos(self, caller: Caller, ask: ListTodos) -> TodoList:
        """Newest first. Raises forbidden for a queue outside the grant."""
        queues = list(caller.queues.values()) if ask.queue is None else [granted_queue(caller, ask.queue)]
        by_id = {queue.id: queue for queue in queues}
        async with self._database.read(BUDGET) as connection:
            rows = await statements.todos.todos_in_queues(
                connection,
                queue_ids=list(by_id),
                states=None if ask.states is None else [state.value for state in ask.states],
                before_id=ask.before_id,
                limit=ask.limit + 1,
            )
            page = rows[: ask.limit]
            pending = {row["queue_id"] for row in page if row["state"] == "pending"}
            admissions = await queue_admissions(connection, self._known, [by_id[queue_id] for queue_id in pending])
        todos = tuple(
            todo_summary(
                row,
                by_id[row["queue_id"]],
                row["claimant"],
                todo_admission(admissions, row["queue_id"], row["state"]),
            )
            for row in page
        )
        return TodoList(todos, todos[-1].id if len(rows) > ask.limit else None)

    async def admission_status(self, caller: Caller, ask: AskAdmissionStatus) -> AdmissionStatuses:
        """Policy, usage and status of every granted queue, or of one. Raises forbidden outside the grant."""
        queues = list(caller.queues.values()) if ask.queue is None else [granted_queue(caller, ask.queue)]
        async with self._database.read(BUDGET) as connection:
            admissions = await queue_admissions(connection, self._known, queues)
        return AdmissionStatuses(tuple(admissions[queue.id] for queue in queues))
