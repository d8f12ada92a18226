"""What is known of the work: exact below a cap, null where attempts are not kept, and only what one may see."""

from __future__ import annotations

from datetime import timedelta

import pytest

from switchboard.core.identity import Human
from switchboard.service.read_budget import whole_read
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.statistics import Kinds, Series, SeriesParameters, Statistics, Storage
from switchboard_wire.worker import Complete, Fail
from tests.support.clock import Clock
from tests.support.scenario import World


async def stats(world: World, human: Human) -> Statistics:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.statistics.statistics(human, deadline)


async def series(world: World, human: Human, minutes: int) -> Series:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.statistics.series(human, SeriesParameters(minutes), deadline)


async def kinds(world: World, human: Human) -> Kinds:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.statistics.kinds(human, deadline)


async def storage(world: World, human: Human) -> Storage:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.statistics.storage(human, deadline)


def counts(read: Statistics) -> dict[str, int]:
    return {one.state.value: one.count for one in read.states if one.count}


async def test_an_empty_install_knows_no_throughput_and_counts_nothing(world: World, clock: Clock) -> None:
    ada = await world.human("ada")
    read = await stats(world, ada)
    assert [(one.state.value, one.count, one.capped) for one in read.states] == [
        (state, 0, False) for state in ("scheduled", "pending", "claimed", "done", "failed", "dead", "canceled")
    ]
    assert read.oldest_waiting_at is None
    assert (read.last_hour.claimed, read.last_hour.completed, read.last_hour.failed) == (None, None, None)
    assert (await kinds(world, ada)) == Kinds((), False)
    (minute,) = (await series(world, ada, 1)).minutes
    assert (minute.claimed, minute.completed, minute.waited_p50_ms) == (None, None, None)


async def test_states_throughput_and_waiting_are_of_what_happened(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    created = clock.now
    ids = [await world.enqueue(endpoint, "q", kind="a" if number < 3 else "b") for number in range(4)]
    await clock.advance(seconds=30)
    for todo_id in ids[:3]:
        await world.claim(endpoint, todo_id)
    await clock.advance(minutes=2)
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=ids[0]))
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=ids[1], retry=False))
    read = await stats(world, endpoint.owner)
    assert counts(read) == {"pending": 1, "claimed": 1, "done": 1, "dead": 1}
    assert read.oldest_waiting_at == created
    hour = read.last_hour
    assert (hour.claimed, hour.completed, hour.failed, hour.lapsed) == (3, 1, 1, 0)
    minutes = (await series(world, endpoint.owner, 3)).minutes
    assert [(one.started_at, one.claimed, one.completed, one.failed) for one in minutes] == [
        (created.replace(second=0), 3, 0, 0),
        (created.replace(second=0) + timedelta(minutes=1), 0, 0, 0),
        (created.replace(second=0) + timedelta(minutes=2), 0, 1, 1),
    ]
    assert [(one.waited_p50_ms, one.waited_p95_ms) for one in minutes] == [(30_000, 30_000), (None, None), (None, None)]
    assert [(one.kind, one.count) for one in (await kinds(world, endpoint.owner)).kinds] == [("a", 3), ("b", 1)]
    await clock.advance(hours=2)
    hour = (await stats(world, endpoint.owner)).last_hour
    assert (hour.claimed, hour.completed) == (0, 0)


async def test_attempts_that_retention_took_make_their_time_unknown_and_not_zero(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, first)
    await clock.advance(minutes=2)
    await world.claim(endpoint, second)
    await world.sql.execute("delete from switchboard.attempts where todo_id = $1", first)
    await world.sql.execute("delete from switchboard.todos where id = $1", first)
    assert (await stats(world, endpoint.owner)).last_hour.claimed is None
    assert [one.claimed for one in (await series(world, endpoint.owner, 3)).minutes] == [None, None, 1]


async def test_a_state_is_counted_up_to_the_cap(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.enqueue_many(endpoint, "q", 10_001)
    pending = next(one for one in (await stats(world, endpoint.owner)).states if one.state == "pending")
    assert (pending.count, pending.capped) == (10_000, True)


async def test_each_sees_what_is_theirs_and_an_operator_all(world: World, clock: Clock) -> None:
    mine = await world.endpoint("mine", "q", owner="ada")
    theirs = await world.endpoint("theirs", "q", owner="bob")
    await world.enqueue(mine, "q", kind="mine")
    await world.enqueue(theirs, "q", kind="theirs")
    nobody, root = await world.human("nobody"), await world.human("root", operator=True)
    for human, seen in ((mine.owner, ["mine"]), (theirs.owner, ["theirs"]), (nobody, []), (root, ["mine", "theirs"])):
        assert [one.kind for one in (await kinds(world, human)).kinds] == seen
        assert counts(await stats(world, human)).get("pending", 0) == len(seen)


async def test_storage_is_for_instance_operators_and_tells_what_postgresql_knows(world: World) -> None:
    with pytest.raises(SwitchboardError) as refusal:
        await storage(world, await world.human("ada"))
    assert refusal.value.code.value == "forbidden"
    read = await storage(world, await world.human("root", operator=True))
    assert read.server_version.split(".")[0] in ("17", "18")
    assert read.database_bytes > 1_000_000
    assert 0 < read.connections < read.max_connections
    tables = {table.table: table for table in read.tables}
    assert {"todos", "attempts", "policies", "usage"} <= set(tables)
    assert tables["todos"].rows_estimated is None  # never analyzed
    assert tables["todos"].last_analyze_at is None
    await world.sql.execute("analyze switchboard.todos")
    again = await storage(world, await world.human("root", operator=True))
    assert next(table for table in again.tables if table.table == "todos").rows_estimated == 0
