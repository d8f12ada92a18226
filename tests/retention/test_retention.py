"""Finished todos go after 30 days or beyond the number kept; nothing else ever goes."""

from __future__ import annotations

from datetime import timedelta

import asyncpg
import pytest

from switchboard.service.retention import Retention
from switchboard.service.services import Services
from switchboard.store.database import Database
from tests.support.people import caller, enqueue, human

STATES = ("scheduled", "pending", "claimed", "failed", "done", "dead", "canceled")


async def _all(retention: Retention) -> None:
    while await retention.run_once():
        pass


async def test_only_done_dead_and_canceled_todos_older_than_30_days_go_with_their_attempts(
    service: Services, database: Database, database_url: str
) -> None:
    endpoint = await caller(service, await human(service, "ada"), "e", "q")
    ids = await enqueue(service, endpoint, "q", 2 * len(STATES))
    connection = await asyncpg.connect(database_url)
    for todo_id, state, days in zip(ids, STATES * 2, [31] * len(STATES) + [29] * len(STATES), strict=True):
        await connection.execute(
            "update switchboard.todos set state = $2, created_at = now() - $3::interval, "
            "finished_at = now() - $3::interval where id = $1",
            todo_id,
            state,
            timedelta(days=days),
        )
        await connection.execute(
            "insert into switchboard.attempts (queue_id, todo_id, seq, claimant_id, claimed_at) "
            "values ($1, $2, 1, $3, now())",
            endpoint.queues["q"].id,
            todo_id,
            endpoint.endpoint_id,
        )

    await _all(Retention(database))

    left = [row["id"] for row in await connection.fetch("select id from switchboard.todos order by id")]
    attempts = [row["todo_id"] for row in await connection.fetch("select todo_id from switchboard.attempts order by 1")]
    await connection.close()
    assert left == ids[:4] + ids[7:]
    assert attempts == left


@pytest.mark.parametrize("kept", [0, 3])
async def test_beyond_the_number_kept_the_oldest_finished_go(
    service: Services, database: Database, database_url: str, kept: int
) -> None:
    endpoint = await caller(service, await human(service, "ada"), "e", "q")
    ids = await enqueue(service, endpoint, "q", 6)
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "update switchboard.todos set state = 'done', finished_at = now() where id = any ($1)", ids[1:]
    )

    await _all(Retention(database, keep_count=kept))

    left = [row["id"] for row in await connection.fetch("select id from switchboard.todos order by id")]
    await connection.close()
    assert left == [ids[0], *(ids[-kept:] if kept else [])]


async def test_usage_is_kept_35_days(service: Services, database: Database, database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    for days in (34, 36):
        await connection.execute(
            "insert into switchboard.usage values (1, 'day UTC 00:00', now() - $1::interval, 5)", timedelta(days=days)
        )

    await _all(Retention(database))

    left = await connection.fetchval("select count(*) from switchboard.usage")
    await connection.close()
    assert left == 1
