"""Whoever is cancelled, at any point of it, leaves no transaction open for the pool to find, and no word in the log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from switchboard.store.database import Database, DatabaseSettings, ReadBudget

WORK: dict[str, Callable[[Database], AbstractAsyncContextManager[Any]]] = {
    "read": lambda database: database.read(ReadBudget(statement_ms=5000, lock_ms=1000)),
    "transaction": lambda database: database.transaction(),
    "change": lambda database: database.change(),
    "session": lambda database: database.session(),
}


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = Database(DatabaseSettings(database_url, claim_connections=1, read_connections=1))
    await database.open()
    database.isolate_explicitly()  # so that a session, too, begins a transaction
    yield database
    await database.close()


async def turns(number: int) -> None:
    """So many rounds of the event loop."""
    loop = asyncio.get_running_loop()
    for _ in range(number):
        passed: asyncio.Future[None] = loop.create_future()
        loop.call_soon(passed.set_result, None)
        await passed


@pytest.mark.parametrize("name", WORK)
async def test_a_cancel_at_any_turn_of_the_loop_leaves_a_clean_connection(database: Database, name: str) -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    begun = 0

    async def work() -> None:
        nonlocal begun
        async with WORK[name](database) as connection:
            begun += 1
            await connection.fetchval("select 1")
            await connection.fetchval("select 2")

    cancelled = 0
    try:
        for number in range(200):
            task = asyncio.create_task(work())
            await turns(number)
            task.cancel()
            outcome: Awaitable[list[Any]] = asyncio.gather(task, return_exceptions=True)
            (result,) = await outcome
            cancelled += isinstance(result, asyncio.CancelledError)
            assert result is None or isinstance(result, asyncio.CancelledError), result
            async with database.session() as connection:
                assert await connection.fetchval("select pg_current_xact_id_if_assigned() is null")
    finally:
        asyncio.get_running_loop().set_exception_handler(None)
    assert complaints == []
    assert begun > 0
    assert cancelled > 0
