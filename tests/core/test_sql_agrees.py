"""Rules that stand in SQL and in Python are one rule each."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.core.admission import refusal
from switchboard.core.retry import backoff
from switchboard_wire.worker import Fail
from tests.support.clock import Clock
from tests.support.databases import Databases
from tests.support.scenario import World

LIMITS = st.none() | st.integers(0, 5) | st.sampled_from([10_000, 1_000_000])
COUNTS = st.integers(0, 6) | st.sampled_from([9_999, 10_000, 999_999, 1_000_000, 2**31 - 1])
CASES = st.tuples(LIMITS, LIMITS, COUNTS, st.none() | COUNTS)


@pytest.fixture(scope="module")
async def connection(databases: Databases) -> AsyncIterator[asyncpg.Connection]:
    async with databases.fresh() as url:
        connection = await asyncpg.connect(url)
        yield connection
        await connection.close()


@settings(max_examples=50)
@given(cases=st.lists(CASES, min_size=20, max_size=60))
async def test_sql_and_python_refuse_for_the_same_reason(
    connection: asyncpg.Connection, cases: list[tuple[int | None, int | None, int, int | None]]
) -> None:
    rows = await connection.fetch(
        "select switchboard.admission_refusal(a, b, c, d) as reason"
        " from unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[])"
        " with ordinality as u (a, b, c, d, n) order by n",
        *zip(*cases, strict=True),
    )
    expected = [
        refusal(max_in_flight=one[0], max_claims_per_window=one[1], in_flight=one[2], used=one[3]) for one in cases
    ]
    assert [row["reason"] for row in rows] == expected


async def test_end_claim_writes_the_backoff_of_each_attempt(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    todo_id = await world.enqueue(endpoint, "q", max_attempts=11)
    waits = []
    for attempt in range(1, 11):
        claimed = await world.claim(endpoint, todo_id)
        assert claimed.todo.attempt == attempt
        failed = await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, error="no"))
        assert failed.todo.next_retry_at == clock.now + backoff(attempt)
        waits.append((failed.todo.next_retry_at - clock.now).total_seconds())
        await clock.set(failed.todo.next_retry_at)
    assert waits == [30, 60, 120, 240, 480, 900, 900, 900, 900, 900]
