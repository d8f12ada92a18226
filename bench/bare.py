"""The same statements with nothing around them: no checks, no views of todos, no admission in the answers.

What is slower than this in the server is the server's own Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import asyncpg

from switchboard.core.credentials import hash_of
from switchboard.service.known_policies import KnownPolicies
from switchboard.store import statements
from switchboard.store.statements import Statement

LEASE = timedelta(seconds=300)


class BareClaims:
    """Claims and completions by credential. `look_up`: look each caller up each time, as the server does."""

    def __init__(self, *, look_up: bool) -> None:
        self._look_up = look_up
        self._known = KnownPolicies()
        self._callers: dict[str, asyncpg.Record] = {}

    async def claim_next(
        self, connection: Any, credential: str, names: Sequence[str] | None, limit: int
    ) -> list[asyncpg.Record]:
        """Rows of claimed todos."""
        caller = await self._caller(connection, credential)
        queue_ids = caller["queue_ids"]
        if names is not None:
            queue_ids = [
                queue_id for name, queue_id in zip(caller["queue_names"], queue_ids, strict=True) if name in names
            ]
        while True:
            known = self._known.of(queue_ids)
            rows: list[asyncpg.Record] = await _run(
                statements.claims.claim_next,
                connection,
                endpoint_id=caller["id"],
                caller_version=caller["version"],
                queue_ids=queue_ids,
                versions=[one.version for one in known],
                faults=[False] * len(known),
                definitions=[one.definition for one in known],
                starts=[one.interval and one.interval.start for one in known],
                ends=[one.interval and one.interval.end for one in known],
                lease=LEASE,
                max=limit,
            )
            stale = [row for row in rows if row["outcome"] == "stale"]
            if not stale:
                return [row for row in rows if row["outcome"] == "claimed"]
            for row in stale:
                self._known.learn(row)

    async def complete(
        self, connection: Any, credential: str, todo_ids: list[int], results: list[str]
    ) -> list[asyncpg.Record]:
        """The completed todos' rows. `results` are JSON texts."""
        caller = await self._caller(connection, credential)
        rows: list[asyncpg.Record] = await _run(
            statements.claims.complete,
            connection,
            endpoint_id=caller["id"],
            caller_version=caller["version"],
            queue_ids=caller["queue_ids"],
            todo_ids=todo_ids,
            results=results,
            fences=[None] * len(todo_ids),
        )
        for row in rows:
            if row["outcome"] != "changed":
                raise RuntimeError(f"todo {row['id']}: {row['outcome']}")
        return rows

    async def _caller(self, connection: Any, credential: str) -> asyncpg.Record:
        if not self._look_up and credential in self._callers:
            return self._callers[credential]
        row = await statements.endpoints.caller_by_credential(connection, credential_hash=hash_of(credential))
        self._callers[credential] = row
        return row


async def _run(statement: Statement, connection: Any, **values: Any) -> Any:
    """The statement with null for every parameter that is not given."""
    return await statement(connection, **{name: values.get(name) for name in statement.parameters})
