"""A claim walks an index to the oldest todo: what it reads does not grow with what waits, whatever statistics say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import asyncpg

from switchboard.service.claim import ClaimService
from switchboard.service.complete import CompleteService
from switchboard.service.known_policies import KnownPolicies
from switchboard.store.database import Database
from switchboard_wire.worker import Claim, ClaimNext, Complete
from tests.support.scenario import DAY_UTC, Endpoint, World

# A pending head is looked at, then locked, then updated; beside it are its queue's lapsed and due ones, of which there
# are none, and what is in flight.
MOST_READ = 12


class _OneSession:
    """The claims' database, as one connection whose reads PostgreSQL counts."""

    claim_connections = 4

    def __init__(self, sql: asyncpg.Connection) -> None:
        self._sql = sql

    @asynccontextmanager
    async def session(self) -> AsyncIterator[asyncpg.Connection]:
        yield self._sql


class _Claims:
    """The claim verbs on one connection, which keeps its plans as a server's connections do."""

    def __init__(self, sql: asyncpg.Connection) -> None:
        self._sql = sql
        database = cast(Database, _OneSession(sql))
        self.claim = ClaimService(database, KnownPolicies())
        self.complete = CompleteService(database, self.claim)

    async def reads_of(self, endpoint: Endpoint, todo_id: int | None) -> dict[str, tuple[int, int]]:
        """By verb: whole scans of the todos, and todos read, in a transaction that is rolled back."""
        reads = {}
        transaction = self._sql.transaction(isolation="read_committed")
        await transaction.start()
        try:
            answer, reads["claim_next"] = await self._counted(self.claim.claim_next(endpoint.caller, ClaimNext()))
            assert [todo.id for todo in answer.todos] == ([] if todo_id is None else [todo_id])
            if todo_id is not None:
                ask = Complete(todo_id=todo_id, next=ClaimNext())
                completed, reads["complete"] = await self._counted(self.complete.complete(endpoint.caller, ask))
                assert [todo.id for todo in completed.next.todos] == [todo_id + 1]
                named = Claim(todo_id=todo_id + 2)
                _, reads["claim"] = await self._counted(self.claim.claim(endpoint.caller, named))
        finally:
            await transaction.rollback()
        return reads

    async def _counted(self, act: Any) -> tuple[Any, tuple[int, int]]:
        before = await self._counts()
        answer = await act
        after = await self._counts()
        return answer, (after[0] - before[0], after[1] - before[1])

    async def _counts(self) -> tuple[int, int]:
        row = await self._sql.fetchrow(
            "select coalesce(seq_scan, 0) as whole, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read"
            " from pg_stat_xact_user_tables where schemaname = 'switchboard' and relname = 'todos'"
        )
        assert row is not None
        return row["whole"], row["read"]


async def test_a_claim_reads_no_more_among_a_million_pending_than_among_none(world: World) -> None:
    endpoint = await world.endpoint("e", "free", "bound")
    await world.set_policy(endpoint, "bound", max_in_flight=50, max_claims_per_window=1_000, window=DAY_UTC)
    claims = _Claims(world.sql)
    # The plans are made where they are worst: on empty tables, with statistics that say so.
    await world.sql.execute("analyze switchboard.todos, switchboard.attempts, switchboard.usage, switchboard.policies")
    for _ in range(10):
        assert await claims.reads_of(endpoint, None) == {"claim_next": (0, 0)}

    for goal in (100_000, 1_000_000):
        for queue in ("free", "bound"):
            # one queue holds all of it at a time, the other nothing
            await world.sql.execute("truncate switchboard.todos")
            first, *_ = await world.enqueue_many(endpoint, queue, goal)
            for analyzed in (False, True):
                if analyzed:
                    await world.sql.execute("analyze switchboard.todos")
                reads = await claims.reads_of(endpoint, first)
                assert set(reads) == {"claim_next", "complete", "claim"}
                for verb, (whole, read) in reads.items():
                    assert (whole, read <= MOST_READ) == (0, True), (goal, queue, analyzed, verb, whole, read)
