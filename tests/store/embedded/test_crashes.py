"""What a kill, a crash or a power loss leaves behind never wedges the next start."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from switchboard.store.embedded import EmbeddedPostgres, EmbeddedPostgresError
from switchboard.store.embedded.account import Account
from switchboard.store.embedded.postmaster import processes_in, running
from switchboard.store.embedded.waiting import until

Make = Callable[..., EmbeddedPostgres]
Pid = Callable[..., int | None]


async def value(url: str, query: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


@pytest.fixture
def sleeper(account: Account) -> Iterator[int]:
    """The pid of a process that is no PostgreSQL but belongs to the same user."""
    user = {"user": account.uid, "group": account.gid, "extra_groups": ()} if account.foreign else {}
    with subprocess.Popen(["sleep", "600"], cwd="/", **user) as process:  # type: ignore[call-overload]
        yield process.pid
        process.kill()


async def test_after_kill_9_of_its_owner_the_server_lives_on_and_the_next_start_attaches(
    keeper: Callable[..., Any], embedded: Make, server_pid: Pid
) -> None:
    owner = keeper()
    await value(owner.url, "create table kept as select 42 as answer")
    pid = server_pid()
    owner.end(signal.SIGKILL)
    assert server_pid() == pid
    postgres = embedded()
    assert postgres.start() == owner.url
    assert server_pid() == pid
    assert await value(postgres.url, "select answer from kept") == 42
    assert postgres.stop()
    assert server_pid() is None


async def test_after_kill_9_of_owner_and_server_the_next_start_recovers_the_data(
    keeper: Callable[..., Any], embedded: Make, crash: Callable[[], None]
) -> None:
    owner = keeper()
    await value(owner.url, "create table kept as select 42 as answer")
    owner.end(signal.SIGKILL)
    crash()
    with embedded() as url:
        assert await value(url, "select answer from kept") == 42


async def test_a_server_that_died_under_its_users_is_started_again_by_the_next(
    embedded: Make, crash: Callable[[], None], server_pid: Pid
) -> None:
    first, second = embedded(), embedded()
    address = first.start()
    crash()
    assert second.start() == address
    assert await value(first.url, "select 1") == 1
    assert not first.stop()
    assert second.stop()
    assert server_pid() is None


def test_a_stale_pid_file_whose_pid_is_somebody_else_now_is_no_obstacle(
    embedded: Make, open_folder: Path, account: Account, sleeper: int, crash: Callable[[], None], server_pid: Pid
) -> None:
    postgres = embedded()
    postgres.start()
    crash()
    postgres.stop()
    stale = open_folder / "data" / "postgres" / "postmaster.pid"
    lines = stale.read_text().splitlines()
    assert lines[7].strip() == "ready"
    stale.write_text("\n".join([str(sleeper), *lines[1:]]) + "\n")
    assert server_pid() is None
    with embedded():
        assert server_pid() not in (None, sleeper)
    os.kill(sleeper, 0)  # and nobody touched it


@pytest.mark.skipif(shutil.which("ps") is None, reason="there is no ps")
def test_without_proc_a_server_is_told_from_other_processes_by_ps(
    embedded: Make, open_folder: Path, sleeper: int, server_pid: Pid, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedded():
        monkeypatch.setattr("switchboard.store.embedded.postmaster._PROC", open_folder / "no proc")
        cluster = open_folder / "data" / "postgres"
        pid_file = cluster / "postmaster.pid"
        server = running(cluster)
        assert server
        assert server.ready
        kept = pid_file.read_text()
        pid_file.write_text(kept.replace(str(server.pid), str(sleeper), 1))
        assert server_pid() is None
        pid_file.write_text(kept)


@pytest.mark.parametrize("content", ["", "nonsense\n", "0\n", "1\n", "-5\n", "99999999999999\n"])
def test_a_pid_file_that_makes_no_sense_is_no_obstacle(embedded: Make, open_folder: Path, content: str) -> None:
    with embedded():
        pass
    (open_folder / "data" / "postgres" / "postmaster.pid").write_text(content)
    with embedded():
        pass


def test_a_kill_9_in_the_middle_of_initdb_is_no_obstacle(
    keeper: Callable[..., Any], embedded: Make, open_folder: Path
) -> None:
    owner = keeper()
    half = open_folder / "data" / "postgres.new" / "cluster"
    assert until((half / "PG_VERSION").exists, 20)
    owner.end(signal.SIGKILL)
    assert half.exists()
    assert not (open_folder / "data" / "postgres").exists()
    with embedded():
        assert not half.exists()
    assert not half.parent.exists()


async def test_a_half_made_cluster_is_made_anew(embedded: Make, open_folder: Path, account: Account) -> None:
    half = open_folder / "data" / "postgres.new"
    (half / "cluster" / "base").mkdir(parents=True)
    (half / "cluster" / "PG_VERSION").write_text("18\n")
    (half / "password").write_text("of the killed one")
    (open_folder / "data" / "postgres.password").write_text("of the killed one")
    with embedded() as url:
        assert await value(url, "select 1") == 1
    assert not half.exists()


async def test_what_a_killed_server_left_running_is_waited_for_and_named(
    embedded: Make, open_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = open_folder / "data" / "postgres"
    postgres = embedded()
    connection = await asyncpg.connect(postgres.start())
    orphan = await connection.fetchval("select pg_backend_pid()")
    server = running(cluster)
    assert server
    os.kill(orphan, signal.SIGSTOP)
    os.kill(server.pid, signal.SIGKILL)
    assert until(lambda: processes_in(cluster) == [orphan], 20)
    with pytest.raises(EmbeddedPostgresError, match=rf"what a killed PostgreSQL left running.*\(process {orphan}\)"):
        embedded(patience=0.1).start()
    assert "waiting for what a killed PostgreSQL left running" in caplog.text
    os.kill(orphan, signal.SIGCONT)
    with embedded() as url:
        assert await value(url, "select 1") == 1
    connection.terminate()


async def test_a_lost_password_file_is_renewed(embedded: Make, open_folder: Path) -> None:
    with embedded() as before:
        await value(before, "create table kept as select 42 as answer")
    (open_folder / "data" / "postgres.password").unlink()
    with embedded() as after:
        assert after != before
        assert await value(after, "select answer from kept") == 42


def test_a_lost_password_file_of_a_running_server_is_said(embedded: Make, open_folder: Path) -> None:
    with embedded():
        (open_folder / "data" / "postgres.password").unlink()
        with pytest.raises(EmbeddedPostgresError, match=r"postgres\.password is missing"):
            embedded().start()
