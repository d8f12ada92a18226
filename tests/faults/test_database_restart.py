"""The database goes away under load, stopped and crashed: the servers recover by themselves, nothing is lost."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from random import Random
from tempfile import mkdtemp

import asyncpg
import pytest

from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.embedded import EmbeddedPostgres
from switchboard.store.migrations import migrate
from tests.faults.conftest import DEBUGGING
from tests.faults.ground import assert_quiet
from tests.faults.scenarios import FAR
from tests.support.checker import check, keep_ledger
from tests.support.claimers import Claimer, Tally, WorkerLoop
from tests.support.scenario import Endpoint, World
from tests.support.servers import Server, running_server
from tests.support.waiting import within_bound

TODOS, WORKERS, LIMIT, STEP = 600, 10, 550, 50


@pytest.fixture
async def postgres() -> AsyncIterator[EmbeddedPostgres]:
    folder = mkdtemp(prefix="switchboard-faults-")
    os.chmod(folder, 0o711)  # root's unprivileged user has to get in
    made = EmbeddedPostgres(folder, settings={"track_commit_timestamp": True, "shared_buffers": "64MB"})
    await asyncio.to_thread(made.start)
    try:
        yield made
    finally:
        await asyncio.to_thread(made.start)
        await asyncio.to_thread(made.remove)
        shutil.rmtree(folder, ignore_errors=True)


async def _prepared(url: str) -> tuple[Endpoint, list[int]]:
    database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
    await database.open()
    await migrate(database, post=False)
    sql = await asyncpg.connect(url)
    await keep_ledger(sql)
    world = World(database, sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=8, max_claims_per_window=LIMIT, window=FAR)
    ids = await world.enqueue_many(endpoint, "q", TODOS)
    await sql.close()
    await database.close()
    return endpoint, ids


async def _stop_and_start(postgres: EmbeddedPostgres, url: str) -> None:
    await asyncio.to_thread(postgres.stop)
    assert await asyncio.to_thread(postgres.start) == url


async def _crash(postgres: EmbeddedPostgres, url: str) -> None:
    """Kills the process of one session, upon which the server drops all and recovers from its log."""
    connection = await asyncpg.connect(url, server_settings={"application_name": "victim"})
    os.kill(connection.get_server_pid(), signal.SIGKILL)
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
        await connection.execute("select pg_sleep(30)")


async def _at_least(tally: Tally, number: int, workers: list[asyncio.Task[None]]) -> None:
    async with asyncio.timeout(120):
        while sum(tally.claimed.values()) < number:
            assert not any(worker.done() for worker in workers)
            tally.more.clear()
            await tally.more.wait()


async def test_claims_go_on_by_themselves_after_a_restart_and_after_a_crash(postgres: EmbeddedPostgres) -> None:
    endpoint, ids = await _prepared(postgres.url)
    url, tally, stop = postgres.url, Tally(), asyncio.Event()
    with running_server(url, DEBUGGING) as one, running_server(url, DEBUGGING) as other:
        servers: list[Server] = [one, other]
        workers = [
            asyncio.create_task(
                WorkerLoop(
                    Claimer(servers[number % 2].url, endpoint.credential),
                    tally,
                    stop,
                    Random(number),
                    ends={"complete": 30, "release": 1, "hang up": 1},
                    ask={"worker": f"w{number}"},
                ).run()
            )
            for number in range(WORKERS)
        ]
        await _at_least(tally, STEP, workers)
        await _stop_and_start(postgres, url)
        after_restart = sum(tally.claimed.values())
        await _at_least(tally, after_restart + STEP, workers)
        await _crash(postgres, url)
        after_crash = sum(tally.claimed.values())
        await _at_least(tally, after_crash + STEP, workers)
        stop.set()
        await within_bound(asyncio.gather(*workers))
        for server in servers:
            assert server.process.poll() is None
            assert_quiet(server)

    report = await check(url, expected=ids)
    assert report.violations == (), report.table()
    assert tally.away + sum(tally.errors.values()) > 0  # they did notice
    away = {f"{verb}: unavailable" for verb in ("claim_next", "complete", "release")}
    # An end that was not answered may have committed; the second one is refused then.
    assert set(tally.errors) <= away | {"complete: conflict", "release: conflict"}
    # Whoever was told of a claim has it: each answered claim is one attempt.
    connection = await asyncpg.connect(url)
    attempts = dict(await connection.fetch("select todo_id, count(*) from switchboard.attempts group by todo_id"))
    await connection.close()
    assert not {todo_id for todo_id, number in tally.claimed.items() if attempts.get(todo_id, 0) < number}
