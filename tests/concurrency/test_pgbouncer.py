"""Behind PgBouncer in transaction mode, where each transaction may meet another session of few."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator

import asyncpg
import httpx
import pytest

from switchboard.store.database import Database, DatabaseSettings, ReadBudget
from tests.support.databases import Databases
from tests.support.pgbouncer import PROGRAM, pgbouncer
from tests.support.scenario import DAY_UTC
from tests.support.waiting import holding

from .conftest import Fleet, fleet_on

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="PGBOUNCER IS NOT INSTALLED, SO POOLING IS NOT TESTED")
POOLED = {"SWITCHBOARD_DATABASE_POOLED": "1"}


@pytest.fixture
async def direct(databases: Databases) -> AsyncIterator[str]:
    async with databases.fresh() as url:
        yield url


@pytest.fixture
async def fleet(direct: str) -> AsyncIterator[Fleet]:
    """Two servers behind one PgBouncer that has two sessions for all of them."""
    with pgbouncer(direct) as pooled:
        async with fleet_on(direct, 2, POOLED | {"SWITCHBOARD_DATABASE_URL": pooled}) as fleet:
            yield fleet


async def test_a_limit_holds_over_two_servers(fleet: Fleet) -> None:
    endpoint = await fleet.endpoint("q")
    await fleet.world.set_policy(endpoint, "q", max_claims_per_window=10, window=DAY_UTC)
    await fleet.world.enqueue_many(endpoint, "q", 50)
    answers = await fleet.race(endpoint, 50, "claim_next")
    assert Counter(answer["empty"] for answer in answers) == {False: 10, True: 40}
    await fleet.books_balance(endpoint, "q", 10)
    ids = [answer["todos"][0]["id"] for answer in answers if not answer["empty"]]
    done = await asyncio.gather(*(fleet.verb(turn, endpoint, "complete", todo_id=one) for turn, one in enumerate(ids)))
    assert [answer.status_code for answer in done] == [200] * 10


async def test_a_change_meets_the_servers_own_limits_after_reads_that_ended_in_every_way(direct: str) -> None:
    with pgbouncer(direct, sessions=1) as pooled:
        database = Database(DatabaseSettings(pooled, claim_connections=2, read_connections=2, pooled=True))
        await database.open()
        try:
            for number in range(60):
                async with database.read(ReadBudget(statement_ms=40, lock_ms=20)) as connection:
                    assert await connection.fetchval("select current_setting('statement_timeout')") == "40ms"
                    match number % 3:
                        case 1:
                            with pytest.raises(asyncpg.QueryCanceledError):
                                await connection.execute("select pg_sleep(10)")
                        case 2:
                            sleeping = asyncio.create_task(connection.execute("select pg_sleep(10)"))
                            await asyncio.wait({sleeping}, timeout=0.001)
                            sleeping.cancel()
                            await asyncio.gather(sleeping, return_exceptions=True)
                async with database.change() as connection:
                    assert [
                        await connection.fetchval(f"select current_setting('{name}')")
                        for name in (
                            "statement_timeout",
                            "lock_timeout",
                            "transaction_isolation",
                            "transaction_read_only",
                        )
                    ] == ["0", "0", "read committed", "off"]
        finally:
            await database.close()


async def test_a_read_whose_reader_vanished_frees_the_session_for_the_next(fleet: Fleet, direct: str) -> None:
    endpoint = await fleet.endpoint("q")
    headers = {"authorization": f"Bearer {await fleet.world.operator_token(endpoint.owner)}"}
    query = {"version": 1, "filter": {}, "page": {}}
    async with holding(direct, "lock table switchboard.todos in access exclusive mode"):
        for _ in range(6):
            with pytest.raises(httpx.TimeoutException):
                await fleet.clients[0].post("/api/v1/jobs/query", json=query, headers=headers, timeout=0.2)
    answer = await fleet.clients[0].post("/api/v1/jobs/query", json=query, headers=headers)
    assert answer.status_code == 200


async def test_the_commands_work_through_it(direct: str) -> None:
    with pgbouncer(direct, sessions=1) as pooled:
        environment = os.environ | {"SWITCHBOARD_DATABASE_URL": pooled} | POOLED
        for command in (
            ["migrate"],
            ["human", "add", "ada"],
            ["endpoint", "add", "e", "--human", "ada", "--queue", "q"],
        ):
            done = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-m", "switchboard.main", *command],
                env=environment,
                input="a long password\na long password\n",
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
