"""Workers are what evidence shows of them: claims and heartbeats, never a guess."""

from __future__ import annotations

from datetime import timedelta

from switchboard.core.identity import Human
from switchboard.service.read_budget import whole_read
from switchboard.store.worker_sightings import MOST_REMEMBERED, WorkerSightings
from switchboard_wire.worker import Complete, Heartbeat, Release
from switchboard_wire.workers import Workers
from tests.support.clock import Clock
from tests.support.scenario import World


async def workers(world: World, human: Human) -> Workers:
    async with whole_read(world.service.reads.limits) as deadline:
        return await world.service.workers.workers(human, deadline)


def told(read: Workers) -> list[tuple[str, str, str, int]]:
    return [(one.endpoint, one.name, one.state.value, one.in_flight) for one in read.workers]


async def test_a_worker_lives_as_far_as_its_lease_and_a_minute_after_it_was_last_seen(
    world: World, clock: Clock
) -> None:
    endpoint = await world.endpoint("e", "q")
    assert (await workers(world, endpoint.owner)).workers == ()
    (todo_id,) = await world.enqueue_many(endpoint, "q", 1)
    await world.claim(endpoint, todo_id, worker="w", lease_seconds=120)
    claimed_at = clock.now
    (seen,) = (await workers(world, endpoint.owner)).workers  # before anything is noted: the claim itself tells
    assert (seen.state, seen.last_seen_at, seen.in_flight) == ("live", claimed_at, 1)
    assert seen.lease_expires_at == claimed_at + timedelta(seconds=120)
    await clock.advance(seconds=119)
    assert told(await workers(world, endpoint.owner)) == [("e", "w", "live", 1)]
    await clock.advance(seconds=1)
    assert told(await workers(world, endpoint.owner)) == [("e", "w", "silent", 1)]  # lapsed, not reaped
    await world.service.drain.heartbeat(endpoint.caller, Heartbeat(todo_id=todo_id, lease_seconds=10))
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=todo_id))
    await world.sweep()
    assert told(await workers(world, endpoint.owner)) == [("e", "w", "live", 0)]
    await clock.advance(seconds=60)
    (seen,) = (await workers(world, endpoint.owner)).workers
    assert (seen.state, seen.lease_expires_at, seen.last_seen_at) == (
        "silent",
        None,
        claimed_at + timedelta(seconds=120),
    )
    await clock.advance(days=7)
    await world.sweep()
    assert (await workers(world, endpoint.owner)).workers == ()


async def test_claims_without_a_name_are_no_workers_and_one_by_hand_shows_only_while_it_is_held(
    world: World, clock: Clock
) -> None:
    endpoint = await world.endpoint("e", "q")
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, first)
    await world.service.operator_todos.claim(endpoint.owner, second)
    assert told(await workers(world, endpoint.owner)) == [("e", "operator ada", "live", 1)]
    await world.service.drain.release(endpoint.caller, Release(todo_id=second))
    await world.sweep()
    assert (await workers(world, endpoint.owner)).workers == ()


async def test_an_older_sighting_by_another_server_changes_nothing(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    early, late = WorkerSightings(), WorkerSightings()
    early.saw(endpoint.caller.endpoint_id, "w", clock.now)
    late.saw(endpoint.caller.endpoint_id, "w", clock.now + timedelta(seconds=9))
    await late.note(world.database)
    await early.note(world.database)
    row = await world.sql.fetchrow("select first_seen_at, last_seen_at from switchboard.workers")
    assert tuple(row) == (clock.now + timedelta(seconds=9), clock.now + timedelta(seconds=9))


async def test_only_so_many_are_remembered_and_the_first_go(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    sightings = WorkerSightings()
    for number in range(MOST_REMEMBERED + 1):
        sightings.saw(endpoint.caller.endpoint_id, f"w{number:05}", clock.now)
    await sightings.note(world.database)
    row = await world.sql.fetchrow("select count(*), min(name) from switchboard.workers")
    assert tuple(row) == (MOST_REMEMBERED, "w00001")


async def test_each_sees_the_workers_of_their_endpoints_and_an_operator_all(world: World, clock: Clock) -> None:
    for slug, owner in (("a", "ada"), ("b", "bob")):
        endpoint = await world.endpoint(slug, "q", owner=owner)
        await world.claim(endpoint, await world.enqueue(endpoint, "q"), worker="w")
    seen = {name: told(await workers(world, await world.human(name))) for name in ("ada", "bob", "eve")}
    assert seen == {"ada": [("a", "w", "live", 1)], "bob": [("b", "w", "live", 1)], "eve": []}
    root = await world.human("root", operator=True)
    assert [one[0] for one in told(await workers(world, root))] == ["a", "b"]
