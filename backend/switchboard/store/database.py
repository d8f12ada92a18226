"""The database as the rest of the program sees it: sessions for claims, for changes and for bounded reads."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg

from switchboard.core.cache_generations import Generation

from . import statements
from .errors import DatabaseUnavailable, translated

# as pg_stat_activity names them
CLAIM_SESSIONS, READ_SESSIONS = "switchboard", "switchboard reads"

Connection = Any  # asyncpg's pool hands out proxies; statements take either


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Sizes in connections, times in seconds.

    `pooled`: the address is a pooler's that gives each transaction another session (PgBouncer in transaction mode), so
    that nothing may outlive a transaction, prepared statements included.
    """

    url: str
    claim_connections: int = 10
    read_connections: int = 4
    acquire_timeout: float = 5.0
    connect_timeout: float = 10.0
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class ReadBudget:
    """What one bounded read may still spend: milliseconds, both at least 1, and seconds until it has a connection."""

    statement_ms: int
    lock_ms: int
    acquire_seconds: float = 5.0


async def _no_reset(_: object) -> None:
    """Nothing is set on a session beyond a transaction; an open one is rolled back by the pool all the same."""


class Database:
    """Two pools, so that reads never starve claims. `open` before use, `close` at the end."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self._settings = settings
        self._claims: asyncpg.Pool[Any] | None = None
        self._reads: asyncpg.Pool[Any] | None = None
        self._explicit = False
        self.generation = Generation()

    @property
    def claim_connections(self) -> int:
        return self._settings.claim_connections

    async def open(self) -> None:
        """Connects. Raises DatabaseUnavailable with the server's words."""
        async with translated():
            try:
                self._claims = await self._pool(self._settings.claim_connections, CLAIM_SESSIONS)
                self._reads = await self._pool(self._settings.read_connections, READ_SESSIONS)
                default = await self._claims.fetchval("show default_transaction_isolation")
            except (asyncpg.PostgresError, ValueError) as error:
                raise DatabaseUnavailable(str(error)) from error
        self._explicit = default != "read committed" or self._settings.pooled

    def isolate_explicitly(self) -> None:
        """The server's default is not READ COMMITTED, now or since some moment: say it in every transaction (D13)."""
        self._explicit = True

    async def _pool(self, size: int, name: str) -> asyncpg.Pool[Any]:
        return await asyncpg.create_pool(
            self._settings.url,
            min_size=size,
            max_size=size,
            timeout=self._settings.connect_timeout,
            max_inactive_connection_lifetime=0,
            reset=_no_reset,
            statement_cache_size=0 if self._settings.pooled else 100,
            server_settings={"application_name": name},
        )

    async def close(self) -> None:
        """Waits for running statements, at most some seconds."""
        for pool in (self._claims, self._reads):
            if pool is not None:
                try:
                    await asyncio.wait_for(pool.close(), 5)
                except (TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                    pool.terminate()
        self._claims = self._reads = None

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Connection]:
        """A connection for single statements: in autocommit, where the server's default isolation allows it."""
        if self._claims is None:
            raise DatabaseUnavailable("the database is not open")
        async with translated(), self._claims.acquire(timeout=self._settings.acquire_timeout) as connection:
            if not self._explicit:
                yield connection
                return
            async with connection.transaction(isolation="read_committed"):
                yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """READ COMMITTED, set explicitly whatever the server's default (D13). Commits, or rolls back on any raise."""
        if self._claims is None:
            raise DatabaseUnavailable("the database is not open")
        async with (
            translated(),
            self._claims.acquire(timeout=self._settings.acquire_timeout) as connection,
            connection.transaction(isolation="read_committed"),
        ):
            yield connection

    @asynccontextmanager
    async def change(self) -> AsyncIterator[Connection]:
        """A transaction after whose commit no cache of this process answers with what was read before."""
        async with self.transaction() as connection:
            yield connection
        self.generation.advance()

    @asynccontextmanager
    async def read(self, budget: ReadBudget) -> AsyncIterator[Connection]:
        """One snapshot, read only, with limits that end with the transaction."""
        if self._reads is None:
            raise DatabaseUnavailable("the database is not open")
        async with translated(), self._reads.acquire(timeout=budget.acquire_seconds) as connection:
            try:
                # One round trip; the figures are integers of ours, SET takes no parameters. A reader who is cancelled
                # in it may have begun all the same.
                await connection.execute(
                    "begin isolation level repeatable read read only; "
                    f"set local statement_timeout = {int(budget.statement_ms)}; "
                    f"set local lock_timeout = {int(budget.lock_ms)}; "
                    # a plan for any values would be kept after five; which index serves depends on the very values
                    "set local plan_cache_mode = force_custom_plan"
                )
                yield connection
            finally:
                if not connection.is_closed():
                    await connection.execute("rollback")

    async def identity(self) -> str:
        """A short hash that tells this database from any other (D29)."""
        async with self.session() as connection:
            row = await statements.schema.database_identity(connection)
        return hashlib.sha256(f"{row['system_identifier']}/{row['database']}".encode()).hexdigest()[:16]
