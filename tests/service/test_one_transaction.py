"""REQ-13 and D37: a claim call is one transaction, its caller's own, and gives its connection back whatever ends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import asyncpg
import pytest

from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.admission import DeferralReason
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.worker import AskAdmissionStatus
from tests.support.scenario import DAY_UTC, Endpoint, World
from tests.support.waiting import holding, lock_waits, no_statements, patient_locks, within_bound

BUDGET = {"max_in_flight": 50, "max_claims_per_window": 50, "window": DAY_UTC}


async def writers(sql: asyncpg.Connection, endpoint: Endpoint, queue: str) -> list[tuple[str, str]]:
    """Which transaction wrote each claimed todo, each attempt and each charge of the queue, each kind once."""
    rows = await sql.fetch(
        "select distinct 'todo' as kind, xmin::text as writer from switchboard.todos"
        " where queue_id = $1 and state = 'claimed'"
        " union all select distinct 'attempt', xmin::text from switchboard.attempts where queue_id = $1"
        " union all select distinct 'charge', xmin::text from switchboard.usage where queue_id = $1",
        endpoint.queue_id(queue),
    )
    return [(row["kind"], row["writer"]) for row in rows]


async def refuse_attempts(sql: asyncpg.Connection, condition: str) -> None:
    """From here on the database takes no attempt that meets the condition."""
    await sql.execute(
        "create function public.refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'this attempt is not written'; end $$;"
        "create trigger refuse before insert on switchboard.attempts for each row"
        f" when ({condition}) execute function public.refuse()"
    )


async def test_a_batch_its_attempts_and_its_charge_are_written_by_one_transaction(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", **BUDGET)
    await world.enqueue_many(endpoint, "q", 7)
    assert len((await world.claim_next(endpoint, max=7)).todos) == 7
    written = await writers(world.sql, endpoint, "q")
    assert [kind for kind, _ in written] == ["todo", "attempt", "charge"]
    assert len({writer for _, writer in written}) == 1


async def test_a_batch_without_a_policy_is_written_by_one_transaction(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.enqueue_many(endpoint, "q", 7)
    assert len((await world.claim_next(endpoint, max=7)).todos) == 7
    written = await writers(world.sql, endpoint, "q")
    assert [kind for kind, _ in written] == ["todo", "attempt"]
    assert len({writer for _, writer in written}) == 1


async def test_a_batch_whose_last_todo_cannot_be_claimed_claims_and_charges_none(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", **BUDGET)
    ids = await world.enqueue_many(endpoint, "q", 3)
    await refuse_attempts(world.sql, f"new.todo_id = {ids[2]}")
    (deferred,) = (await world.claim_next(endpoint, max=3)).deferred
    assert (deferred.reason, deferred.pending) == (DeferralReason.ADMISSION_UNAVAILABLE, 3)
    assert await world.states(endpoint, "q") == {"pending": 3}
    assert (await world.used(endpoint, "q"), await world.committed_claims(endpoint, "q")) == (0, 0)
    assert [todo.id for todo in (await world.claim_next(endpoint, max=2)).todos] == ids[:2]
    assert await world.used(endpoint, "q") == 2


async def test_one_callers_failure_undoes_no_claim_of_anothers(world: World) -> None:
    good, bad = await world.team_endpoints("crew", "lane", "good", "bad")
    await world.set_policy(good, "lane", **BUDGET)
    await world.enqueue_many(good, "lane", 40)
    await refuse_attempts(world.sql, f"new.claimant_id = {bad.caller.endpoint_id}")
    processes = [world, world.another_process()]
    answers = await asyncio.gather(
        *(processes[turn % 2].claim_next(endpoint) for turn in range(10) for endpoint in (good, bad))
    )
    assert [len(answer.todos) for answer in answers[::2]] == [1] * 10
    assert [[one.reason for one in answer.deferred] for answer in answers[1::2]] == [["admission_unavailable"]] * 10
    assert await world.states(good, "lane") == {"claimed": 10, "pending": 30}
    assert await world.used(good, "lane") == await world.committed_claims(good, "lane") == 10
    claims = [writer for kind, writer in await writers(world.sql, good, "lane") if kind == "todo"]
    assert len(claims) == 10  # each call wrote in a transaction of its own


async def test_what_a_caller_writes_is_data_and_never_a_statement(world: World) -> None:
    hostile = "'; drop table switchboard.todos; -- $1 %s :id {0}"
    endpoint = await world.endpoint("e", hostile)
    await world.set_policy(endpoint, hostile, **BUDGET)
    todo_id = await world.enqueue(
        endpoint, hostile, kind=hostile, title=hostile, tags=(hostile,), payload=hostile, idempotency_key=hostile
    )
    (todo,) = (await world.claim_next(endpoint, worker=hostile, queues=(hostile,))).todos
    assert (todo.id, todo.queue, todo.kind, todo.title, todo.worker) == (todo_id, *[hostile] * 4)
    (status,) = (await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus(queue=hostile))).queues
    assert (status.queue, status.in_flight, status.used) == (hostile, 1, 1)
    assert await world.states(endpoint, hostile) == {"claimed": 1}


@pytest.fixture
async def single(database_url: str) -> AsyncIterator[Database]:
    """One connection for claims: one that is kept, or comes back with a transaction open, is missed at once."""
    opened = Database(DatabaseSettings(database_url, claim_connections=1, read_connections=1, acquire_timeout=5))
    await opened.open()
    yield opened
    await opened.close()


async def test_every_way_out_of_a_claim_gives_its_one_connection_back(
    single: Database, sql: asyncpg.Connection, database_url: str
) -> None:
    world = World(single, sql)
    await patient_locks(sql)
    mine, other = await world.endpoint("mine", "q", "paused", "broken"), await world.endpoint("other", "q")
    await world.set_policy(mine, "q", **BUDGET)
    await world.set_policy(mine, "paused", max_in_flight=0)
    await world.set_policy(mine, "broken", **BUDGET)
    await sql.execute(
        "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", mine.queue_id("broken")
    )
    paused, broken = await world.enqueue(mine, "paused"), await world.enqueue(mine, "broken")
    foreign = await world.enqueue(other, "q")
    held, first, second, unwritable = await world.enqueue_many(mine, "q", 4)
    await world.claim(mine, held)
    await refuse_attempts(sql, f"new.todo_id = {unwritable}")

    async def outcome(claim: Awaitable[Any]) -> str:
        try:
            await claim
        except SwitchboardError as refusal:
            return str(refusal.details.get("reason", refusal.code))
        return "answered"

    assert [
        await outcome(one)
        for one in (
            world.claim(mine, first),
            world.claim_next(other),
            world.claim_next(other),  # there is nothing more
            world.claim_next(mine, queues=("paused",)),
            world.claim(mine, 10_000),
            world.claim(mine, foreign),
            world.claim(mine, held),
            world.claim(mine, paused),
            world.claim(mine, broken),
            world.claim(mine, unwritable),
        )
    ] == [*["answered"] * 4, "not_found", "forbidden", "conflict", "paused", *["admission_unavailable"] * 2]

    policy = f"select from switchboard.policies where queue_id = {mine.queue_id('q')} for update"
    for _ in range(3):
        async with holding(database_url, policy):
            cancelled = asyncio.create_task(world.claim_next(mine, queues=("q",)))
            await lock_waits(sql, 1)
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await within_bound(cancelled)
            await no_statements(sql)
    async with single.session() as connection:
        assert not connection.is_in_transaction()
    assert (await within_bound(world.claim_next(mine, queues=("q",)))).todos[0].id == second
    assert await world.used(mine, "q") == await world.committed_claims(mine, "q") == 3
