"""What each kind of operation does to one todo, and which todos it may touch. A new kind is a new entry here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from switchboard.store import statements
from switchboard.store.database import Connection
from switchboard.store.rows import Row
from switchboard_wire.operations import OperationKind
from switchboard_wire.todo import TodoState


@dataclass(frozen=True, slots=True)
class Item:
    """One todo of an operation, locked. `queue`: where to move to, by name; None for other kinds."""

    todo_id: int
    queue_id: int
    human_id: int
    queue: str | None


@dataclass(frozen=True, slots=True)
class Kind:
    """`apply` changes the todo and tells whether it did; it checks the states itself. May raise DuplicateKey."""

    eligible: tuple[TodoState, ...]
    apply: Callable[[Connection, Item], Awaitable[bool]]


async def _retry(connection: Connection, item: Item) -> bool:
    row: Row | None = await statements.operator_todos.retry_now(
        connection, todo_id=item.todo_id, queue_id=item.queue_id
    )
    return row is not None


async def _cancel(connection: Connection, item: Item) -> bool:
    row: Row | None = await statements.operator_todos.cancel(connection, todo_id=item.todo_id, queue_id=item.queue_id)
    return row is not None


async def _move(connection: Connection, item: Item) -> bool:
    row: Row | None = await statements.operations.move(
        connection, todo_id=item.todo_id, queue_id=item.queue_id, human_id=item.human_id, name=item.queue
    )
    return row is not None


async def _purge(connection: Connection, item: Item) -> bool:
    row: Row | None = await statements.operations.purge(connection, todo_id=item.todo_id, queue_id=item.queue_id)
    return row is not None


KINDS: Mapping[OperationKind, Kind] = {
    OperationKind.RETRY: Kind((TodoState.FAILED, TodoState.DEAD), _retry),
    OperationKind.CANCEL: Kind(
        (TodoState.SCHEDULED, TodoState.PENDING, TodoState.FAILED, TodoState.DEAD),
        _cancel,
    ),
    OperationKind.MOVE: Kind((TodoState.SCHEDULED, TodoState.PENDING, TodoState.FAILED), _move),
    OperationKind.PURGE: Kind((TodoState.DONE, TodoState.DEAD, TodoState.CANCELED), _purge),
}
