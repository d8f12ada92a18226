"""A page of jobs reads little more than it shows: what is rare or absent is found by an index."""

from __future__ import annotations

from datetime import timedelta

import pytest

from switchboard.store.job_filter_compiler import compile_count, compile_listing
from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.todo import TodoState
from tests.support.clock import Clock
from tests.support.scenario import Endpoint, World

TODOS = 100_000
TODOS_READ = """
select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables
where schemaname = 'switchboard' and relname = 'todos'
"""


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    """`q` holds 100,000 todos, all done but one in a thousand, and five of them tagged `rare`."""
    made = await world.endpoint("e", "q", "empty")
    await world.enqueue_many(made, "q", TODOS)
    await world.sql.execute(
        "update switchboard.todos set created_at = created_at + id * interval '1 s',"
        " state = case when id % 1000 = 0 then 'dead' else 'done' end,"
        " tags = case when id % 20000 = 7 then '{rare}' when id % 10 = 0 then '{common}' else '{}' end::text[]"
    )
    await world.sql.execute("vacuum analyze switchboard.todos")
    return made


async def test_no_filter_makes_a_page_look_at_every_todo(world: World, endpoint: Endpoint, clock: Clock) -> None:
    day = clock.now + timedelta(hours=12)
    filters = {
        "none": JobFilter(),
        "done": JobFilter(states=(TodoState.DONE,)),
        "dead": JobFilter(states=(TodoState.DEAD,)),
        "canceled, of which there are none": JobFilter(states=(TodoState.CANCELED,)),
        "a rare tag": JobFilter(tags=("rare",)),
        "an absent tag": JobFilter(tags=("absent",)),
        "a common tag": JobFilter(tags=("common",)),
        "two tags that never meet": JobFilter(tags=("common", "rare")),
        "a minute": JobFilter(created_at_gte=day, created_at_lt=day + timedelta(minutes=1)),
        "ids": JobFilter(ids=tuple(range(1, 90_000, 90))),
    }
    both = [endpoint.queue_id("q"), endpoint.queue_id("empty")]
    reads = {}
    for name, job_filter in filters.items():
        for compiled in (compile_listing(job_filter, JobPage(limit=50), both), compile_count(job_filter, 10_000, both)):
            async with world.sql.transaction():
                await world.sql.execute("set local plan_cache_mode = force_custom_plan")
                before = await world.sql.fetchval(TODOS_READ)
                await world.sql.fetch(compiled.sql, *compiled.parameters)
                reads[name, compiled.sql[:12]] = await world.sql.fetchval(TODOS_READ) - before
    too_many = {name: read for name, read in reads.items() if read > 12_000}
    assert too_many == {}
