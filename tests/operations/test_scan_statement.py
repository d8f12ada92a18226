"""The scan's statement, stretch by stretch, freezes exactly the jobs that the filter means."""

from __future__ import annotations

import asyncpg
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.store.job_filter_compiler import compile_count, compile_scan
from switchboard_wire.job_filter import JobFilter
from tests.store.test_job_filter_compiler import KINDS, SECONDS, STATES, TAGS, Job, connection, jobs, matches

__all__ = ["connection", "jobs"]

FILTERS = st.builds(
    JobFilter,
    ids=st.none() | st.lists(st.integers(1, 90), min_size=1, unique=True).map(tuple),
    kind=st.none() | st.sampled_from(KINDS),
    states=st.none() | st.lists(st.sampled_from(STATES), min_size=1, unique=True).map(tuple),
    tags=st.none() | st.lists(st.sampled_from(TAGS), min_size=1, max_size=2, unique=True).map(tuple),
    created_at_gte=st.none() | SECONDS,
)
NEW_OPERATION = """
with ada as (
    insert into switchboard.humans (name) values ('ada') on conflict (name) do update set name = 'ada' returning id
)
insert into switchboard.operations (human_id, key, kind, filter, everything, through_id, created_at)
select id, gen_random_uuid()::text, 'retry', '{}', true, 0, now() from ada returning id
"""


@settings(max_examples=80)
@given(wanted=FILTERS, through_id=st.integers(0, 90), batch=st.integers(1, 100))
async def test_a_scan_freezes_what_the_filter_means_and_nothing_beyond_its_last_id(
    connection: asyncpg.Connection,
    jobs: list[Job],
    wanted: JobFilter,
    through_id: int,
    batch: int,
) -> None:
    operation_id = await connection.fetchval(NEW_OPERATION)
    after_id, stretches = 0, 0
    while after_id is not None:
        scan = compile_scan(
            wanted, [1, 2], operation_id=operation_id, after_id=after_id, through_id=through_id, batch=batch
        )
        after_id = await connection.fetchval(scan.sql, *scan.parameters)
        stretches += 1
    frozen = await connection.fetch(
        "select todo_id, queue_id from switchboard.operation_items where operation_id = $1 order by todo_id",
        operation_id,
    )
    expected = [job for job in jobs if job.queue_id != 3 and matches(job, wanted) and job.id <= through_id]
    assert [(row["todo_id"], row["queue_id"]) for row in frozen] == [(job.id, job.queue_id) for job in expected]
    assert stretches <= 84 // batch + 2


@settings(max_examples=80)
@given(wanted=FILTERS, cap=st.integers(1, 100))
async def test_a_preview_counts_the_same_jobs_up_to_one_beyond_the_cap(
    connection: asyncpg.Connection,
    jobs: list[Job],
    wanted: JobFilter,
    cap: int,
) -> None:
    count = compile_count(wanted, cap, [1, 2])
    expected = [job for job in jobs if job.queue_id != 3 and matches(job, wanted)]
    assert await connection.fetchval(count.sql, *count.parameters) == min(len(expected), cap + 1)
