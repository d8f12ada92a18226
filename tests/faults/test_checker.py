"""The checker itself: a clean run is clean, and every way to spoil the data is seen, with a ledger and without."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest

from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.worker import AskAdmissionStatus, Complete, Fail, Release
from tests.faults.ground import Ground
from tests.faults.scenarios import FAR, FAR_DEFINITION
from tests.support.checker import Full, Report, check, keep_ledger, look, todo_rows
from tests.support.databases import Databases
from tests.support.scenario import World

# The column of the report that tells, and what spoils the data.
SPOILS = {
    "a charge too many": ("overcharged", "update switchboard.usage set used = used + 1"),
    "a charge too few": ("uncharged", "update switchboard.usage set used = used - 1"),
    "a lost charge": ("uncharged", "delete from switchboard.usage"),
    "a charge in another window": (
        "uncharged",
        "update switchboard.usage set window_started_at = window_started_at - interval '1 day'",
    ),
    "a lost attempt": ("torn", "delete from switchboard.attempts where outcome = 'completed'"),
    "an attempt that never ended": (
        "torn",
        "update switchboard.attempts set ended_at = null, outcome = null where outcome = 'completed'",
    ),
    "a second open attempt": (
        "doubled",
        "insert into switchboard.attempts (queue_id, todo_id, seq, claimant_id, claimed_at)"
        " select queue_id, todo_id, seq + 1, claimant_id, claimed_at from switchboard.attempts where ended_at is null",
    ),
    "a gap between attempts": ("torn", "update switchboard.attempts set seq = seq + 1 where outcome is null"),
    "a lost todo": ("lost", "delete from switchboard.todos where state = 'pending'"),
    "a doubled todo": (
        "doubled",
        "insert into switchboard.todos (queue_id, id, endpoint_id, kind, source, title, state, created_at, updated_at)"
        " overriding system value select queue_id + 1, id, endpoint_id, kind, source, title, 'pending', created_at,"
        " updated_at from switchboard.todos where state = 'pending'",
    ),
    "a claim forgotten": (
        "torn",
        "update switchboard.todos set state = 'pending', lease_expires_at = null where state = 'claimed'",
    ),
    "a claim nobody made": (
        "torn",
        "update switchboard.todos set state = 'claimed', claimant_id = 1, lease_expires_at = now()"
        " where state = 'pending'",
    ),
    "a claim without a lease": (
        "torn",
        "update switchboard.todos set lease_expires_at = null where state = 'claimed'",
    ),
    "a parked todo without a time": (
        "torn",
        "update switchboard.todos set next_retry_at = null where state = 'failed'",
    ),
}


@pytest.fixture
async def bare(database_url: str) -> AsyncIterator[tuple[str, World, asyncpg.Connection]]:
    """A database without a ledger."""
    database = Database(DatabaseSettings(database_url, claim_connections=2, read_connections=1))
    await database.open()
    sql = await asyncpg.connect(database_url)
    yield database_url, World(database, sql), sql
    await sql.close()
    await database.close()


async def _a_run(world: World) -> int:
    """One todo of each kind in a queue with both limits. Gives the id that stays pending."""
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=2, max_claims_per_window=9, window=FAR)
    completed, failed, released, held, waiting = await world.enqueue_many(endpoint, "q", 5)
    await world.claim(endpoint, completed)
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=completed))
    await world.claim(endpoint, failed)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=failed))
    await world.claim(endpoint, released)
    await world.service.drain.release(endpoint.caller, Release(todo_id=released))
    await world.claim(endpoint, held)
    await world.sql.execute(
        "update switchboard.todos set state = 'canceled', finished_at = now() where id = $1", released
    )
    return waiting


def _counts(report: Report) -> tuple[int, int, int, int]:
    return report.todos, report.claims, report.charges, report.most_in_flight


async def test_a_clean_run_is_clean(ground: Ground) -> None:
    waiting = await _a_run(ground.world)
    report = await ground.check(expected=[waiting])
    assert _counts(report) == (5, 4, 4, 1)
    assert "over cap" in report.table()


async def test_a_clean_run_is_clean_without_a_ledger(bare: tuple[str, World, asyncpg.Connection]) -> None:
    url, world, _ = bare
    report = await check(url, expected=[await _a_run(world)])
    assert report.violations == ()
    assert _counts(report) == (5, 4, 4, 1)


@pytest.fixture(scope="module")
async def spoilable(databases: Databases) -> AsyncIterator[dict[str, asyncpg.Connection]]:
    """The same run twice, with a ledger and without, for spoilers that roll back what they did."""
    async with databases.fresh() as with_ledger, databases.fresh() as without:
        opened = {}
        for name, url in (("ledger", with_ledger), ("no ledger", without)):
            sql = opened[name] = await asyncpg.connect(url)
            if name == "ledger":
                await keep_ledger(sql)
            database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
            await database.open()
            await _a_run(World(database, sql))
            await database.close()
        yield opened
        for sql in opened.values():
            await sql.close()


@pytest.mark.parametrize("spoilt", SPOILS)
@pytest.mark.parametrize(
    ("name", "silently"), [("ledger", False), ("ledger", True), ("no ledger", False)], ids=["", "silent", "no ledger"]
)
async def test_every_spoiling_is_seen(
    spoilable: dict[str, asyncpg.Connection], spoilt: str, name: str, silently: bool
) -> None:
    sql = spoilable[name]
    column, statement = SPOILS[spoilt]
    expected = [row["id"] for row in await sql.fetch("select id from switchboard.todos where state = 'pending'")]
    assert (await look(sql, expected=expected)).violations == ()
    spoiling = sql.transaction()
    await spoiling.start()
    try:
        if silently:
            await sql.execute("set local session_replication_role = replica")  # triggers are passed by
        await sql.execute(statement)
        report = await look(sql, expected=expected)
    finally:
        await spoiling.rollback()
    assert getattr(report, column) > 0, report.table()
    assert report.violations


@pytest.mark.parametrize("ledger", [True, False])
async def test_claims_over_the_limit_are_seen(bare: tuple[str, World, asyncpg.Connection], ledger: bool) -> None:
    """Charged and attempted in perfect order, and yet one too many."""
    url, world, sql = bare
    if ledger:
        await keep_ledger(sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=FAR)
    await world.enqueue_many(endpoint, "q", 2)
    await _admit_everything(world)
    await world.claim_next(endpoint, max=2)
    report = await check(url)
    assert (report.over, report.charges, report.uncharged, report.overcharged) == (1, 2, 0, 0)
    assert len(report.violations) == 1


@pytest.mark.parametrize("ledger", [True, False])
async def test_claims_over_the_cap_are_seen(bare: tuple[str, World, asyncpg.Connection], ledger: bool) -> None:
    url, world, sql = bare
    if ledger:
        await keep_ledger(sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    await world.enqueue_many(endpoint, "q", 2)
    await _admit_everything(world)
    await world.claim_next(endpoint)
    await world.claim_next(endpoint)
    report = await check(url)
    assert (report.over_cap, report.most_in_flight) == (1, 2)
    assert len(report.violations) == 1


async def _admit_everything(world: World) -> None:
    """The bug that the checker is for."""
    await world.sql.execute(
        "create or replace function switchboard.admission_refusal(max_in_flight integer, max_claims_per_window integer,"
        " in_flight integer, used integer) returns text language sql immutable as 'select null::text'"
    )


async def test_a_takeover_at_the_cap_is_in_order(ground: Ground) -> None:
    world = ground.world
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=9, window=FAR)
    (todo_id,) = await world.enqueue_many(endpoint, "q", 1)
    await world.claim(endpoint, todo_id)
    await world.sql.execute("update switchboard.todos set lease_expires_at = now() where id = $1", todo_id)
    await world.claim(endpoint, todo_id)
    report = await ground.check()
    assert (report.claims, report.charges, report.most_in_flight) == (2, 2, 1)


async def test_a_window_that_was_not_filled_is_seen(ground: Ground) -> None:
    world = ground.world
    endpoint = await world.endpoint("e", "q")
    view = await world.set_policy(endpoint, "q", max_claims_per_window=5, window=FAR)
    await world.enqueue_many(endpoint, "q", 3)
    await world.claim_next(endpoint, max=3)
    start = view.admission.window_started_at
    assert start is not None
    queue_id = endpoint.queue_id("q")
    report = await check(
        ground.url,
        full=[
            Full(queue_id, FAR_DEFINITION, start, 3),
            Full(queue_id, FAR_DEFINITION, start, 5),
            Full(queue_id, FAR_DEFINITION, start + timedelta(days=7), 1),
        ],
    )
    assert report.under == 3
    assert len(report.violations) == 2


async def test_what_stood_before_the_ledger_is_no_violation(bare: tuple[str, World, asyncpg.Connection]) -> None:
    url, world, sql = bare
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3, max_claims_per_window=9, window=FAR)
    await world.enqueue_many(endpoint, "q", 4)
    await world.claim_next(endpoint, max=2)
    await keep_ledger(sql)
    await world.claim_next(endpoint)
    report = await check(url)
    assert report.violations == ()
    assert (report.claims, report.charges, report.most_in_flight) == (3, 3, 3)


async def test_sessions_that_came_and_stayed_are_seen(ground: Ground) -> None:
    stray = await asyncpg.connect(ground.url, server_settings={"application_name": "switchboard"})
    report = await check(ground.url, ground.start)
    assert report.leaked == 1
    assert (await check(ground.url, ground.start, others=1)).violations == ()
    await stray.close()


async def test_a_session_that_holds_a_transaction_open_is_seen(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.waiting.BOUND_SECONDS", 0.2)
    stray = await asyncpg.connect(ground.url, server_settings={"application_name": "switchboard"})
    await stray.execute("begin")
    with pytest.raises(TimeoutError):
        await check(ground.url, ground.start)
    await stray.close()


async def test_a_write_to_a_todo_is_seen_and_a_look_is_none(ground: Ground) -> None:
    endpoint = await ground.world.endpoint("e", "q")
    (todo_id,) = await ground.world.enqueue_many(endpoint, "q", 1)
    before = await todo_rows(ground.sql)
    await ground.world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())
    assert await todo_rows(ground.sql) == before
    await ground.sql.execute("update switchboard.todos set title = title where id = $1", todo_id)
    assert await todo_rows(ground.sql) != before


async def test_a_deadlock_is_seen(ground: Ground) -> None:
    endpoint = await ground.world.endpoint("e", "q")
    first, second = await ground.world.enqueue_many(endpoint, "q", 2)
    one = await asyncpg.connect(ground.url)
    other = await asyncpg.connect(ground.url)
    lock = "select 1 from switchboard.todos where id = $1 for update"
    await one.execute("begin")
    await other.execute("begin")
    await one.execute(lock, first)
    await other.execute(lock, second)
    outcomes = await asyncio.gather(one.execute(lock, second), other.execute(lock, first), return_exceptions=True)
    assert sum(isinstance(outcome, asyncpg.DeadlockDetectedError) for outcome in outcomes) == 1
    await one.close()
    await other.close()  # a session tells its figures when it ends
    report = await check(ground.url, ground.start)
    assert report.deadlocks == 1
