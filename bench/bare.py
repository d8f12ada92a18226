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
    """Claims and completions by credential; callers are remembered, as in the server."""

    def __init__(self) -> None:
        self._known = KnownPolicies()
        self._callers: dict[str, asyncpg.Record] = {}

    async def claim_next(
        self, connection: Any, credential: str, names: Sequence[str] | None, limit: int
    ) -> list[asyncpg.Record]:
        """Rows of claimed todos."""
        caller = await self._caller(connection, credential)
        while True:
            rows: list[asyncpg.Record] = await _run(
                statements.claims.claim_next,
                connection,
                endpoint_id=caller["id"],
                caller_version=caller["version"],
                **self._ask(caller, names, limit),
            )
            if not self._learnt(rows):
                return [row for row in rows if row["outcome"] == "claimed"]

    async def complete(
        self,
        connection: Any,
        credential: str,
        todo_ids: list[int],
        results: list[str],
        following: bool,
        names: Sequence[str] | None,
        limit: int,
    ) -> tuple[list[asyncpg.Record], list[asyncpg.Record]]:
        """The completed todos' rows, and those of the ones claimed along with it. `results` are JSON texts."""
        caller = await self._caller(connection, credential)
        who = {"endpoint_id": caller["id"], "caller_version": caller["version"]}
        todos = {"todo_ids": todo_ids, "results": results, "fences": [None] * len(todo_ids)}
        rows: list[asyncpg.Record]
        if following:
            rows = await _run(
                statements.claims.complete_and_claim_next,
                connection,
                granted_ids=caller["queue_ids"],
                **who,
                **todos,
                **self._ask(caller, names, limit),
            )
        else:
            rows = await _run(statements.claims.complete, connection, queue_ids=caller["queue_ids"], **who, **todos)
        ended, claimed = rows[: len(todo_ids)], rows[len(todo_ids) :]
        for row in ended:
            if row["outcome"] != "changed":
                raise RuntimeError(f"todo {row['id']}: {row['outcome']}")
        if self._learnt(claimed):
            claimed = await self.claim_next(connection, credential, names, limit)
        return ended, [row for row in claimed if row["outcome"] == "claimed"]

    def _ask(self, caller: asyncpg.Record, names: Sequence[str] | None, limit: int) -> dict[str, Any]:
        queue_ids = caller["queue_ids"]
        if names is not None:
            pairs = zip(caller["queue_names"], queue_ids, strict=True)
            queue_ids = [queue_id for name, queue_id in pairs if name in names]
        known = self._known.of(queue_ids)
        return {
            "queue_ids": queue_ids,
            "versions": [one.version for one in known],
            "faults": [False] * len(known),
            "definitions": [one.definition for one in known],
            "starts": [one.interval and one.interval.start for one in known],
            "ends": [one.interval and one.interval.end for one in known],
            "lease": LEASE,
            "max": limit,
        }

    def _learnt(self, rows: list[asyncpg.Record]) -> bool:
        stale = [row for row in rows if row["outcome"] == "stale"]
        for row in stale:
            self._known.learn(row)
        return bool(stale)

    async def _caller(self, connection: Any, credential: str) -> asyncpg.Record:
        if credential not in self._callers:
            self._callers[credential] = await statements.endpoints.caller_by_credential(
                connection, credential_hash=hash_of(credential)
            )
        return self._callers[credential]


async def _run(statement: Statement, connection: Any, **values: Any) -> Any:
    """The statement with null for every parameter that is not given."""
    return await statement(connection, **{name: values.get(name) for name in statement.parameters})
