"""What nobody told the tab shows within the watchdog's longest time: changes by SQL, by another server, by a worker."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from typing import Any

import asyncpg
import httpx
import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import session_cookie
from e2e.support.board import REFRESH_MS, START_MS, Board
from e2e.support.world import Operator, World, world_on
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from tests.support.databases import Databases
from tests.support.loop_thread import LoopThread
from tests.support.servers import Server, running_server

WATCHDOG_MS = int(SchedulerSettings().watchdog_max * 1000)
WORKER = """
import asyncio, sys
from switchboard.worker import Worker
worker = Worker(sys.argv[1], sys.argv[2], name="worker-7")

@worker.handle
async def work(todo):
    print("working", flush=True)
    await asyncio.Event().wait()

asyncio.run(worker.run())
"""


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["builds"])
    world.enqueue(one, "builds", "Build {n}", times=3)
    return one


def within_the_watchdog(board: Board) -> None:
    """The tab's clock goes on by the longest time that the watchdog may take; the network takes none of it."""
    for _ in range(WATCHDOG_MS // 3_000):
        board.page.clock.fast_forward(3_000)
        board.wait_for_answers()


def test_a_row_changed_by_sql_shows(clocked_board: Board, world: World) -> None:
    expect(clocked_board.todos("builds")).to_have_count(3)
    world.execute("update switchboard.todos set title = 'Renamed by hand' where title = 'Build 2'")
    within_the_watchdog(clocked_board)
    expect(clocked_board.todos("builds").filter(has_text="Renamed by hand")).to_have_count(1)


def test_a_row_changed_through_another_server_shows(clocked_board: Board, world: World, operator: Operator) -> None:
    [todo] = world.enqueue(operator, "builds", "Made here, canceled there")
    within_the_watchdog(clocked_board)
    shown = clocked_board.todos("builds").filter(has_text="canceled there")
    expect(shown).to_have_count(1)
    with running_server(world.database_url) as other:
        headers = {"authorization": f"Bearer {operator.token}"}
        answer = httpx.post(f"{other.url}/api/jobs/{todo}/cancel", headers=headers)
        assert answer.status_code == 200
    within_the_watchdog(clocked_board)
    expect(shown).to_have_count(0)


def test_a_row_changed_by_a_worker_shows(clocked_board: Board, world: World, operator: Operator) -> None:
    claimed = world.claim(operator, "builds")
    within_the_watchdog(clocked_board)
    expect(clocked_board.figure("builds", "in-flight")).to_have_text("1 in flight")
    world.complete(operator, claimed)
    within_the_watchdog(clocked_board)
    expect(clocked_board.figure("builds", "in-flight")).to_have_text("0 in flight")


@pytest.fixture
def apart(loop: LoopThread, databases: Databases) -> Iterator[World]:
    """A database of its own, since its clock is moved."""
    with loop.entered(databases.fresh()) as url, world_on(loop, url) as world:
        yield world


@pytest.fixture
def apart_server(apart: World, runtime: None) -> Iterator[Server]:
    with running_server(apart.database_url, {"SWITCHBOARD_CACHE_SECONDS": "0.01"}) as server:
        yield server


def test_a_killed_worker_turns_silent_in_view_without_a_write(page: Page, apart: World, apart_server: Server) -> None:
    owner = apart.operator(["builds"])
    apart.enqueue(owner, "builds", "Never done")
    noted = apart.loop.run(_when_a_worker_is_noted(apart))
    command = [sys.executable, "-c", WORKER, apart_server.url, owner.credential]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "working\n"
        page.context.add_cookies([session_cookie(owner, apart_server.url)])
        page.goto(apart_server.url + "/workers")
        expect(page.locator("html")).to_have_attribute("data-runtime", "ready", timeout=START_MS)
        row = page.get_by_role("row", name="worker-7")
        expect(row).to_contain_text("live")
        worker.send_signal(signal.SIGKILL)
    apart.loop.run(noted)
    before = apart.loop.run(_written(apart))
    # Six minutes pass at the database: the lease has lapsed, and nobody has seen the worker. Not a row is written.
    apart.execute(
        "create or replace function switchboard.clock() returns timestamptz language sql volatile parallel safe "
        "as 'select clock_timestamp() + interval ''6 minutes'''"
    )
    expect(row).to_contain_text("silent", timeout=REFRESH_MS)
    expect(row).to_contain_text("worker-7")
    assert apart.loop.run(_written(apart)) == before


async def _when_a_worker_is_noted(world: World) -> Coroutine[Any, Any, None]:
    """What to wait for until the server has written down whom it saw, which it does some seconds later."""
    connection = await asyncpg.connect(world.database_url)
    heard = asyncio.Event()
    await connection.execute(
        "create function public.tell() returns trigger language plpgsql as $$begin notify noted; return null; end$$; "
        "create trigger tell after insert on switchboard.workers execute function public.tell()"
    )
    await connection.add_listener("noted", lambda *_: heard.set())

    async def wait() -> None:
        await asyncio.wait_for(heard.wait(), 60)
        await connection.close()

    return wait()


async def _written(world: World) -> list[str]:
    """The physical identity of what tells of workers: any write would move it."""

    connection = await asyncpg.connect(world.database_url)
    try:
        rows = await connection.fetch("select xmin::text || name as row from switchboard.workers order by 1")
        return [row["row"] for row in rows]
    finally:
        await connection.close()
