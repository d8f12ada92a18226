"""Migrations are applied once each, in order, by however many servers start at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from switchboard.store import migrations
from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.migrations import Migration, MigrationFailed, SchemaTooNew, known_migrations, migrate
from tests.support.databases import Databases


@pytest.fixture
async def empty_url(databases: Databases) -> AsyncIterator[str]:
    async with databases.empty() as url:
        yield url


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    database = Database(DatabaseSettings(url, claim_connections=1, read_connections=1))
    await database.open()
    try:
        yield database
    finally:
        await database.close()


async def applied(url: str) -> list[int]:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch("select number from switchboard.schema_migrations order by number")
        return [row["number"] for row in rows]
    finally:
        await connection.close()


def with_one_more(monkeypatch: pytest.MonkeyPatch, migration: Migration) -> None:
    known = [*known_migrations(), migration]
    monkeypatch.setattr(migrations, "known_migrations", lambda: known)


def test_no_two_migrations_have_one_number() -> None:
    numbers = [migration.number for migration in known_migrations()]
    assert numbers == sorted(set(numbers))


async def test_eight_servers_that_start_at_once_apply_each_migration_once(empty_url: str) -> None:
    async def one_server() -> list[int]:
        async with opened(empty_url) as database:
            return [migration.number for migration in await migrate(database, post=True)]

    done = await asyncio.gather(*(one_server() for _ in range(8)))
    everything = [migration.number for migration in known_migrations()]
    assert sorted(done) == [[]] * 7 + [everything]
    assert await applied(empty_url) == everything


async def test_applied_a_second_time_they_do_nothing(empty_url: str) -> None:
    async with opened(empty_url) as database:
        assert await migrate(database, post=True) == known_migrations()
        assert await migrate(database, post=True) == []
    assert await applied(empty_url) == [migration.number for migration in known_migrations()]


async def test_a_post_migration_waits_until_it_is_asked_for(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    post = Migration(9000, "post", "drop_what_old_servers_read", "create table switchboard.later (id bigint)")
    with_one_more(monkeypatch, post)
    async with opened(empty_url) as database:
        assert post not in await migrate(database, post=False)
        assert 9000 not in await applied(empty_url)
        assert await migrate(database, post=True) == [post]
    assert 9000 in await applied(empty_url)


async def test_a_migration_that_fails_leaves_the_database_as_it_was(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_one_more(
        monkeypatch, Migration(9000, "pre", "broken", "create table switchboard.half (id bigint); select 1/0")
    )
    async with opened(empty_url) as database:
        with pytest.raises(MigrationFailed, match="division by zero"):
            await migrate(database, post=False)
    connection = await asyncpg.connect(empty_url)
    assert await connection.fetchval("select count(*) from pg_namespace where nspname = 'switchboard'") == 0
    await connection.close()


async def test_a_newer_releases_post_migration_stops_this_one(database: Database, database_url: str) -> None:
    await record(database_url, "post")
    with pytest.raises(SchemaTooNew, match="9999_post_from_the_future"):
        await migrate(database, post=False)


async def test_a_newer_releases_pre_migration_is_harmless(database: Database, database_url: str) -> None:
    await record(database_url, "pre")
    assert await migrate(database, post=False) == []


async def record(url: str, phase: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(
        "insert into switchboard.schema_migrations (number, name, phase) values (9999, 'from_the_future', $1)", phase
    )
    await connection.close()
