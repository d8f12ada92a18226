"""Servers that are killed, stopped or cut off from their database lose nothing, and say so (REQ-13)."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import httpx
import pytest

from switchboard.store.embedded import EmbeddedPostgres
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC
from tests.support.waiting import holding, patient_locks, until, waits_for, within_bound

from .conftest import Fleet, fleet_on

DISPOSABLE: dict[str, Any] = {"fsync": False, "full_page_writes": False, "shared_buffers": "32MB"}


async def test_a_killed_server_loses_nothing(own_pair: Fleet) -> None:
    fleet = own_pair
    clock = Clock(fleet.world.sql)
    await clock.install("2026-09-22T10:00")
    await patient_locks(fleet.world.sql)
    endpoint = await fleet.endpoint("q")
    await fleet.world.set_policy(endpoint, "q", max_in_flight=3, max_claims_per_window=100, window=DAY_UTC)
    ids = await fleet.world.enqueue_many(endpoint, "q", 8)
    for _ in range(2):
        assert not (await fleet.verb(0, endpoint, "claim_next", lease_seconds=60)).json()["empty"]
    policy = f"select from switchboard.policies where queue_id = {endpoint.queue_id('q')} for update"
    async with holding(fleet.database_url, policy) as holder:
        caught = asyncio.create_task(fleet.verb(0, endpoint, "claim_next", lease_seconds=60))
        await waits_for(fleet.world.sql, holder)
        fleet.servers[0].kill()
        with pytest.raises(httpx.HTTPError):
            await within_bound(caught)
    # what its backend was about to do is done or undone, never half
    await until(
        fleet.world.sql,
        "select count(*) = 0 from pg_stat_activity where datname = current_database() and state = 'active'"
        " and query like '%claim_next%' and pid <> pg_backend_pid()",
    )
    committed = await fleet.world.committed_claims(endpoint, "q")
    assert committed in (2, 3)
    await fleet.books_balance(endpoint, "q", committed)
    (held,) = (await fleet.verb(1, endpoint, "admission_status", queue="q")).json()["queues"]
    assert held["in_flight"] == committed

    await clock.advance(seconds=60)
    await fleet.world.sweep()
    assert await fleet.world.states(endpoint, "q") == {"pending": 8}
    for _ in ids:
        (todo,) = (await fleet.verb(1, endpoint, "claim_next")).json()["todos"]
        assert (await fleet.verb(1, endpoint, "complete", todo_id=todo["id"])).status_code == 200
    assert await fleet.world.states(endpoint, "q") == {"done": 8}
    await fleet.books_balance(endpoint, "q", committed + 8)


async def test_the_other_server_takes_over_what_a_killed_one_held(own_pair: Fleet) -> None:
    fleet = own_pair
    clock = Clock(fleet.world.sql)
    await clock.install("2026-09-22T10:00")
    endpoint = await fleet.endpoint("q")
    await fleet.world.set_policy(endpoint, "q", max_in_flight=1)
    (todo_id,) = await fleet.world.enqueue_many(endpoint, "q", 1)
    await fleet.verb(0, endpoint, "claim_next", lease_seconds=60)
    fleet.servers[0].kill()
    assert (await fleet.verb(1, endpoint, "claim_next")).json()["empty"]
    await clock.advance(seconds=60)
    (todo,) = (await fleet.verb(1, endpoint, "claim_next")).json()["todos"]
    assert (todo["id"], todo["attempt"]) == (todo_id, 2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_told_to_stop_finishes_the_claim_in_its_hands_and_exits_0(
    own_pair: Fleet, number: signal.Signals
) -> None:
    fleet = own_pair
    await patient_locks(fleet.world.sql)
    endpoint = await fleet.endpoint("q")
    await fleet.world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_UTC)
    await fleet.world.enqueue_many(endpoint, "q", 1)
    policy = f"select from switchboard.policies where queue_id = {endpoint.queue_id('q')} for update"
    server = fleet.servers[0]
    async with httpx.AsyncClient(base_url=server.url) as idle:
        await idle.get("/sign-in")  # a connection that is kept open holds nothing up
        async with holding(fleet.database_url, policy) as holder:
            claiming = asyncio.create_task(fleet.verb(0, endpoint, "claim_next"))
            await waits_for(fleet.world.sql, holder)
            server.process.send_signal(number)
            await refuses_connections(server.url)
        answer = await within_bound(claiming)
        assert (answer.status_code, len(answer.json()["todos"])) == (200, 1)
        assert await asyncio.to_thread(server.process.wait, 30) == 0
    fleet.clean(0)
    await fleet.books_balance(endpoint, "q", 1)


async def refuses_connections(url: str) -> None:
    address = httpx.URL(url)
    async with asyncio.timeout(30):
        while True:
            try:
                _, writer = await asyncio.open_connection(address.host, address.port)
            except OSError:
                return
            writer.close()
            await writer.wait_closed()


async def test_sessions_that_the_database_ends_are_replaced(own_pair: Fleet) -> None:
    fleet = own_pair
    endpoint = await fleet.endpoint("q")
    await fleet.world.enqueue_many(endpoint, "q", 5)
    await fleet.world.sql.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and application_name like 'switchboard%'"
    )
    statuses = [(await fleet.verb(0, endpoint, "claim_next")).status_code for _ in range(30)]
    assert set(statuses) <= {200, 503}, fleet.servers[0].log()
    assert statuses[-1] == 200
    assert sum(status == 200 for status in statuses) >= 5


@pytest.fixture
def postgres() -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL that the test may stop and start again; its folder is one that every user can enter."""
    folder = Path(mkdtemp(prefix="switchboard-test-"))
    folder.chmod(0o755)
    one = EmbeddedPostgres(folder / "data", settings=DISPOSABLE, system_folder=folder / "system", patience=30)
    try:
        yield one
    finally:
        one.start()
        one.remove()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def cut_off(postgres: EmbeddedPostgres) -> AsyncIterator[Fleet]:
    async with fleet_on(postgres.start(), 1) as fleet:
        yield fleet


async def test_while_the_database_is_away_every_answer_says_so_and_afterwards_work_goes_on(
    cut_off: Fleet, postgres: EmbeddedPostgres
) -> None:
    fleet = cut_off
    endpoint = await fleet.endpoint("q")
    await fleet.world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_UTC)
    await fleet.world.enqueue_many(endpoint, "q", 3)
    operator = {"authorization": f"Bearer {await fleet.world.operator_token(endpoint.owner)}"}
    assert not (await fleet.verb(0, endpoint, "claim_next")).json()["empty"]
    http = fleet.clients[0]

    await fleet.leave_database()
    assert postgres.stop()
    for _ in range(2):
        for answer in (
            await fleet.verb(0, endpoint, "claim_next"),
            await http.get("/api/v1/admission", headers=operator),
            await http.get("/api/queues", headers=operator),
            await http.get("/api/capabilities", headers=operator),
        ):
            told = (answer.status_code, answer.headers["content-type"])
            assert told == (503, "application/json"), fleet.servers[0].log()
            assert answer.json() == {
                "error": {"code": "unavailable", "message": "The database does not answer now; try again soon."}
            }
            assert int(answer.headers["retry-after"]) > 0
            assert answer.headers["x-frame-options"] == "DENY"
        page = await http.get("/board", headers={"cookie": "switchboard_session=sbs_x"})
        assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
        assert "The database does not answer now; try again soon." in page.text
    assert fleet.servers[0].process.poll() is None

    postgres.start()
    answers = []
    async with asyncio.timeout(30):
        while len([one for one in answers if one.status_code == 200]) < 2:
            answers.append(await fleet.verb(0, endpoint, "claim_next"))
            assert answers[-1].status_code in (200, 503)
    assert [answer.json()["admission"]["used"] for answer in answers if answer.status_code == 200] == [2, 3]
    fleet.clean(0)


async def test_a_server_without_its_database_stops_cleanly(cut_off: Fleet, postgres: EmbeddedPostgres) -> None:
    await cut_off.leave_database()
    postgres.stop()
    endpoint_less = await cut_off.clients[0].post(
        "/api/v1/worker/claim_next", headers={"authorization": "Bearer sbk_x"}
    )
    assert endpoint_less.status_code == 503
    assert cut_off.servers[0].stop() == 0
    cut_off.clean(0)


async def test_a_claim_in_the_making_when_the_database_stops_is_undone(
    cut_off: Fleet, postgres: EmbeddedPostgres
) -> None:
    fleet = cut_off
    await patient_locks(fleet.world.sql)
    endpoint = await fleet.endpoint("q")
    await fleet.world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_UTC)
    await fleet.world.enqueue_many(endpoint, "q", 1)
    policy = "select from switchboard.policies for update"
    async with holding(fleet.database_url, policy) as holder:
        claiming = asyncio.create_task(fleet.verb(0, endpoint, "claim_next"))
        await waits_for(fleet.world.sql, holder)
        await fleet.leave_database()
        await asyncio.to_thread(postgres.stop)
        told = await within_bound(claiming)
    postgres.start()
    async with asyncio.timeout(30):
        while (answer := await fleet.verb(0, endpoint, "claim_next")).status_code != 200:
            assert answer.status_code == 503
    if told.status_code == 503:
        assert answer.json()["admission"]["used"] == 1
    else:  # the holder's session was ended first, and the claim committed before its own was
        assert told.json()["admission"]["used"] == 1
        assert answer.json()["empty"]
    fleet.clean(0)
