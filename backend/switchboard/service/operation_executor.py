"""Does the work of operations in the background, a bounded piece at a time, in any number of servers at once.

A piece is one transaction: a stretch of a scan, or a batch of items, each in a savepoint of its own. A server that dies
in the middle leaves the piece undone, and whoever comes next takes it up. None of the limits of interactive reads
apply here.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

import structlog

from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.errors import DatabaseUnavailable, Deadlock, DuplicateKey, LockTimeout, translated
from switchboard.store.job_filter_compiler import compile_scan
from switchboard.store.rows import Row
from switchboard_wire.job_filter import decode_job_filter
from switchboard_wire.operations import ItemOutcome, OperationKind, OperationState
from switchboard_wire.todo import TodoState

from .operation_kinds import KINDS, Item
from .reach import manageable_queues

log = structlog.get_logger(__name__)

SCAN_STRETCH = 5000  # jobs looked at in one transaction
BATCH = 50  # items in one transaction: so long are their todos locked
LOCK_WAIT_SECONDS = 2.0  # for one todo that somebody holds; it is left to a later batch then
FAILURES_CAP = 5  # in a row; then the operation has failed
KEEP_ITEMS = timedelta(days=30)
PRUNE_BATCH = 5000


class OperationExecutor:
    """`stretch` and `batch` are the sizes of a piece, `lock_wait` is in seconds."""

    def __init__(
        self,
        database: Database,
        *,
        stretch: int = SCAN_STRETCH,
        batch: int = BATCH,
        lock_wait: float = LOCK_WAIT_SECONDS,
    ) -> None:
        self._database = database
        self._stretch = stretch
        self._batch = batch
        self._lock_wait_ms = int(lock_wait * 1000)

    async def run_once(self) -> bool:
        """One piece of every operation that is not at its end; True when there was one to do."""
        after_id, more = 0, False
        kinds = [kind.value for kind in KINDS]
        while True:
            async with self._database.session() as connection:
                row = await statements.operations.active(connection, kinds=kinds, after_id=after_id)
            if row is None:
                return more
            after_id = row["id"]
            more = await self._advance(after_id, OperationState(row["state"])) or more

    async def _advance(self, operation_id: int, state: OperationState) -> bool:
        try:
            if state is OperationState.SCANNING:
                return await self._scan(operation_id)
            if state is OperationState.RUNNING and await self._work(operation_id):
                return True
            async with self._database.change() as connection:
                ended = await statements.operations.finish(connection, id=operation_id)
            if ended is not None:
                log.info("operation_ended", operation_id=operation_id)
            return False
        except DatabaseUnavailable:
            raise
        except LockTimeout:
            return False
        except Exception as error:
            log.exception("operation_piece_failed", operation_id=operation_id)
            async with self._database.change() as connection:
                await statements.operations.count_failure(
                    connection,
                    id=operation_id,
                    cap=FAILURES_CAP,
                    error=f"Stopped after {FAILURES_CAP} failures in a row; the last was {type(error).__name__}.",
                )
            return False

    async def _scan(self, operation_id: int) -> bool:
        """Freezes the next stretch. False when another server has the scan."""
        async with self._database.change() as connection:
            operation = await statements.operations.lock_scan(connection, id=operation_id)
            if operation is None:
                return False
            job_filter = decode_job_filter(json.loads(operation["filter"]))
            scan = compile_scan(
                job_filter,
                list(await manageable_queues(connection, operation["human_id"], job_filter.queue)),
                operation_id=operation_id,
                after_id=operation["scanned_id"],
                through_id=operation["through_id"],
                batch=self._stretch,
            )
            last_id = await connection.fetchval(scan.sql, *scan.parameters)
            if last_id is None:
                await statements.operations.scan_ended(connection, id=operation_id)
            else:
                await statements.operations.scanned(connection, id=operation_id, scanned_id=last_id)
        return True

    async def _work(self, operation_id: int) -> bool:
        """The next batch of items. False when there was nothing in it that could be done now."""
        async with self._database.change() as connection:
            operation = await statements.operations.hold_running(connection, id=operation_id)
            if operation is None:
                return False
            items = await statements.operations.next_items(connection, operation_id=operation_id, batch=self._batch)
            outcomes = await self._outcomes(connection, operation, [item["todo_id"] for item in items])
            if not outcomes:
                return False
            await statements.operations.record_items(
                connection,
                operation_id=operation_id,
                todo_ids=list(outcomes),
                outcomes=[outcome.value for outcome in outcomes.values()],
            )
            counts = Counter(outcomes.values())
            await statements.operations.count_items(
                connection, id=operation_id, **{outcome.value: counts[outcome] for outcome in ItemOutcome}
            )
        return True

    async def _outcomes(self, connection: Connection, operation: Row, todo_ids: list[int]) -> dict[int, ItemOutcome]:
        """What became of each, in their order; those after a cancel, or held by somebody just now, are left out."""
        outcomes: dict[int, ItemOutcome] = {}
        await statements.operations.bound_lock_waits(connection, milliseconds=self._lock_wait_ms)
        for todo_id in todo_ids:
            try:
                async with translated(), connection.transaction():
                    outcome = await _apply(connection, operation, todo_id)
            except DuplicateKey:
                outcome = ItemOutcome.CONFLICT
            except (LockTimeout, Deadlock):
                continue
            if outcome is None:
                break
            outcomes[todo_id] = outcome
        return outcomes


async def _apply(connection: Connection, operation: Row, todo_id: int) -> ItemOutcome | None:
    """Does one item, judged by what stands now. None: the operation is being canceled. May raise DuplicateKey."""
    todo = await statements.operations.lock_todo(connection, todo_id=todo_id)
    standing = await statements.operations.standing(
        connection, operation_id=operation["id"], queue_id=None if todo is None else todo["queue_id"]
    )
    if not standing["running"]:
        return None
    if todo is None:
        return ItemOutcome.GONE
    kind = KINDS[OperationKind(operation["kind"])]
    if not standing["manages"] or TodoState(todo["state"]) not in kind.eligible:
        return ItemOutcome.SKIPPED
    item = Item(todo_id, todo["queue_id"], operation["human_id"], operation["queue"])
    return ItemOutcome.CHANGED if await kind.apply(connection, item) else ItemOutcome.SKIPPED


class OperationRetention:
    """Forgets the items of operations that ended 30 days ago; the operation itself, who did what and when, stays."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def run_once(self) -> bool:
        async with self._database.session() as connection:
            pruned: int = await statements.operations.prune_items(connection, age=KEEP_ITEMS, batch=PRUNE_BATCH)
        return pruned >= PRUNE_BATCH
