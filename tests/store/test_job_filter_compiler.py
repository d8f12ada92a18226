"""A compiled filter finds exactly the jobs that the filter means, newest first, page by page (D27)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.store.job_filter_compiler import compile_listing
from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.todo import TodoState
from tests.support.databases import Databases

START = datetime(2026, 9, 22, tzinfo=UTC)
KINDS = ["build", "mail", "it's; drop table switchboard.todos --"]
TAGS = ["a", "b", "{a,b}", '"', "\\", "NULL", "ä"]
STATES = list(TodoState)


@dataclass(frozen=True)
class Job:
    id: int
    queue_id: int
    kind: str
    state: TodoState
    tags: tuple[str, ...]
    created_at: datetime


@pytest.fixture(scope="module")
async def connection(databases: Databases) -> AsyncIterator[asyncpg.Connection]:
    async with databases.fresh() as url:
        connection = await asyncpg.connect(url)
        yield connection
        await connection.close()


@pytest.fixture(scope="module")
async def jobs(connection: asyncpg.Connection) -> list[Job]:
    """84 jobs in three queues, of every kind and state, four at each instant."""
    made = []
    for number in range(84):
        kind, state = KINDS[number % 3], STATES[number % 7]
        tags = tuple(tag for place, tag in enumerate(TAGS) if number >> (place % 5) & 1)
        created_at = START + timedelta(seconds=number // 4)
        job_id = await connection.fetchval(
            "insert into switchboard.todos (queue_id, endpoint_id, kind, source, title, state, tags, created_at,"
            " updated_at) values ($1, 1, $2, '', '', $3, $4, $5, $5) returning id",
            number % 3 + 1,
            kind,
            state.value,
            tags,
            created_at,
        )
        made.append(Job(job_id, number % 3 + 1, kind, state, tags, created_at))
    return made


def matches(job: Job, wanted: JobFilter) -> bool:
    return (
        (wanted.ids is None or job.id in wanted.ids)
        and (wanted.kind is None or job.kind == wanted.kind)
        and (wanted.states is None or job.state in wanted.states)
        and (wanted.tags is None or set(wanted.tags) <= set(job.tags))
        and (wanted.created_at_gte is None or job.created_at >= wanted.created_at_gte)
        and (wanted.created_at_lt is None or job.created_at < wanted.created_at_lt)
    )


async def listed(connection: asyncpg.Connection, wanted: JobFilter, page: JobPage, queue_ids: list[int]) -> list[int]:
    listing = compile_listing(wanted, page, queue_ids)
    return [row["id"] for row in await connection.fetch(listing.sql, *listing.parameters)]


SECONDS = st.integers(-1, 22).map(lambda seconds: START + timedelta(seconds=seconds))


@settings(max_examples=150)
@given(
    wanted=st.builds(
        JobFilter,
        ids=st.none() | st.lists(st.integers(1, 90), min_size=1, unique=True).map(tuple),
        kind=st.none() | st.sampled_from([*KINDS, "none"]),
        states=st.none() | st.lists(st.sampled_from(STATES), min_size=1, unique=True).map(tuple),
        tags=st.none() | st.lists(st.sampled_from([*TAGS, "none"]), min_size=1, max_size=3, unique=True).map(tuple),
        created_at_gte=st.none() | SECONDS,
        created_at_lt=st.none() | SECONDS,
    ),
    before_id=st.none() | st.integers(1, 90),
    limit=st.integers(1, 100),
    queue_ids=st.lists(st.sampled_from([1, 2, 3, 4]), unique=True),
)
async def test_it_finds_what_the_filter_means(
    connection: asyncpg.Connection,
    jobs: list[Job],
    wanted: JobFilter,
    before_id: int | None,
    limit: int,
    queue_ids: list[int],
) -> None:
    expected = sorted(
        (
            job.id
            for job in jobs
            if job.queue_id in queue_ids and matches(job, wanted) and (before_id is None or job.id < before_id)
        ),
        reverse=True,
    )
    # one more than the page holds, which tells that there is a next page
    assert await listed(connection, wanted, JobPage(before_id, limit), queue_ids) == expected[: limit + 1]


@pytest.mark.parametrize("limit", [1, 3, 50, 84])
async def test_pages_cover_every_job_once_although_many_share_their_instant(
    connection: asyncpg.Connection, jobs: list[Job], limit: int
) -> None:
    seen: list[int] = []
    before_id: int | None = None
    while True:
        found = await listed(connection, JobFilter(), JobPage(before_id, limit), [1, 2, 3])
        seen += found[:limit]
        if len(found) <= limit:
            break
        before_id = seen[-1]
    assert seen == sorted((job.id for job in jobs), reverse=True)


def test_values_never_stand_in_the_statement() -> None:
    hostile: Any = "'; drop table switchboard.todos; --"
    listing = compile_listing(JobFilter(kind=hostile, queue=hostile, tags=(hostile,)), JobPage(), [1])
    assert hostile not in listing.sql
    assert listing.sql.count("$") == len(listing.parameters)
