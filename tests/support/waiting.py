"""Waiting for what other sessions of the database do: their state is asked for until it is so, within a bound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import asyncpg

T = TypeVar("T")

BOUND_SECONDS = 30.0
_WAITING_FOR_LOCKS = """
select count(*) from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock' and state = 'active' and pid <> pg_backend_pid()
"""
_STATEMENTS = """
select count(*) from pg_stat_activity
where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
    and backend_type = 'client backend' and application_name like 'switchboard%'
"""


async def until(connection: Any, condition: str, *arguments: Any) -> None:
    """Returns when the query's one value is true. Raises TimeoutError at the bound."""
    async with asyncio.timeout(BOUND_SECONDS):
        while not await connection.fetchval(condition, *arguments):
            await connection.execute("select pg_sleep(0.005)")  # leaves the processor to those waited for


async def lock_waits(connection: Any, number: int) -> None:
    """Returns when exactly so many statements of this database wait for a lock."""
    await until(connection, f"select ({_WAITING_FOR_LOCKS}) = $1", number)


async def waits_for(connection: Any, holder: asyncpg.Connection) -> None:
    """Returns when a statement of this database waits for a lock that `holder` has."""
    await until(
        connection,
        "select exists (select from pg_stat_activity where datname = current_database()"
        " and wait_event_type = 'Lock' and $1 = any (pg_blocking_pids(pid)))",
        holder.get_server_pid(),
    )


async def no_statements(connection: Any) -> None:
    """Returns when no session of Switchboard runs a statement or holds a transaction open."""
    await until(connection, f"select ({_STATEMENTS}) = 0")


async def patient_locks(connection: Any) -> None:
    """Claims and what ends them wait a minute for a lock, so that a test that holds one decides when the wait ends."""
    await connection.execute(
        "do $$ declare f regprocedure; begin for f in select oid from pg_proc"
        " where pronamespace = 'switchboard'::regnamespace and proconfig::text like '%lock_timeout%'"
        " loop execute format('alter function %s set lock_timeout = %L', f, '60s'); end loop; end $$"
    )


@asynccontextmanager
async def holding(url: str, *statements: str) -> AsyncIterator[asyncpg.Connection]:
    """A transaction that has run `statements` and holds their locks; rolled back at the end unless it was ended."""
    connection = await asyncpg.connect(url, server_settings={"application_name": "holder"})
    try:
        await connection.execute("begin")
        for statement in statements:
            await connection.execute(statement)
        yield connection
    finally:
        await connection.close()


async def within_bound(awaitable: Awaitable[T]) -> T:
    return await asyncio.wait_for(awaitable, BOUND_SECONDS)
