"""Claims and what ends them: each verb is one function call in the database, one round trip, one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg

from switchboard.core.known_policy import KnownPolicy

from . import statements
from .database import Connection, Database
from .rows import Row


class ClaimStore:
    """The claim functions assert READ COMMITTED; a server whose default is another is met by explicit transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim_next(
        self,
        endpoint_id: int,
        known: Sequence[KnownPolicy],
        lease: timedelta,
        worker: str | None,
        fence: bool,
        limit: int,
    ) -> list[Row]:
        """Rows of switchboard.claim_row: claimed, refused, stale."""
        return await self._run(
            lambda connection: statements.claims.claim_next(
                connection,
                endpoint_id=endpoint_id,
                lease=lease,
                worker=worker,
                fence=fence,
                max=limit,
                **_arguments(known),
            )
        )

    async def claim_todo(
        self,
        todo_id: int,
        endpoint_id: int,
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
                endpoint_id=endpoint_id,
                lease=lease,
                worker=worker,
                fence=fence,
                **_arguments(known),
            )
        )
        return rows[0]

    async def end_claim(
        self,
        todo_id: int,
        endpoint_id: int,
        queue_ids: Sequence[int],
        outcome: str,
        *,
        result: str | None = None,
        error: str | None = None,
        retry: bool = True,
        fence: UUID | None = None,
    ) -> Row:
        """`outcome` is completed, failed or released; `result` is JSON text. One row: changed, not_found, conflict."""
        async with self._database.session() as connection:
            row: Row = await statements.claims.end_claim(
                connection,
                todo_id=todo_id,
                endpoint_id=endpoint_id,
                queue_ids=queue_ids,
                outcome=outcome,
                result=result,
                error=error,
                retry=retry,
                fence=fence,
            )
        return row

    async def extend_claim(
        self, todo_id: int, endpoint_id: int, queue_ids: Sequence[int], lease: timedelta, fence: UUID | None
    ) -> Row:
        """One row: changed, not_found or conflict."""
        async with self._database.session() as connection:
            row: Row = await statements.claims.extend_claim(
                connection, todo_id=todo_id, endpoint_id=endpoint_id, queue_ids=queue_ids, lease=lease, fence=fence
            )
        return row

    async def _run(self, call: Callable[[Connection], Awaitable[Any]]) -> list[Row]:
        try:
            async with self._database.session() as connection:
                return list(await call(connection))
        except asyncpg.PostgresError as error:
            if error.sqlstate != "SB002":
                raise
        self._database.isolate_explicitly()
        async with self._database.session() as connection:
            return list(await call(connection))


def _arguments(known: Sequence[KnownPolicy]) -> dict[str, list[Any]]:
    return {
        "queue_ids": [one.queue_id for one in known],
        "versions": [one.version for one in known],
        "faults": [one.fault is not None for one in known],
        "definitions": [one.definition for one in known],
        "starts": [None if one.interval is None else one.interval.start for one in known],
        "ends": [None if one.interval is None else one.interval.end for one in known],
    }
