"""Due schedules make their todos: exactly one a scheduled instant, in any number of servers at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from switchboard.service import schedule_firing
from switchboard.service.schedule_firing import ScheduleFiring
from tests.support.clock import Clock, instant
from tests.support.scenario import Endpoint, World


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q")


async def schedule(world: World, endpoint: Endpoint, due: str, **columns: Any) -> int:
    values = {"name": "s", "cron": "0 * * * *", "tz": "UTC", "missed": "skip", "paused": False} | columns
    return int(
        await world.sql.fetchval(
            "insert into switchboard.schedules (queue_id, kind, title, source, next_fire_at, created_by_human_id, "
            "created_at, updated_at, name, cron, tz, missed, paused) "
            "values ($1, 'k', 'Nightly', 'schedule', $2, $3, $2, $2, $4, $5, $6, $7, $8) returning id",
            endpoint.queue_id("q"),
            instant(due),
            endpoint.owner.id,
            *values.values(),
        )
    )


async def row(world: World, schedule_id: int) -> Any:
    return await world.sql.fetchrow("select * from switchboard.schedules where id = $1", schedule_id)


async def todos(world: World) -> int:
    return int(await world.sql.fetchval("select count(*) from switchboard.todos"))


async def test_a_due_schedule_makes_its_todo_and_moves_on(world: World, endpoint: Endpoint, clock: Clock) -> None:
    one = await schedule(world, endpoint, "2026-09-22T18:00:00")
    await clock.set("2026-09-22T17:59:59.999999")
    await ScheduleFiring(world.database).run_once()
    assert await todos(world) == 0
    await clock.set("2026-09-22T18:00:00")
    await ScheduleFiring(world.database).run_once()
    await ScheduleFiring(world.database).run_once()
    assert await todos(world) == 1
    after = await row(world, one)
    assert after["last_fired_at"] == instant("2026-09-22T18:00:00")
    assert after["next_fire_at"] == instant("2026-09-22T19:00:00")


@pytest.mark.parametrize(
    ("missed", "now", "made"),
    [
        ("skip", "2026-09-22T21:01:00", 1),
        ("skip", "2026-09-22T21:01:00.000001", 0),
        ("fire_once", "2026-09-22T21:30:00", 1),
    ],
)
async def test_missed_fires_make_one_todo_at_most(
    world: World, endpoint: Endpoint, clock: Clock, missed: str, now: str, made: int
) -> None:
    one = await schedule(world, endpoint, "2026-09-22T18:00:00", missed=missed)
    await clock.set(now)
    await ScheduleFiring(world.database).run_once()
    assert await todos(world) == made
    after = await row(world, one)
    assert after["last_fired_at"] == (instant("2026-09-22T21:00:00") if made else None)
    assert after["next_fire_at"] == instant("2026-09-22T22:00:00")


async def test_two_servers_fire_fifty_due_schedules_once_each(world: World, endpoint: Endpoint, clock: Clock) -> None:
    for number in range(50):
        await schedule(world, endpoint, "2026-09-22T18:00:00", name=f"s{number}")
    await clock.set("2026-09-22T18:00:01")
    await asyncio.gather(*(ScheduleFiring(world.database).run_once() for _ in range(2)))
    assert await todos(world) == 50
    assert await world.sql.fetchval("select count(distinct schedule_id) from switchboard.schedule_fires") == 50


async def test_a_crash_before_the_commit_fires_once_later(
    world: World, endpoint: Endpoint, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await schedule(world, endpoint, "2026-09-22T18:00:00")
    await clock.set("2026-09-22T18:00:00")
    fire = schedule_firing._fire

    async def crash(connection: Any, due: Any) -> None:
        await fire(connection, due)
        raise RuntimeError("the process ends here")

    with monkeypatch.context() as patched:
        patched.setattr(schedule_firing, "_fire", crash)
        with pytest.raises(RuntimeError):
            await ScheduleFiring(world.database).run_once()
    assert await todos(world) == 0
    await ScheduleFiring(world.database).run_once()
    await ScheduleFiring(world.database).run_once()
    assert await todos(world) == 1


@pytest.mark.parametrize("broken", [{"tz": "Mars/Olympus"}, {"cron": "never"}])
async def test_a_broken_row_is_set_aside_and_stops_no_other(
    world: World, endpoint: Endpoint, clock: Clock, broken: dict[str, str]
) -> None:
    bad = await schedule(world, endpoint, "2026-09-22T17:30:00", name="bad", **broken)
    await schedule(world, endpoint, "2026-09-22T18:00:00")
    await clock.set("2026-09-22T18:00:00")
    assert await ScheduleFiring(world.database).run_once() is False
    assert await todos(world) == 1
    assert (await row(world, bad))["fault"]


async def test_a_paused_schedule_does_not_fire(world: World, endpoint: Endpoint, clock: Clock) -> None:
    await schedule(world, endpoint, "2026-09-22T18:00:00", paused=True)
    await clock.set("2026-09-22T18:00:00")
    await ScheduleFiring(world.database).run_once()
    assert await todos(world) == 0


async def test_deletion_leaves_the_todos(world: World, endpoint: Endpoint, clock: Clock) -> None:
    await schedule(world, endpoint, "2026-09-22T18:00:00")
    await clock.set("2026-09-22T18:00:00")
    await ScheduleFiring(world.database).run_once()
    await world.sql.execute("delete from switchboard.schedules")
    assert await todos(world) == 1


async def test_a_todo_that_cannot_be_made_sets_its_schedule_aside_and_holds_no_other_up(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    bad = await schedule(world, endpoint, "2026-09-22T18:00:00", name="bad")
    good = await schedule(world, endpoint, "2026-09-22T18:00:00", name="good")
    await world.sql.execute("update switchboard.schedules set title = 'refused' where id = $1", bad)
    await world.sql.execute("alter table switchboard.todos add constraint wanted check (title <> 'refused')")
    await clock.set("2026-09-22T18:00:01")
    await ScheduleFiring(world.database).run_once()
    assert await todos(world) == 1
    assert (await row(world, bad))["fault"].startswith("The todo could not be made: ")
    assert (await row(world, good))["fault"] is None
    await ScheduleFiring(world.database).run_once()
    assert await todos(world) == 1


async def test_a_team_queue_that_no_endpoint_drains_says_so(world: World, clock: Clock) -> None:
    (one,) = await world.team_endpoints("crew", "pool", "e1")
    queue_id = one.queue_id("pool")
    schedule_id = await world.sql.fetchval(
        "insert into switchboard.schedules (queue_id, kind, title, source, next_fire_at, created_by_human_id,"
        " created_at, updated_at, name, cron, tz, missed, paused)"
        " values ($1, 'k', 't', 's', $2, $3, $2, $2, 'n', '0 * * * *', 'UTC', 'skip', false) returning id",
        queue_id,
        instant("2026-09-22T18:00:00"),
        one.owner.id,
    )
    await world.sql.execute("delete from switchboard.endpoint_queues where queue_id = $1", queue_id)
    await clock.set("2026-09-22T18:00:00")
    await ScheduleFiring(world.database).run_once()
    assert (await row(world, schedule_id))["fault"] == "No endpoint drains this queue any more."
    assert await todos(world) == 0


async def test_old_fires_are_forgotten_but_for_the_latest(world: World, endpoint: Endpoint, clock: Clock) -> None:
    one = await schedule(world, endpoint, "2026-09-22T18:00:00")
    for hour in ("18", "19"):
        await clock.set(f"2026-09-22T{hour}:00:00")
        await ScheduleFiring(world.database).run_once()
    await clock.advance(days=40)
    await ScheduleFiring(world.database).forget_fires()
    rows = await world.sql.fetch("select scheduled_at from switchboard.schedule_fires where schedule_id = $1", one)
    assert [fire["scheduled_at"] for fire in rows] == [instant("2026-09-22T19:00:00")]
