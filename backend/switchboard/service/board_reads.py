"""What the operator's page reads: the queues with their admission, and jobs by filter."""

from __future__ import annotations

from switchboard.core.identity import Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.job_filter_compiler import compile_count, compile_listing
from switchboard.store.rows import Row, todo_summary
from switchboard_wire.envelope import JobsQuery
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.reads import (
    JOBS_COUNT_CAP,
    PENDING_COUNT_CAP,
    JobsCount,
    JobsPage,
    QueueOverview,
    QueuesPage,
)

from .admission_reads import queue_admissions, todo_admission
from .known_policies import KnownPolicies
from .reach import visible_queues
from .read_budget import ReadDeadline


class BoardReads:
    """Each read is one snapshot of the database."""

    def __init__(self, database: Database, known_policies: KnownPolicies) -> None:
        self._database = database
        self._known = known_policies

    async def queues(self, human: Human, deadline: ReadDeadline) -> QueuesPage:
        """Every queue identity that this human may see (D6)."""
        async with self._database.read(deadline.budget()) as connection:
            rows = await _visible(connection, human)
            queues = {row["id"]: QueueIdentity(row["id"], row["scope"], row["name"]) for row in rows}
            admissions = await queue_admissions(connection, self._known, queues.values())
            counts = await statements.queues.pending_counts(
                connection, queue_ids=list(queues), cap=PENDING_COUNT_CAP + 1
            )
        pending = {row["queue_id"]: row["pending"] for row in counts}
        return QueuesPage(
            tuple(
                QueueOverview(
                    admission=admissions[row["id"]],
                    pending=min(pending[row["id"]], PENDING_COUNT_CAP),
                    pending_capped=pending[row["id"]] > PENDING_COUNT_CAP,
                    manageable=row["manageable"],
                )
                for row in rows
            )
        )

    async def jobs(self, human: Human, query: JobsQuery, deadline: ReadDeadline) -> JobsPage:
        """One page of the jobs that match, newest first; a pending job of a policy queue says whether it waits."""
        async with self._database.read(deadline.budget()) as connection:
            queues = await visible_queues(connection, human, query.filter.queue)
            listing = compile_listing(query.filter, query.page, list(queues))
            found = await connection.fetch(listing.sql, *listing.parameters)
            page = found[: query.page.limit]
            pending = {row["queue_id"] for row in page if row["state"] == "pending"}
            admissions = await queue_admissions(connection, self._known, [queues[queue_id] for queue_id in pending])
        jobs = tuple(
            todo_summary(
                row,
                queues[row["queue_id"]],
                row["claimant"],
                todo_admission(admissions, row["queue_id"], row["state"]),
            )
            for row in page
        )
        return JobsPage(jobs, jobs[-1].id if len(found) > query.page.limit else None)

    async def count(self, human: Human, job_filter: JobFilter, deadline: ReadDeadline) -> JobsCount:
        """How many jobs match, counted up to the cap."""
        async with self._database.read(deadline.budget()) as connection:
            queues = await visible_queues(connection, human, job_filter.queue)
            counting = compile_count(job_filter, JOBS_COUNT_CAP, list(queues))
            count = await connection.fetchval(counting.sql, *counting.parameters)
        return JobsCount(min(count, JOBS_COUNT_CAP), count > JOBS_COUNT_CAP, JOBS_COUNT_CAP)


async def _visible(connection: Connection, human: Human) -> list[Row]:
    rows = await statements.queues.visible_queues(connection, human_id=human.id, operator=human.operator)
    return list(rows)
