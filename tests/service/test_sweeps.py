"""The background sweeps: lapsed leases, due retries, scheduled todos; each in any number of servers at once."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from switchboard.service.sweeps import BATCH, Sweep, SweepRunner, sweeps
from switchboard.store.database import Database
from switchboard.store.errors import DatabaseUnavailable
from switchboard_wire.worker import Fail
from tests.support.clock import Clock, instant
from tests.support.scenario import Endpoint, World
from tests.support.waiting import holding, within_bound


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q", "r")


def sweep(database: Database, name: str) -> Sweep:
    return next(one for one in sweeps(database) if one.name == name)


async def test_a_lapsed_claim_goes_back_to_pending_with_its_attempt_spent(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, worker="w", lease_seconds=60, fence=True)
    await clock.set("2026-09-22T17:00:59.999999")
    await world.sweep()
    assert (await world.todo(todo_id))["state"] == "claimed"
    await clock.set("2026-09-22T17:01:00")
    await world.sweep()
    todo = await world.todo(todo_id)
    assert (todo["state"], todo["attempt"], todo["error"], todo["finished_at"]) == ("pending", 1, None, None)
    assert (todo["claimant_id"], todo["worker"], todo["fence"], todo["lease_expires_at"]) == (None,) * 4
    attempt = await world.sql.fetchrow("select outcome, ended_at from switchboard.attempts")
    assert tuple(attempt) == ("lapsed", clock.now)


async def test_a_lapsed_last_attempt_is_dead(world: World, endpoint: Endpoint, clock: Clock) -> None:
    todo_id = await world.enqueue(endpoint, "q", max_attempts=1)
    await world.claim_next(endpoint, lease_seconds=60)
    await clock.advance(seconds=60)
    await world.sweep()
    todo = await world.todo(todo_id)
    assert (todo["state"], todo["finished_at"]) == ("dead", clock.now)
    assert todo["error"] == "The lease of the last attempt ran out."


async def test_scheduled_todos_and_due_retries_become_pending_at_their_instant(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    scheduled = await world.enqueue(endpoint, "q", not_before=instant("2026-09-22T17:00:30"))
    parked = await world.enqueue(endpoint, "r")
    await world.claim_next(endpoint)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=parked))
    await clock.set("2026-09-22T17:00:29.999999")
    await world.sweep()
    assert [(await world.todo(one))["state"] for one in (scheduled, parked)] == ["scheduled", "failed"]
    await clock.set("2026-09-22T17:00:30")
    await world.sweep()
    assert [(await world.todo(one))["state"] for one in (scheduled, parked)] == ["pending", "pending"]
    assert (await world.todo(parked))["attempt"] == 1


async def test_two_reapers_at_once_reap_each_claim_once(world: World, endpoint: Endpoint, clock: Clock) -> None:
    for queue in ("q", "r"):
        await world.enqueue_many(endpoint, queue, 40)
        await world.claim_next(endpoint, queues=(queue,), max=40, lease_seconds=60)
    await clock.advance(seconds=60)
    await asyncio.gather(*(sweep(world.database, "reaper").run_once() for _ in range(4)))
    while await sweep(world.database, "reaper").run_once():
        pass
    for queue in ("q", "r"):
        assert await world.states(endpoint, queue) == {"pending": 40}
    outcomes = await world.sql.fetch("select outcome, count(*) as n from switchboard.attempts group by outcome")
    assert [tuple(row) for row in outcomes] == [("lapsed", 80)]


async def test_a_reaper_passes_by_a_todo_that_somebody_works_on(
    world: World, endpoint: Endpoint, clock: Clock, database_url: str
) -> None:
    locked, free = await world.enqueue_many(endpoint, "q", 2)
    await world.claim_next(endpoint, max=2, lease_seconds=60)
    await clock.advance(seconds=60)
    async with holding(database_url, f"select from switchboard.todos where id = {locked} for update"):
        await within_bound(sweep(world.database, "reaper").run_once())
        assert [(await world.todo(one))["state"] for one in (locked, free)] == ["claimed", "pending"]


async def test_a_full_batch_asks_to_go_on(world: World, endpoint: Endpoint, clock: Clock) -> None:
    await world.enqueue_many(endpoint, "q", BATCH + 1)
    await world.sql.execute(
        "update switchboard.todos set state = 'claimed', claims = 1, attempt = 1, claimant_id = $1,"
        " lease_expires_at = $2",
        endpoint.caller.endpoint_id,
        clock.now,
    )
    reaper = sweep(world.database, "reaper")
    assert [await reaper.run_once(), await reaper.run_once()] == [True, False]
    assert await world.states(endpoint, "q") == {"pending": BATCH + 1}


async def test_expired_browser_sessions_go_and_others_stay(world: World, sql: asyncpg.Connection) -> None:
    human = await world.human("ada")
    for token, age in ((b"old", "- interval '1 s'"), (b"new", "+ interval '1 h'")):
        await sql.execute(
            "insert into switchboard.browser_sessions (token_hash, human_id, csrf_token, expires_at)"
            f" values ($1, $2, '', clock_timestamp() {age})",
            token,
            human.id,
        )
    await world.sweep()
    assert await sql.fetchval("select array_agg(token_hash) from switchboard.browser_sessions") == [b"new"]


class Watched:
    """A sweep that tells when it ran, and does what it is told to next."""

    def __init__(self) -> None:
        self.ran = asyncio.Queue[int]()
        self.todo: list[bool | Exception] = []
        self._runs = 0

    async def run_once(self) -> bool:
        self._runs += 1
        self.ran.put_nowait(self._runs)
        if not self.todo:
            return False
        what = self.todo.pop(0)
        if isinstance(what, Exception):
            raise what
        return what


async def test_the_runner_goes_on_at_once_while_there_is_more_and_rests_then() -> None:
    watched = Watched()
    watched.todo = [True, True, False]
    runner = SweepRunner([Sweep("watched", 3600, watched.run_once)])
    runner.start()
    assert [await within_bound(watched.ran.get()) for _ in range(3)] == [1, 2, 3]
    await within_bound(runner.stop())
    await within_bound(runner.stop())
    assert watched.ran.empty()


async def test_the_runner_outlives_what_goes_wrong_in_a_sweep() -> None:
    watched = Watched()
    watched.todo = [DatabaseUnavailable("gone"), DatabaseUnavailable("gone"), ValueError("a bug"), False]
    runner = SweepRunner([Sweep("watched", 0.001, watched.run_once)])
    runner.start()
    assert [await within_bound(watched.ran.get()) for _ in range(5)] == [1, 2, 3, 4, 5]
    await within_bound(runner.stop())


async def test_a_runner_that_never_started_stops() -> None:
    await within_bound(SweepRunner([]).stop())
