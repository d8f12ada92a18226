"""Starting and stopping the server process of one cluster.

pg_ctl is not used: it puts paths into a shell command unquoted, and looks only every tenth of a second whether the
server is there, or gone, which takes longer than either.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from .account import Account
from .binaries import Binaries
from .errors import EmbeddedPostgresError, with_last_lines
from .home import Home
from .locks import FileLock, is_held, try_exclusive
from .ports import candidate_ports, remember_port
from .postmaster import Postmaster, pid_file, processes_in, running
from .server_settings import Setting, server_settings
from .waiting import until

_log = logging.getLogger("switchboard.embedded")

# The shell goes at once and the server becomes init's: a child of ours it would stay a zombie until we ask for it,
# and end with us where the system kills a dead process's children. Arguments are never part of the script.
_DETACHED = 'exec </dev/null >>"$1" 2>&1 || exit; shift; "$@" &'
_LOG_KEPT_BELOW = 8 * 1024 * 1024
_FAST_SECONDS = 60.0
_IMMEDIATE_SECONDS = 15.0


class StillStartingError(EmbeddedPostgresError):
    """The server runs but is not ready in time. It is left alone: stopped, it would have to begin its recovery anew."""


def settled(home: Home, patience: float) -> Postmaster | None:
    """The ready server of this cluster, or None when certainly no process works in it any more.

    Waits for a server that starts or stops, and for what a killed one left running. Raises EmbeddedPostgresError (or
    StillStartingError) when neither comes about within `patience` seconds. The caller holds the start lock.
    """
    state = _state(home)
    if state is None:
        _log.warning("waiting for %s", _at_work(home))
        state = until(lambda: _state(home), patience)
    if state is None:
        server = running(home.cluster)
        raise (StillStartingError if server and server.status == "starting" else EmbeddedPostgresError)(
            f"The database in {home.cluster} cannot be used now: after {patience:.0f} s there is still "
            f"{_at_work(home)}. Wait for it, or end it, and start again."
        )
    return state[0]


def alive_lock(home: Home) -> FileLock:
    """The lock for the programs that are about to work on the cluster to inherit; nothing else may be at work in it."""
    lock = try_exclusive(home.alive_lock)
    if lock is None:
        raise EmbeddedPostgresError(f"Another program began to work on {home.cluster} at this moment: start again.")
    return lock


def launch(
    home: Home, account: Account, installation: Binaries, extra: Mapping[str, Setting], patience: float
) -> Postmaster:
    """Start the server of a cluster in which no process works, and wait until it takes connections.

    Raises EmbeddedPostgresError with the end of its log when it does not start, StillStartingError when it has not
    finished in `patience` seconds. The caller holds the start lock.
    """
    pid_file(home.cluster).unlink(missing_ok=True)  # stale, or this would not be called
    with suppress(FileNotFoundError):
        if home.log.stat().st_size > _LOG_KEPT_BELOW:
            home.log.replace(home.log.with_name("log.1"))
    said = ""
    for port in candidate_ports(home.port_file):
        log_before = home.log.stat().st_size if home.log.exists() else 0
        settings = server_settings(extra, port)
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command: list[str | Path] = [installation.program("postgres"), "-D", home.cluster, *words]
        with alive_lock(home) as lock:
            done = account.run(
                ["/bin/sh", "-c", _DETACHED, "sh", home.log, *command], pass_fds=[lock.fd], icu=installation.icu
            )
        server = until(lambda: _ready_or_dead(home), patience)
        if isinstance(server, Postmaster):
            remember_port(home.port_file, port)
            return server
        if server is None:
            raise StillStartingError(
                f"PostgreSQL is still recovering the database in {home.cluster} after {patience:.0f} s; it goes on: "
                "start again in a while."
            )
        said = done.stderr + _read_from(home, log_before)
        if "Address already in use" not in said:
            raise with_last_lines(f"PostgreSQL did not start on {home.cluster}.", said, home.cluster)
    raise with_last_lines("PostgreSQL found no free TCP port on 127.0.0.1.", said, home.cluster)


def halt(home: Home, *, discard: bool = False) -> None:
    """Stop the server, if one runs, cleanly; after a minute at the latest without a checkpoint.

    `discard` stops it without one at once, for data that nobody needs any more. Raises EmbeddedPostgresError when it
    cannot be stopped. The caller holds the start lock.
    """
    if not discard and _ended_by(home, signal.SIGINT, _FAST_SECONDS):
        return
    if not _ended_by(home, signal.SIGQUIT, _IMMEDIATE_SECONDS):
        raise EmbeddedPostgresError(f"PostgreSQL in {home.cluster} cannot be stopped: there is still {_at_work(home)}.")


def _ended_by(home: Home, number: signal.Signals, seconds: float) -> bool:
    """Whether a signal to the server, sent once and as soon as there is one to send it to, ends it in time."""
    told: set[int] = set()

    def gone() -> bool:
        server = running(home.cluster)
        if server and server.pid not in told:
            told.add(server.pid)
            with suppress(ProcessLookupError):
                os.kill(server.pid, number)
        return _is_gone(home)

    if until(gone, seconds):
        return True
    _log.warning("%s did not stop within %.0f s", _at_work(home), seconds)
    return False


def _is_gone(home: Home) -> bool:
    return not is_held(home.alive_lock) and running(home.cluster) is None


def _state(home: Home) -> tuple[Postmaster | None] | None:
    """A ready server, or that there certainly is none; None for anything in between."""
    server = running(home.cluster)
    if server:
        return (server,) if server.ready else None
    return (None,) if _is_gone(home) else None


def _ready_or_dead(home: Home) -> Postmaster | bool | None:
    server = running(home.cluster)
    if server and server.ready:
        return server
    return True if _is_gone(home) else None


def _at_work(home: Home) -> str:
    server = running(home.cluster)
    if server:
        return f"a PostgreSQL (process {server.pid}) that is {server.status}"
    pids = processes_in(home.cluster)
    if pids:
        named = ", ".join(map(str, pids))
        return f"what a killed PostgreSQL left running, or one in another container runs (process {named})"
    return "a PostgreSQL, or initdb, that cannot be seen from here, in another container perhaps"


def _read_from(home: Home, offset: int) -> str:
    try:
        with home.log.open("rb") as log:
            log.seek(offset)
            return log.read().decode(errors="replace")
    except OSError:
        return ""
