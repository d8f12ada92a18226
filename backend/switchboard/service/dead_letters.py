"""Reads of the dead letters: a page by filter, one whole, and how many lie where."""

from __future__ import annotations

from switchboard.core.identity import Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard.store.job_filter_compiler import compile_dead_letters
from switchboard.store.rows import Row, attempt, dead_letter, todo
from switchboard_wire.dead_letters import (
    DEPTH_CAP,
    DeadLetterDetail,
    DlqCursor,
    DlqDepth,
    DlqPageAnswer,
    DlqQuery,
    QueueDepth,
)
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .reach import visible_queues
from .read_budget import ReadDeadline


class DeadLetters:
    """Each read is one snapshot of the database, of what this human may see (D6)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def query(self, human: Human, query: DlqQuery, deadline: ReadDeadline) -> DlqPageAnswer:
        """One page of the dead letters that match, the one that died last first."""
        async with self._database.read(deadline.budget()) as connection:
            queues = await visible_queues(connection, human, query.filter.queue)
            listing = compile_dead_letters(query.filter, query.page, list(queues))
            found = await connection.fetch(listing.sql, *listing.parameters)
        jobs = tuple(dead_letter(row, queues[row["queue_id"]]) for row in found[: query.page.limit])
        more = len(found) > query.page.limit
        return DlqPageAnswer(jobs, DlqCursor(jobs[-1].dlq_at, jobs[-1].id) if more else None)

    async def one(self, human: Human, todo_id: int, deadline: ReadDeadline) -> DeadLetterDetail:
        """Raises not_found, also for a todo that is not dead."""
        async with self._database.read(deadline.budget()) as connection:
            queues = await visible_queues(connection, human)
            row = await statements.dead_letters.dead_letter(connection, todo_id=todo_id, queue_ids=list(queues))
            if row is None:
                raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such dead letter.", field="id")
            attempts = await statements.todos.attempts_of_todo(connection, todo_id=todo_id, queue_id=row["queue_id"])
        return DeadLetterDetail(
            todo=todo(row, queues[row["queue_id"]], row["claimant"]),
            dlq_at=row["finished_at"],
            attempts=tuple(attempt(one) for one in attempts),
        )

    async def depth(self, human: Human, deadline: ReadDeadline) -> DlqDepth:
        """Of every queue identity that this human may see, those without dead letters too."""
        async with self._database.read(deadline.budget()) as connection:
            queues = await visible_queues(connection, human)
            rows = await statements.dead_letters.depth(connection, queue_ids=list(queues), cap=DEPTH_CAP + 1)
        found = {row["queue_id"]: row for row in rows}
        depths = tuple(_depth(queue, found[queue.id]) for queue in queues.values())
        return DlqDepth(
            queues=depths,
            total=sum(depth.count for depth in depths),
            capped=any(depth.capped for depth in depths),
            cap=DEPTH_CAP,
            oldest_dlq_at=min((one.oldest_dlq_at for one in depths if one.oldest_dlq_at is not None), default=None),
        )


def _depth(queue: QueueIdentity, row: Row) -> QueueDepth:
    return QueueDepth(
        queue_id=queue.id,
        scope=queue.scope,
        queue=queue.name,
        count=min(row["dead"], DEPTH_CAP),
        capped=row["dead"] > DEPTH_CAP,
        oldest_dlq_at=row["oldest"],
    )
