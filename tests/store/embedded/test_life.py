"""Start, stop and start again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from switchboard.store.embedded import EmbeddedPostgres, EmbeddedPostgresError
from switchboard.store.embedded.binaries import Binaries

Make = Callable[..., EmbeddedPostgres]


async def value(url: str, query: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def test_the_first_start_makes_a_cluster_with_an_empty_database(embedded: Make, open_folder: Path) -> None:
    with embedded(fresh=True) as url:
        assert await value(url, "select current_user || '@' || current_database()") == "switchboard@switchboard"
        assert await value(url, "select count(*) from pg_tables where schemaname = 'public'") == 0
        assert await value(url, "show data_checksums") == "on"
        assert await value(url, "show server_encoding") == "UTF8"
        assert await value(url, "select datlocale from pg_database where datname = 'switchboard'") == "C.UTF-8"
        assert await value(url, "select upper('äß')") == "Äß"
    assert (open_folder / "data" / "postgres" / "PG_VERSION").is_file()
    assert not (open_folder / "data" / "postgres.new").exists()


async def test_the_second_start_finds_the_data_and_the_same_address(embedded: Make) -> None:
    with embedded() as first:
        await value(first, "create table kept as select 42 as answer")
    with embedded() as second:
        assert await value(second, "select answer from kept") == 42
    assert first == second


async def test_a_stop_is_clean_and_leaves_no_process(
    embedded: Make, open_folder: Path, server_pid: Callable[..., int | None]
) -> None:
    for _ in range(2):
        postgres = embedded()
        connection = await asyncpg.connect(postgres.start())
        await connection.execute("create table if not exists written (at timestamptz)")
        assert postgres.stop()  # with the connection open
        assert server_pid() is None
        connection.terminate()
    log = (open_folder / "data" / "postgres" / "log").read_text()
    assert log.count("database system is shut down") == 2
    assert "not properly shut down" not in log


async def test_starting_and_stopping_twice_does_nothing_the_second_time(embedded: Make) -> None:
    postgres = embedded()
    assert postgres.start() == postgres.start() == postgres.url
    assert postgres.stop()
    assert not postgres.stop()
    with pytest.raises(EmbeddedPostgresError, match="not started"):
        _ = postgres.url


async def test_it_can_be_used_from_an_event_loop(embedded: Make, server_pid: Callable[..., int | None]) -> None:
    async with embedded() as url:
        assert await value(url, "select 1") == 1
    assert server_pid() is None


async def test_a_cancelled_start_leaves_nothing_running(embedded: Make, server_pid: Callable[..., int | None]) -> None:
    postgres = embedded(fresh=True)
    starting = asyncio.ensure_future(postgres.__aenter__())
    done, _ = await asyncio.wait([starting], timeout=0)
    assert not done
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert server_pid() is None
    assert not postgres.stop()


async def test_settings_reach_the_server(embedded: Make) -> None:
    with embedded(settings={"default_transaction_isolation": "repeatable read", "jit": True}) as url:
        assert await value(url, "show default_transaction_isolation") == "repeatable read"
        assert await value(url, "show jit") == "on"
        assert await value(url, "show timezone") == "UTC"
        assert await value(url, "show autovacuum_vacuum_scale_factor") == "0.01"
        assert await value(url, "show max_connections") == "200"


@pytest.mark.parametrize("name", ["port", "listen_addresses", "Jit", "a=b", "jit "])
def test_a_setting_that_is_not_the_callers_is_refused(embedded: Make, name: str) -> None:
    with pytest.raises(EmbeddedPostgresError, match="no setting"):
        embedded(settings={name: "x"}).start()


def test_a_server_that_does_not_start_says_why(embedded: Make, server_pid: Callable[..., int | None]) -> None:
    with pytest.raises(EmbeddedPostgresError, match=r"did not start.*\n.*invalid value for parameter \"work_mem\""):
        embedded(settings={"work_mem": "much"}).start()
    assert server_pid() is None
    with embedded():
        pass


async def test_a_data_folder_may_have_any_name(embedded: Make, open_folder: Path) -> None:
    odd = open_folder / """it's a "$HOME" of `id` \\ ; ünder -D"""
    with embedded(odd) as url:
        assert await value(url, "select 1") == 1
    with embedded(odd) as url:
        assert await value(url, "select 2") == 2


def test_a_cluster_of_another_major_version_is_refused_in_one_sentence(embedded: Make, open_folder: Path) -> None:
    with embedded():
        pass
    (open_folder / "data" / "postgres" / "PG_VERSION").write_text("9\n")
    with pytest.raises(EmbeddedPostgresError, match=r"was made by PostgreSQL 9, and this .* pg_dump"):
        embedded().start()


def test_a_failed_initdb_says_why(embedded: Make, open_folder: Path) -> None:
    programs = open_folder / "broken" / "bin"
    programs.mkdir(parents=True)
    (programs.parent / "share").mkdir()
    (programs.parent / "share" / "postgres.bki").touch()
    for name, script in (
        ("postgres", "exit 0"),
        ("initdb", "test $1 = --version || { echo 'initdb: error: No space left on device' >&2; exit 1; }"),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    with pytest.raises(
        EmbeddedPostgresError, match=r"initdb failed.* is full\..*\n  initdb: error: No space left on device"
    ):
        embedded(fresh=True, installation=Binaries(programs.parent, "broken", 18)).start()
    with embedded():  # and is no obstacle to the next start
        pass


def test_files_in_the_clusters_place_are_not_overwritten(embedded: Make, open_folder: Path, account: object) -> None:
    cluster = open_folder / "data" / "postgres"
    cluster.mkdir(parents=True)
    account.give(cluster)  # type: ignore[attr-defined]
    (cluster / "thesis").write_text("years of work")
    with pytest.raises(EmbeddedPostgresError, match="in the way"):
        embedded().start()
    assert (cluster / "thesis").read_text() == "years of work"


def test_remove_deletes_everything_but_the_data_folder(embedded: Make, open_folder: Path) -> None:
    postgres = embedded()
    postgres.start()
    (open_folder / "data" / "other").touch()
    postgres.remove()
    assert [path.name for path in (open_folder / "data").iterdir()] == ["other"]
