"""Who gets in, and as whom it runs."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import asyncpg
import pytest

from switchboard.store.embedded import Binaries, EmbeddedPostgres, EmbeddedPostgresError
from switchboard.store.embedded.account import Account
from switchboard.store.embedded.binaries_copy import copied
from switchboard.store.embedded.home import new_home
from switchboard.store.embedded.system_folder import SYSTEM_FOLDER

Make = Callable[..., EmbeddedPostgres]
Pid = Callable[..., int | None]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs it as another user")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/net")


async def value(url: str, query: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def listeners(port: int) -> set[str]:
    """The local addresses, in the kernel's writing, that somebody listens on at `port`."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:] if Path(table).exists() else []:
            _, local, _, state = line.split()[:4]
            address, _, number = local.partition(":")
            if state == "0A" and int(number, 16) == port:
                found.add(address)
    return found


def test_the_password_is_for_its_owner_only_and_the_copy_for_initdb_is_gone(embedded: Make, open_folder: Path) -> None:
    with embedded() as url:
        password = (open_folder / "data" / "postgres.password").read_text().strip()
        assert f":{password}@" in url
        assert mode(open_folder / "data" / "postgres.password") == 0o600
        assert mode((open_folder / "data" / "postgres").resolve()) == 0o700
        holders = [
            path
            for path in open_folder.rglob("*")
            if path.is_file() and path.stat().st_size < 4096 and password.encode() in path.read_bytes()
        ]
        assert holders == [open_folder / "data" / "postgres.password"]


async def test_nobody_gets_in_without_the_password(embedded: Make) -> None:
    with embedded() as url:
        before, _, after = url.partition("switchboard:")
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(f"{before}switchboard:wrong@{after.partition('@')[2]}")


@on_linux
async def test_it_listens_on_loopback_only(embedded: Make, open_folder: Path) -> None:
    with embedded() as url:
        assert listeners(int((open_folder / "data" / "postgres.port").read_text())) == {"0100007F"}
        assert await value(url, "show unix_socket_directories") == ""


def test_our_environment_is_not_passed_on(
    embedded: Make, monkeypatch: pytest.MonkeyPatch, server_pid: Pid, account: Account
) -> None:
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGDATA", "/nowhere")
    monkeypatch.setenv("SOME_SECRET", "told to nobody")
    with embedded():
        if Path("/proc/self/environ").exists():
            assert b"told to nobody" not in Path(f"/proc/{server_pid()}/environ").read_bytes()


@as_root
def test_root_runs_it_as_an_unprivileged_user(
    embedded: Make, open_folder: Path, account: Account, server_pid: Pid
) -> None:
    with embedded():
        pid = server_pid()
        status = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
        )
        assert status["Uid"].split() == [str(account.uid)] * 4
        assert status["Gid"].split() == [str(account.gid)] * 4
        assert status["Groups"].split() == []
        assert account.uid != 0
        assert not (open_folder / "data" / "postgres").is_symlink()
        assert not (open_folder / "system").exists()


@as_root
def test_without_a_user_for_databases_root_runs_it_as_nobody(
    embedded: Make, monkeypatch: pytest.MonkeyPatch, server_pid: Pid
) -> None:
    monkeypatch.setattr("switchboard.store.embedded.account._CANDIDATES", ("no such user", "nobody"))
    with embedded(fresh=True):
        assert os.stat(f"/proc/{server_pid()}").st_uid == pwd.getpwnam("nobody").pw_uid


@as_root
def test_without_any_unprivileged_user_root_is_told_what_to_do(embedded: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("switchboard.store.embedded.account._CANDIDATES", ("no such user",))
    with pytest.raises(EmbeddedPostgresError, match="refuses to run as root"):
        embedded(fresh=True).start()


@as_root
async def test_root_in_a_folder_that_others_cannot_enter_keeps_it_elsewhere(
    embedded: Make, open_folder: Path, private_folder: Path, account: Account
) -> None:
    data = private_folder / "data"
    before = [(mode(path), path.stat().st_uid) for path in (private_folder, open_folder)]
    postgres = embedded(data)
    await value(postgres.start(), "create table kept as select 42 as answer")
    cluster = (data / "postgres").resolve()
    assert cluster.parent.parent == open_folder / "system"
    assert cluster.stat().st_uid == account.uid
    assert mode(cluster.parent / "postgres.password") == 0o600
    assert [path.name for path in data.iterdir()] == ["postgres"]
    postgres.stop()
    async with embedded(data) as url:
        assert await value(url, "select answer from kept") == 42
    assert [(mode(path), path.stat().st_uid) for path in (private_folder, open_folder)] == before
    assert mode(data) == 0o755 & ~_umask()


@as_root
def test_starters_at_once_in_a_folder_that_others_cannot_enter_get_one_server(
    embedded: Make, open_folder: Path, private_folder: Path
) -> None:
    several = [embedded(private_folder / "data") for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(EmbeddedPostgres.start, several))) == 1
        list(threads.map(EmbeddedPostgres.stop, several))
    assert len(list((open_folder / "system").iterdir())) == 1


@as_root
def test_starters_who_come_late_take_no_folder_from_each_other(
    open_folder: Path, private_folder: Path, account: Account
) -> None:
    data, system = private_folder / "data", open_folder / "system"
    data.mkdir()
    first = new_home(data, system, account)
    (first.folder / "postgres").mkdir()
    at_once = Barrier(4)

    def late(_: int) -> list[Path]:
        found = []
        try:
            for _round in range(100):
                at_once.wait(30)
                found.append(new_home(data, system, account).folder)
        except BaseException:
            at_once.abort()  # nobody waits for who has failed
            raise
        return found

    with ThreadPoolExecutor(4) as threads:
        assert {folder for found in threads.map(late, range(4)) for folder in found} == {first.folder}
    assert list(system.iterdir()) == [first.folder]


@as_root
async def test_a_moved_data_folder_keeps_its_database(embedded: Make, private_folder: Path) -> None:
    async with embedded(private_folder / "old") as url:
        await value(url, "create table kept as select 42 as answer")
    (private_folder / "old").rename(private_folder / "new")
    async with embedded(private_folder / "new") as url:
        assert await value(url, "select answer from kept") == 42
    async with embedded(private_folder / "old") as url:
        assert await value(url, "select to_regclass('kept')") is None


@as_root
async def test_a_copied_data_folder_shares_the_server_of_the_first(
    embedded: Make, private_folder: Path, server_pid: Pid
) -> None:
    first = embedded(private_folder / "one")
    first.start()
    shutil.copytree(private_folder / "one", private_folder / "two", symlinks=True)
    second = embedded(private_folder / "two")
    assert second.start() == first.url
    assert not first.stop()
    assert server_pid(private_folder / "two")
    assert second.stop()


@as_root
def test_a_deleted_data_folder_starts_empty_and_the_old_database_is_kept(
    embedded: Make, open_folder: Path, private_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with embedded(private_folder / "data"):
        old = (private_folder / "data" / "postgres").resolve()
    shutil.rmtree(private_folder / "data")
    with embedded(private_folder / "data"):
        assert (private_folder / "data" / "postgres").resolve() != old
    assert (old / "PG_VERSION").is_file()
    assert f"{old.parent} holds the database of an earlier" in caplog.text


@as_root
def test_a_lost_database_is_not_replaced_by_an_empty_one(embedded: Make, private_folder: Path) -> None:
    with embedded(private_folder / "data"):
        cluster = (private_folder / "data" / "postgres").resolve()
    shutil.rmtree(cluster.parent)
    with pytest.raises(EmbeddedPostgresError, match="which is gone"):
        embedded(private_folder / "data").start()


@as_root
def test_remove_takes_what_is_kept_elsewhere_with_it(embedded: Make, open_folder: Path, private_folder: Path) -> None:
    postgres = embedded(private_folder / "data")
    postgres.start()
    postgres.remove()
    assert list((open_folder / "system").iterdir()) == []
    assert list((private_folder / "data").iterdir()) == []


@as_root
async def test_programs_that_others_cannot_reach_are_copied_once_and_whole(
    embedded: Make, open_folder: Path, private_folder: Path, installation: Binaries, account: Account
) -> None:
    hidden = _hide(installation, private_folder)
    assert not hidden.usable_by(account)
    unfinished = open_folder / "system" / "binaries.new"
    unfinished.mkdir(parents=True)  # of a copy that was killed
    several = [embedded(open_folder / f"data{number}", installation=hidden) for number in range(3)]
    with ThreadPoolExecutor(3) as threads:
        for url in threads.map(EmbeddedPostgres.start, several):
            assert await value(url, "select 1") == 1
    copies = {path.name for path in (open_folder / "system").iterdir()}
    assert copies == {f"binaries-{installation.label}", "binaries.lock"}
    assert copied(hidden, open_folder / "system").usable_by(account)
    assert mode(private_folder) == 0o700


@as_root
def test_a_cluster_that_root_owns_is_refused_in_one_sentence(embedded: Make, open_folder: Path) -> None:
    with embedded():
        pass
    os.chown(open_folder / "data" / "postgres", 0, 0)
    with pytest.raises(EmbeddedPostgresError, match="belongs to root, as whom PostgreSQL refuses to run"):
        embedded().start()


@as_root
def test_root_runs_the_cluster_of_another_user_as_that_user(embedded: Make, open_folder: Path, server_pid: Pid) -> None:
    with embedded():
        pass
    stranger = 54321
    for path in [open_folder / "data" / "postgres", *(open_folder / "data" / "postgres").rglob("*")]:
        os.chown(path, stranger, stranger)
    with embedded():
        assert os.stat(f"/proc/{server_pid()}").st_uid == stranger


async def test_an_ordinary_user_without_a_home_runs_it_as_itself(
    keeper: Callable[..., Any], open_folder: Path, installation: Binaries, server_pid: Pid
) -> None:
    data = open_folder / "theirs"
    data.mkdir()
    if (uid := os.geteuid()) == 0:
        uid = _nobody(installation)
        os.chown(data, uid, uid)
    one = keeper(data, uid=uid, env=_bare_environment(), cwd="/")
    assert await value(one.url, "select 1") == 1
    assert os.stat(f"/proc/{server_pid(data)}").st_uid == uid
    assert os.stat(data / "postgres.password").st_uid == uid
    assert mode(data / "postgres.password") == 0o600
    assert one.end() == 0
    assert server_pid(data) is None


@as_root
def test_an_ordinary_user_is_told_whose_cluster_it_is(
    keeper: Callable[..., Any], embedded: Make, open_folder: Path, installation: Binaries
) -> None:
    with embedded():
        one = keeper(uid=_nobody(installation), env=_bare_environment(), cwd="/")
        assert one.url == ""
        assert one.end() == 1
        assert "and you are nobody: run Switchboard as that user" in (said := one.process.stderr.read())
        assert "Traceback" not in said


def test_the_systems_folder_is_where_the_documentation_says() -> None:
    assert Path("/var/lib/switchboard") == SYSTEM_FOLDER


def _hide(installation: Binaries, folder: Path) -> Binaries:
    """The same programs, in a folder that only root can enter."""
    prefix = folder / installation.prefix.parent.name / installation.prefix.name
    shutil.copytree(installation.prefix, prefix, symlinks=True)
    if installation.libraries:
        shutil.copytree(installation.libraries, folder / installation.libraries.name, symlinks=True)
    libraries = folder / installation.libraries.name if installation.libraries else None
    return replace(installation, prefix=prefix, libraries=libraries)


def _umask() -> int:
    os.umask(now := os.umask(0o022))
    return now


def _nobody(installation: Binaries) -> int:
    entry = pwd.getpwnam("nobody")
    if not installation.usable_by(Account(entry.pw_uid, entry.pw_gid, "nobody", foreign=True)):
        pytest.skip("nobody cannot reach these programs")
    return entry.pw_uid


def _bare_environment() -> dict[str, str]:
    return {"PATH": os.defpath} | {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
