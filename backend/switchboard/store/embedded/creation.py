"""Making a cluster: under another name first, so that what bears the final name is whole and on disk."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from .account import Account
from .binaries import Binaries
from .errors import EmbeddedPostgresError, with_last_lines
from .home import Home
from .locks import FileLock
from .server_settings import Setting

USER = DATABASE = "switchboard"


def create_cluster(
    home: Home, account: Account, installation: Binaries, alive: FileLock, settings: Mapping[str, Setting]
) -> None:
    """Make the cluster of `home` with its database and its password file.

    The caller holds the start lock, and the alive lock that the programs inherit: should we be killed, the next start
    waits until they too are gone. Killed at any point, what is left is a folder that the next start clears away.
    Raises EmbeddedPostgresError.
    """
    if home.cluster.exists() and any(home.cluster.iterdir()):
        raise EmbeddedPostgresError(f"{home.cluster} is in the way: it holds files, but no database of PostgreSQL.")
    # Whoever runs without fsync has declared the data disposable.
    durable = str(settings.get("fsync", "on")).lower() not in ("off", "false", "0", "no")
    shutil.rmtree(home.unfinished, ignore_errors=True)
    home.unfinished.mkdir(mode=0o700)
    try:
        account.give(home.unfinished)
        password = secrets.token_hex(24)
        cluster = home.unfinished / "cluster"
        _initdb(cluster, password, account, installation, alive)
        # No fsync yet: all of it is synced below at once.
        _single_user(cluster, f"CREATE DATABASE {DATABASE};", account, installation, alive, "fsync=off")
        if durable:
            _sync(cluster, account, installation, alive)
        _write_private(home.password_file, password)
        cluster.rename(home.cluster)
        if durable:
            _sync_folder(home.folder)
    finally:
        shutil.rmtree(home.unfinished, ignore_errors=True)


def password_of(home: Home) -> str:
    """The password of the cluster's user. Raises EmbeddedPostgresError when its file is gone."""
    try:
        return home.password_file.read_text().strip()
    except FileNotFoundError:
        raise EmbeddedPostgresError(
            f"{home.password_file} is missing, and so is the password to the database."
        ) from None


def renew_lost_password(home: Home, account: Account, installation: Binaries, alive: FileLock) -> None:
    """Give the user of a cluster that is not running a new password if the file with the old one is gone."""
    if not home.password_file.exists():
        password = secrets.token_hex(24)
        _single_user(home.cluster, f"ALTER ROLE {USER} PASSWORD '{password}';", account, installation, alive)
        _write_private(home.password_file, password)


def _initdb(cluster: Path, password: str, account: Account, installation: Binaries, alive: FileLock) -> None:
    password_file = cluster.parent / "password"
    _write_private(password_file, password, account)
    done = account.run(
        [
            installation.program("initdb"),
            f"--pgdata={cluster}",
            f"--username={USER}",
            f"--pwfile={password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            # The same order and the same upper case everywhere, whatever the system's locales and their versions are.
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C",
            "--data-checksums",
            "--no-instructions",
            "--no-sync",
        ],
        pass_fds=[alive.fd],
        icu=installation.icu,
    )
    password_file.unlink()
    if done.returncode:
        raise with_last_lines("PostgreSQL could not make a new database (initdb failed).", done.stderr, cluster.parent)


def _single_user(
    cluster: Path, statement: str, account: Account, installation: Binaries, alive: FileLock, *settings: str
) -> None:
    """Run one statement without a server, and so before anybody can connect."""
    # A failed statement ends it, and is not repeated in its error: it may hold a password.
    options = [f"-c{setting}" for setting in ("exit_on_error=on", "log_min_error_statement=panic", *settings)]
    done = account.run(
        [installation.program("postgres"), "--single", "-D", cluster, *options, "template1"],
        text=statement + "\n",
        pass_fds=[alive.fd],
        icu=installation.icu,
    )
    if done.returncode:
        verb = " ".join(statement.split()[:2])
        raise with_last_lines(f"PostgreSQL could not set up its database ({verb}).", done.stderr, cluster.parent)


def _sync(cluster: Path, account: Account, installation: Binaries, alive: FileLock) -> None:
    # One call for the whole file system where there is one: a thousand files one by one take seconds on some disks.
    method = "syncfs" if sys.platform == "linux" else "fsync"
    done = account.run(
        [installation.program("initdb"), "--sync-only", f"--sync-method={method}", f"--pgdata={cluster}"],
        pass_fds=[alive.fd],
        icu=installation.icu,
    )
    if done.returncode:
        raise with_last_lines("PostgreSQL could not write its new database to disk.", done.stderr, cluster.parent)


def _write_private(path: Path, secret: str, owner: Account | None = None) -> None:
    """Write a file that only its owner (we, by default) can read, from the moment that it exists."""
    path.unlink(missing_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        if owner:
            owner.give(fd)
        os.write(fd, secret.encode() + b"\n")
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
