"""D12, D13: the clock and the counts that decide are read after the lock is had, whatever the server's defaults."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import urlsplit

import asyncpg
import pytest

from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.worker import Complete, Fail, Heartbeat, Release
from tests.support.clock import Clock, instant
from tests.support.databases import Databases
from tests.support.scenario import DAY_LOS_ANGELES, DAY_UTC, World
from tests.support.waiting import holding, lock_waits, patient_locks, within_bound

MIDNIGHT = instant("2026-09-23T00:00-07:00")


@pytest.mark.parametrize("by_id", [True, False])
async def test_a_claim_that_waited_over_midnight_is_of_the_new_day(
    world: World, clock: Clock, database_url: str, sql: asyncpg.Connection, by_id: bool
) -> None:
    await patient_locks(sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_LOS_ANGELES)
    (todo_id,) = await world.enqueue_many(endpoint, "q", 1)
    await clock.set("2026-09-22T23:59:59-07:00")
    async with holding(database_url, "select from switchboard.policies for update"):
        claiming = asyncio.create_task(world.claim(endpoint, todo_id) if by_id else world.claim_next(endpoint))
        await lock_waits(sql, 1)
        await clock.set(MIDNIGHT)
    await within_bound(claiming)
    assert await world.charges(endpoint, "q") == {MIDNIGHT: 1}
    todo = await world.todo(todo_id)
    assert (todo["claimed_at"], todo["lease_expires_at"]) == (MIDNIGHT, instant("2026-09-23T00:05-07:00"))


@pytest.mark.parametrize("by_id", [True, False])
async def test_a_lease_runs_from_when_the_policy_was_had_and_not_from_when_it_was_asked_for(
    world: World, clock: Clock, database_url: str, sql: asyncpg.Connection, by_id: bool
) -> None:
    await patient_locks(sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=5)
    (todo_id,) = await world.enqueue_many(endpoint, "q", 1)
    async with holding(database_url, "select from switchboard.policies for update"):
        claiming = asyncio.create_task(world.claim(endpoint, todo_id) if by_id else world.claim_next(endpoint))
        await lock_waits(sql, 1)
        had = await clock.advance(hours=1)
    await within_bound(claiming)
    todo = await world.todo(todo_id)
    assert (todo["claimed_at"], todo["lease_expires_at"]) == (had, had + timedelta(seconds=300))


@pytest.mark.parametrize("first_of_the_day", [True, False])
async def test_a_charge_that_midnight_overtakes_starts_over_in_the_new_day(
    world: World, clock: Clock, sql: asyncpg.Connection, first_of_the_day: bool
) -> None:
    """The policy's lock is had and its clock read; midnight comes while the todos in flight are counted."""
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=9, max_claims_per_window=9, window=DAY_LOS_ANGELES)
    first, todo_id = await world.enqueue_many(endpoint, "q", 2)
    if not first_of_the_day:
        await world.claim(endpoint, first)
    await sql.execute(
        # a sequence, since what it has counted is not undone by a savepoint
        "create sequence public.midnights;"
        "create or replace function switchboard.clock() returns timestamptz language sql volatile parallel safe as"
        " 'select ''2026-09-22T23:59:59-07:00''::timestamptz + case when is_called then interval ''1 s'' else"
        " interval ''0'' end from public.midnights';"
        "create or replace function switchboard.in_flight(p_queue_id bigint) returns integer language plpgsql volatile"
        " as $$ begin perform nextval('public.midnights'); return (select count(*)::integer from switchboard.todos"
        " where queue_id = p_queue_id and state = 'claimed'); end $$"
    )
    claimed = await world.claim(endpoint, todo_id)
    yesterday = {} if first_of_the_day else {instant("2026-09-22T00:00-07:00"): 1}
    assert await world.charges(endpoint, "q") == yesterday | {MIDNIGHT: 1}
    assert claimed.todo.claimed_at == MIDNIGHT
    assert claimed.admission is not None
    assert (claimed.admission.used, claimed.admission.window_resets_at) == (1, instant("2026-09-24T00:00-07:00"))


async def test_the_window_is_the_databases_and_not_the_servers(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await clock.set("2031-05-05T05:05")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_UTC)
    await world.enqueue(endpoint, "q")
    todo = (await world.claim_next(endpoint)).todos[0]
    assert (todo.created_at, todo.claimed_at) == (instant("2031-05-05T05:05"),) * 2
    assert await world.charges(endpoint, "q") == {instant("2031-05-05"): 1}


@pytest.fixture(params=["repeatable read", "serializable"])
async def strict(databases: Databases, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """A world whose server's default isolation is not READ COMMITTED."""
    async with databases.fresh() as url:
        sql = await asyncpg.connect(url)
        await sql.execute(
            f"alter database {urlsplit(url).path[1:]} set default_transaction_isolation = '{request.param}'"
        )
        database = Database(DatabaseSettings(url, claim_connections=12, read_connections=2))
        await database.open()
        yield World(database, sql)
        await database.close()
        await sql.close()


async def test_ten_of_fifty_are_admitted_whatever_the_default_isolation(strict: World) -> None:
    endpoint = await strict.endpoint("e", "q")
    await strict.set_policy(endpoint, "q", max_claims_per_window=10, window=DAY_UTC)
    await strict.enqueue_many(endpoint, "q", 50)
    processes = [strict, strict.another_process(), strict.another_process()]
    answers = await asyncio.gather(*(processes[turn % 3].claim_next(endpoint) for turn in range(50)))
    assert sorted(answer.empty for answer in answers) == [False] * 10 + [True] * 40
    assert {one.reason for answer in answers for one in answer.deferred} == {"window_exhausted"}
    assert await strict.used(endpoint, "q") == await strict.committed_claims(endpoint, "q") == 10


async def test_ten_of_fifty_named_todos_are_admitted_whatever_the_default_isolation(strict: World) -> None:
    endpoint = await strict.endpoint("e", "q")
    await strict.set_policy(endpoint, "q", max_in_flight=10)
    ids = await strict.enqueue_many(endpoint, "q", 50)

    async def claimed(todo_id: int) -> str:
        try:
            await strict.claim(endpoint, todo_id)
        except SwitchboardError as refusal:
            return str(refusal.details["reason"])
        return "claimed"

    outcomes = await asyncio.gather(*(claimed(todo_id) for todo_id in ids))
    assert sorted(outcomes) == ["claimed"] * 10 + ["in_flight_full"] * 40


async def test_verbs_that_meet_on_one_todo_answer_whatever_the_default_isolation(strict: World) -> None:
    """The second waits for the first and then sees what it did: an answer or a refusal, never a broken statement."""
    endpoint = await strict.endpoint("e", "q")
    drain, caller = strict.service.drain, endpoint.caller
    for todo_id in await strict.enqueue_many(endpoint, "q", 5):
        await strict.claim(endpoint, todo_id)
        outcomes = await asyncio.gather(
            drain.heartbeat(caller, Heartbeat(todo_id=todo_id)),
            drain.heartbeat(caller, Heartbeat(todo_id=todo_id)),
            strict.service.complete.complete(caller, Complete(todo_id=todo_id)),
            drain.fail(caller, Fail(todo_id=todo_id)),
            drain.release(caller, Release(todo_id=todo_id)),
            return_exceptions=True,
        )
        broken = [one for one in outcomes if isinstance(one, Exception) and not isinstance(one, SwitchboardError)]
        assert broken == []


async def test_sweeps_and_verbs_run_side_by_side_whatever_the_default_isolation(strict: World) -> None:
    endpoint = await strict.endpoint("e", "q")
    ids = await strict.enqueue_many(endpoint, "q", 12)
    await strict.claim_next(endpoint, max=12, lease_seconds=60)
    await strict.sql.execute("update switchboard.todos set lease_expires_at = clock_timestamp()")
    heartbeats = [strict.service.drain.heartbeat(endpoint.caller, Heartbeat(todo_id=todo_id)) for todo_id in ids]
    outcomes = await asyncio.gather(strict.sweep(), strict.sweep(), *heartbeats, return_exceptions=True)
    broken = [one for one in outcomes if isinstance(one, Exception) and not isinstance(one, SwitchboardError)]
    assert broken == []
    states = await strict.states(endpoint, "q")
    assert sum(states.values()) == 12
    assert set(states) <= {"claimed", "pending"}
