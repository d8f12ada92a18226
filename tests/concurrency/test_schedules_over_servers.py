"""Schedules fire exactly once, however many servers are there for it."""

from __future__ import annotations

from tests.support.waiting import until

from .conftest import Fleet

SCHEDULES = 50


async def test_fifty_due_schedules_make_fifty_todos_over_two_servers(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    sql = pair.world.sql
    async with sql.transaction():
        await sql.execute(
            "insert into switchboard.schedules (queue_id, kind, title, source, next_fire_at, created_by_human_id,"
            " created_at, updated_at, name, cron, tz, missed, paused)"
            " select $1, 'k', 't', 's', date_trunc('minute', now()), $2, now(), now(), 'n' || n, '* * * * *', 'UTC',"
            " 'fire_once', false from generate_series(1, $3::integer) n",
            endpoint.queue_id("q"),
            endpoint.owner.id,
            SCHEDULES,
        )
    await until(sql, "select not exists (select from switchboard.schedules where next_fire_at <= switchboard.clock())")
    doubled = await sql.fetchval(
        "select count(*) from (select f.schedule_id, f.scheduled_at from switchboard.schedule_fires f"
        " group by 1, 2 having count(*) > 1) d"
    )
    fires, todos = [
        await sql.fetchval(f"select count(*) from switchboard.{table} where queue_id = $1", endpoint.queue_id("q"))
        for table in ("schedule_fires", "todos")
    ]
    assert doubled == 0
    assert fires == todos
    assert todos in (SCHEDULES, 2 * SCHEDULES)  # twice where a minute ended meanwhile
    await sql.execute("delete from switchboard.schedules where queue_id = $1", endpoint.queue_id("q"))
