"""One job, and one queue, with all that is known of them."""

from __future__ import annotations

from switchboard.core.identity import Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard.store.rows import attempt, todo, todo_summary
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.queue_detail import QueueDetail, WindowUsage
from switchboard_wire.reads import PENDING_COUNT_CAP, JobDetail, QueueOverview

from .admission_reads import queue_admissions, todo_admission
from .known_policies import KnownPolicies
from .policies import audit_record
from .read_budget import ReadDeadline

WINDOWS_SHOWN, IN_FLIGHT_SHOWN, AUDIT_SHOWN = 14, 50, 20


class Details:
    """Each read is one snapshot; foreign and unknown are refused in the same words."""

    def __init__(self, database: Database, known_policies: KnownPolicies) -> None:
        self._database = database
        self._known = known_policies

    async def job(self, human: Human, todo_id: int, deadline: ReadDeadline) -> JobDetail:
        """Raises not_found."""
        async with self._database.read(deadline.budget()) as connection:
            rows = await statements.queues.visible_queues(connection, human_id=human.id, operator=human.operator)
            queues = {seen["id"]: seen for seen in rows}
            row = await statements.todos.todo_in_queues(connection, todo_id=todo_id, queue_ids=list(queues))
            if row is None:
                raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such job.", field="id")
            seen = queues[row["queue_id"]]
            queue = QueueIdentity(seen["id"], seen["scope"], seen["name"])
            admissions = await queue_admissions(connection, self._known, [queue])
            attempts = await statements.todos.attempts_of_todo(connection, todo_id=todo_id, queue_id=queue.id)
        return JobDetail(
            todo(row, queue, row["claimant"], todo_admission(admissions, queue.id, row["state"])),
            tuple(attempt(one) for one in attempts),
            seen["manageable"],
        )

    async def queue(self, human: Human, queue_id: int, deadline: ReadDeadline) -> QueueDetail:
        """Raises not_found."""
        async with self._database.read(deadline.budget()) as connection:
            rows = await statements.queues.visible_queues(connection, human_id=human.id, operator=human.operator)
            seen = next((row for row in rows if row["id"] == queue_id), None)
            if seen is None:
                raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such queue.", field="id")
            queue = QueueIdentity(queue_id, seen["scope"], seen["name"])
            admission = (await queue_admissions(connection, self._known, [queue]))[queue_id]
            (counted,) = await statements.queues.pending_counts(
                connection, queue_ids=[queue_id], cap=PENDING_COUNT_CAP + 1
            )
            oldest = await statements.statistics.oldest_waiting(connection, queue_ids=[queue_id])
            claimed = await statements.statistics.in_flight(connection, queue_id=queue_id, limit=IN_FLIGHT_SHOWN)
            windows = await statements.statistics.window_usage(connection, queue_id=queue_id, limit=WINDOWS_SHOWN)
            audit = await statements.policies.audit_of_queue(connection, queue_id=queue_id, limit=AUDIT_SHOWN)
        (known,) = self._known.of([queue_id])
        return QueueDetail(
            queue=QueueOverview(
                admission=admission,
                pending=min(counted["pending"], PENDING_COUNT_CAP),
                pending_capped=counted["pending"] > PENDING_COUNT_CAP,
                manageable=seen["manageable"],
            ),
            oldest_waiting_at=oldest,
            in_flight=tuple(todo_summary(row, queue, row["claimant"]) for row in claimed),
            usage=tuple(
                WindowUsage(
                    row["window_started_at"],
                    row["used"],
                    current=row["window_definition"] == known.definition
                    and row["window_started_at"] == admission.window_started_at,
                )
                for row in windows
            ),
            audit=tuple(audit_record(row) for row in audit),
        )
