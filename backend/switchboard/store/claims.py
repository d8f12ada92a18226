"""Claims and what ends them: each verb is one function call in the database, one round trip, one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg

from switchboard.core.identity import Caller
from switchboard.core.known_policy import KnownPolicy

from . import statements
from .database import Connection, Database
from .errors import StaleCaller
from .rows import Row

# as the functions raise them
NOT_READ_COMMITTED, CALLER_MOVED = "SB002", "SB003"


@dataclass(frozen=True, slots=True)
class Completion:
    """One todo's end. `result` is JSON text."""

    todo_id: int
    result: str
    fence: UUID | None


@dataclass(frozen=True, slots=True)
class NextClaim:
    """What claim_next is asked for; `known` are the queues it may come from."""

    known: Sequence[KnownPolicy]
    lease: timedelta
    worker: str | None
    fence: bool
    limit: int


class ClaimStore:
    """The claim functions assert READ COMMITTED; a server whose default is another is met by explicit transactions.

    Each verb checks in its own statement that the caller stands as this process knows it. Raises StaleCaller.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim_next(self, caller: Caller, ask: NextClaim) -> list[Row]:
        """Rows of switchboard.claim_row: claimed, refused, stale."""
        return await self._run(
            lambda connection: statements.claims.claim_next(connection, **_caller(caller), **_next(ask))
        )

    async def claim_todo(
        self,
        caller: Caller,
        todo_id: int,
        known: Sequence[KnownPolicy],
        lease: timedelta,
        worker: str | None,
        fence: bool,
    ) -> Row:
        """One row: claimed, refused, stale, not_found, forbidden or conflict."""
        rows = await self._run(
            lambda connection: statements.claims.claim_todo(
                connection,
                todo_id=todo_id,
                lease=lease,
                worker=worker,
                fence=fence,
                **_caller(caller),
                **_known(known),
            )
        )
        return rows[0]

    async def complete(
        self, caller: Caller, completions: Sequence[Completion], following: NextClaim | None = None
    ) -> list[Row]:
        """In one transaction: a row for each todo (changed, not_found, conflict), then those of claim_next, which is
        asked only when something was completed."""
        todos: dict[str, Any] = {
            "todo_ids": [one.todo_id for one in completions],
            "results": [one.result for one in completions],
            "fences": [one.fence for one in completions],
            **_caller(caller),
        }
        granted = _granted(caller)
        if following is None:
            return await self._run(
                lambda connection: statements.claims.complete(connection, queue_ids=granted, **todos)
            )
        return await self._run(
            lambda connection: statements.claims.complete_and_claim_next(
                connection, granted_ids=granted, **todos, **_next(following)
            )
        )

    async def end_claim(
        self,
        caller: Caller,
        todo_id: int,
        outcome: str,
        fence: UUID | None,
        *,
        error: str | None = None,
        retry: bool = True,
    ) -> Row:
        """`outcome` is failed or released. One row: changed, not_found, conflict."""
        rows = await self._run(
            lambda connection: statements.claims.end_claim(
                connection,
                todo_id=todo_id,
                queue_ids=_granted(caller),
                outcome=outcome,
                error=error,
                retry=retry,
                fence=fence,
                **_caller(caller),
            )
        )
        return rows[0]

    async def extend_claim(self, caller: Caller, todo_id: int, lease: timedelta, fence: UUID | None) -> Row:
        """One row: changed, not_found or conflict."""
        rows = await self._run(
            lambda connection: statements.claims.extend_claim(
                connection, todo_id=todo_id, queue_ids=_granted(caller), lease=lease, fence=fence, **_caller(caller)
            )
        )
        return rows[0]

    async def _run(self, call: Callable[[Connection], Awaitable[Any]]) -> list[Row]:
        try:
            async with self._database.session() as connection:
                return list(await call(connection))
        except asyncpg.PostgresError as error:
            if error.sqlstate == CALLER_MOVED:
                raise StaleCaller from error
            if error.sqlstate != NOT_READ_COMMITTED:
                raise
        self._database.isolate_explicitly()
        return await self._run(call)


def _caller(caller: Caller) -> dict[str, Any]:
    return {"endpoint_id": caller.endpoint_id, "caller_version": caller.version}


def _granted(caller: Caller) -> list[int]:
    return [queue.id for queue in caller.queues.values()]


def _next(ask: NextClaim) -> dict[str, Any]:
    return {"lease": ask.lease, "worker": ask.worker, "fence": ask.fence, "max": ask.limit, **_known(ask.known)}


def _known(known: Sequence[KnownPolicy]) -> dict[str, list[Any]]:
    return {
        "queue_ids": [one.queue_id for one in known],
        "versions": [one.version for one in known],
        "faults": [one.fault is not None for one in known],
        "definitions": [one.definition for one in known],
        "starts": [None if one.interval is None else one.interval.start for one in known],
        "ends": [None if one.interval is None else one.interval.end for one in known],
    }
