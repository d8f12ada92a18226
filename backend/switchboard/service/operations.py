"""Operations as a human sees them: preview, submit, cancel, and their progress. The work itself is the executor's."""

from __future__ import annotations

import json
from dataclasses import replace

from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.job_filter_compiler import compile_count, compile_listing
from switchboard.store.rows import Row
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.job_filter import JobFilter, JobPage, filter_key, filter_to_plain
from switchboard_wire.operations import (
    COUNT_CAP,
    SAMPLE_SIZE,
    Operation,
    OperationAsk,
    OperationPreview,
    OperationsPage,
    OperationState,
    PreviewBody,
    SubmitBody,
    operation_ask,
)

from .operation_kinds import KINDS
from .reach import manageable_queues
from .read_budget import ReadDeadline


class Operations:
    """An operation touches what its human manages, and nothing else; the operator flag widens only reading (D6)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def preview(self, human: Human, body: PreviewBody, deadline: ReadDeadline) -> OperationPreview:
        """What would be touched now. Raises invalid_argument, or not_found for a target that is not manageable."""
        ask = operation_ask(body)
        kind = KINDS[ask.kind]
        async with self._database.read(deadline.budget()) as connection:
            await _require_target(connection, human, ask)
            queue_ids = list(await manageable_queues(connection, human.id, ask.filter.queue))
            open_ids = queue_ids
            if ask.queue is not None:
                rows = await statements.operations.move_sources(
                    connection, human_id=human.id, name=ask.queue, queue_ids=queue_ids
                )
                open_ids = [row["id"] for row in rows]
            count = await _count(connection, ask.filter, queue_ids)
            states = tuple(state for state in kind.eligible if state in (ask.filter.states or kind.eligible))
            eligible = await _count(connection, replace(ask.filter, states=states), open_ids) if states else 0
            listing = compile_listing(ask.filter, JobPage(limit=SAMPLE_SIZE), queue_ids)
            newest = await connection.fetch(listing.sql, *listing.parameters)
        return OperationPreview(
            count=min(count, COUNT_CAP),
            capped=count > COUNT_CAP,
            eligible=min(eligible, COUNT_CAP),
            eligible_capped=eligible > COUNT_CAP,
            cap=COUNT_CAP,
            sample=tuple(row["id"] for row in newest[:SAMPLE_SIZE]),
        )

    async def submit(self, human: Human, body: SubmitBody) -> Operation:
        """The operation, which starts in the background. A key used before gives the operation that it made.

        Raises invalid_argument, not_found, or conflict for a key that stands for something else.
        """
        ask = operation_ask(body)
        async with self._database.change() as connection:
            await _require_target(connection, human, ask)
            operation_id = await statements.operations.submit(
                connection,
                human_id=human.id,
                key=body.key,
                kind=ask.kind.value,
                filter=filter_key(ask.filter),
                everything=ask.all,
                queue=ask.queue,
                expected=body.expected,
            )
            if operation_id is None:
                operation_id = await statements.operations.id_of_key(connection, human_id=human.id, key=body.key)
            operation = await _visible(connection, human, operation_id)
            asked = (ask.kind.value, filter_to_plain(ask.filter), ask.queue)
            if asked != (operation.kind, operation.filter, operation.queue):
                raise SwitchboardError(
                    ErrorCode.CONFLICT,
                    "This key stands for another operation.",
                    field="key",
                    details={"operation_id": operation.id},
                )
        return operation

    async def cancel(self, human: Human, operation_id: int) -> Operation:
        """It stops before its next item; what was done stays. Raises not_found, or conflict when it has ended."""
        async with self._database.change() as connection:
            canceled = await statements.operations.cancel(connection, id=operation_id, human_id=human.id)
            # only its own human: the operator flag does not widen this
            operation = await _visible(connection, Human(human.id, human.name, False), operation_id)
            if canceled is None:
                raise SwitchboardError(
                    ErrorCode.CONFLICT,
                    f"This operation is {operation.state} and cannot be canceled.",
                    details={"state": operation.state.value},
                )
        return operation

    async def operations(
        self, human: Human, before_id: int | None, limit: int, deadline: ReadDeadline
    ) -> OperationsPage:
        """Own operations, all for an instance operator; newest first, `before_id` exclusive."""
        async with self._database.read(deadline.budget()) as connection:
            rows = await statements.operations.operations(
                connection, human_id=human.id, operator=human.operator, before_id=before_id, limit=limit + 1
            )
        page = tuple(_operation(row) for row in rows[:limit])
        return OperationsPage(page, page[-1].id if len(rows) > limit else None)

    async def operation(self, human: Human, operation_id: int, deadline: ReadDeadline) -> Operation:
        """Raises not_found, for a foreign operation as for an unknown one."""
        async with self._database.read(deadline.budget()) as connection:
            return await _visible(connection, human, operation_id)


async def _count(connection: Connection, job_filter: JobFilter, queue_ids: list[int]) -> int:
    """Up to one more than the cap."""
    compiled = compile_count(job_filter, COUNT_CAP, queue_ids)
    count: int = await connection.fetchval(compiled.sql, *compiled.parameters)
    return count


async def _require_target(connection: Connection, human: Human, ask: OperationAsk) -> None:
    if ask.queue is not None and not await manageable_queues(connection, human.id, ask.queue):
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such queue that you may manage.", field="queue")


async def _visible(connection: Connection, human: Human, operation_id: int) -> Operation:
    row = await statements.operations.operation(connection, id=operation_id, human_id=human.id, operator=human.operator)
    if row is None:
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such operation that you may see.")
    return _operation(row)


def _operation(row: Row) -> Operation:
    return Operation(
        id=row["id"],
        kind=row["kind"],
        filter=json.loads(row["filter"]),
        all=row["everything"],
        queue=row["queue"],
        state=OperationState(row["state"]),
        expected=row["expected"],
        total=row["total"],
        changed=row["changed"],
        skipped=row["skipped"],
        conflict=row["conflict"],
        gone=row["gone"],
        human=row["human"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        error=row["error"],
    )
