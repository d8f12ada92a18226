"""Operations on one test database: submitted in a line, run to their end by hand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.core.identity import Human
from switchboard.service.operation_executor import OperationExecutor
from switchboard.service.read_budget import ReadDeadline, ReadLimits
from switchboard_wire.operations import Operation, OperationKind, OperationPreview, PreviewBody, SubmitBody
from tests.support.fixtures import clock, sql, world
from tests.support.scenario import Endpoint, World

__all__ = ["clock", "sql", "world"]


class Desk:
    """Where ada, who owns endpoint e with the queues q and r, asks for operations."""

    def __init__(self, world: World, endpoint: Endpoint) -> None:
        self.world = world
        self.endpoint = endpoint
        self.ada = endpoint.owner
        self._keys: Iterator[int] = itertools.count(1)

    @property
    def executor(self) -> OperationExecutor:
        """The executor of a new server process."""
        return OperationExecutor(self.world.database)

    async def submit(self, kind: str, which: dict[str, Any], human: Human | None = None, **more: Any) -> int:
        """The id of a new operation."""
        body = SubmitBody(OperationKind(kind), which, **{"expected": None, "key": f"k{next(self._keys)}"} | more)
        return (await self.world.service.operations.submit(human or self.ada, body)).id

    async def preview(
        self, kind: str, which: dict[str, Any], human: Human | None = None, **more: Any
    ) -> OperationPreview:
        body = PreviewBody(OperationKind(kind), which, **more)
        return await self.world.service.operations.preview(human or self.ada, body, ReadDeadline(ReadLimits()))

    async def scan(self, operation_id: int) -> None:
        """Up to the moment at which the set is frozen."""
        while (await self.read(operation_id)).state == "scanning":
            await self.executor.run_once()

    async def run(self) -> None:
        """Everything that is asked for, to its end."""
        executor = self.executor
        while await executor.run_once():
            pass

    async def read(self, operation_id: int) -> Operation:
        operations = self.world.service.operations
        return await operations.operation(self.ada, operation_id, ReadDeadline(ReadLimits()))

    async def counts(self, operation_id: int) -> tuple[str, int | None, int, int, int, int]:
        """State, total, changed, skipped, conflict, gone."""
        o = await self.read(operation_id)
        return (o.state.value, o.total, o.changed, o.skipped, o.conflict, o.gone)

    async def todos(self, number: int, state: str = "pending", queue: str = "q") -> list[int]:
        """The ids of new todos in this state."""
        ids = await self.world.enqueue_many(self.endpoint, queue, number)
        await self.world.sql.execute(
            "update switchboard.todos set state = $2, attempt = case when $2 in ('failed', 'dead') then 3 else 0 end"
            " where id = any ($1)",
            ids,
            state,
        )
        return ids


@pytest.fixture
async def desk(world: World) -> Desk:
    return Desk(world, await world.endpoint("e", "q", "r"))
