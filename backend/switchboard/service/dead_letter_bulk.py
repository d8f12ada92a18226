"""Retry or purge every dead letter that matches a filter.

This is not a read: it runs in batches, each a transaction of its own, for as long as it takes, under none of the limits
of interactive reads. Where it ends early, the batches so far stand, and each is audited in its own transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.errors import Deadlock, DuplicateKey
from switchboard.store.job_filter_compiler import compile_dead_batch
from switchboard.store.statements import Statement
from switchboard_wire.dead_letters import MatchingBody, Purged, RetriedMatching, decode_matching
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.job_filter import MAX_ID, JobFilter, filter_to_plain
from switchboard_wire.operator_actions import OperatorAction

from .operator_audit import audited
from .reach import manageable_queues

BATCH = 500
# A round is lost when a live todo took a key of the batch in between, which the next round sees, or when two such works
# waited for each other's keys.
MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class _Work:
    """What is done to each batch: `act` changes locked dead todos, `counts(changed, found)` is what the audit says."""

    human: Human
    action: OperatorAction
    job_filter: JobFilter
    act: Statement
    counts: Callable[[int, int], dict[str, int]]

    @property
    def target(self) -> Mapping[str, Any]:
        return {"filter": filter_to_plain(self.job_filter)}


@dataclass(slots=True)
class _Progress:
    """How many matched and were dead, how many of them were changed, and the first batch's audit record."""

    found: int = 0
    changed: int = 0
    record: int | None = None


class DeadLetterBulk:
    """Only in the queues that the human manages, and only what died before the work began."""

    def __init__(self, database: Database, *, batch: int = BATCH) -> None:
        self._database = database
        self._size = batch

    async def retry_matching(self, human: Human, body: MatchingBody) -> RetriedMatching:
        """Pending at once, attempt 0, but for those whose idempotency key a live todo holds."""
        work = _Work(
            human,
            OperatorAction.DLQ_RETRY_MATCHING,
            decode_matching(body),
            statements.dead_letters.retry,
            lambda changed, found: {"retried": changed, "conflicts": found - changed},
        )
        done = await self._run(work)
        return RetriedMatching(retried=done.changed, conflicts=done.found - done.changed)

    async def purge_matching(self, human: Human, body: MatchingBody) -> Purged:
        """Gone for ever, with their attempts."""
        work = _Work(
            human,
            OperatorAction.DLQ_PURGE_MATCHING,
            decode_matching(body),
            statements.dead_letters.purge,
            lambda changed, _: {"purged": changed},
        )
        return Purged((await self._run(work)).changed)

    async def _run(self, work: _Work) -> _Progress:
        async with self._database.session() as connection:
            started: datetime = await statements.queue_actions.clock(connection)
            queues = await manageable_queues(connection, work.human.id, work.job_filter.queue)
            rows = await statements.dead_letters.queues_with_dead(connection, queue_ids=list(queues))
        progress = _Progress()
        for row in rows:
            before: tuple[datetime, int] | None = (started, MAX_ID)
            while before is not None:
                before = await self._batch(work, row["id"], before, progress)
        if progress.record is None:
            async with self._database.change() as connection:
                await audited(connection, work.human, work.action, work.target, None, work.counts(0, 0))
        return progress

    async def _batch(
        self, work: _Work, queue_id: int, before: tuple[datetime, int], progress: _Progress
    ) -> tuple[datetime, int] | None:
        """One batch of one queue, and where the next begins; None when there is none."""
        for _ in range(MAX_ROUNDS):
            try:
                async with self._database.change() as connection:
                    return await self._change(connection, work, queue_id, before, progress)
            except (DuplicateKey, Deadlock):
                continue
        raise SwitchboardError(
            ErrorCode.UNAVAILABLE,
            "The idempotency keys of these dead letters keep being taken; what was done so far stands.",
            retry_after=1,
        )

    async def _change(
        self,
        connection: Connection,
        work: _Work,
        queue_id: int,
        before: tuple[datetime, int],
        progress: _Progress,
    ) -> tuple[datetime, int] | None:
        batch = compile_dead_batch(work.job_filter, queue_id, before, self._size)
        found = await connection.fetch(batch.sql, *batch.parameters)
        if not found:
            return None
        changed = await work.act(connection, todo_ids=[row["id"] for row in found], queue_id=queue_id)
        record = await audited(
            connection,
            work.human,
            work.action,
            work.target,
            queue_id,
            work.counts(changed, len(found)),
            progress.record,
        )
        progress.found += len(found)
        progress.changed += changed
        progress.record = progress.record or record
        if len(found) < self._size:
            return None
        # A row that changed between look and lock comes out of order; the walk never turns round for it.
        return min(before, *((row["finished_at"], row["id"]) for row in found))
