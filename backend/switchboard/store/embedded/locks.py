"""File locks: how processes that share a cluster know of each other.

Three files lie next to a cluster:

- the *start* lock, held exclusively by whoever creates, starts or stops the server;
- the *attached* lock, held shared by every process that uses the server, so that the last one out can tell;
- the *alive* lock, taken exclusively just before PostgreSQL is started and handed down to it: the kernel keeps it for
  as long as the postmaster or any process it forked lives, and in no case longer. Unlike the pid in postmaster.pid
  this cannot be confused by a reused pid, by orphans of a killed postmaster, or by a server in another container.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from .errors import EmbeddedPostgresError
from .waiting import until


class FileLock:
    """A held lock: until `release` or the end of the process, and of every process that inherited `fd`."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def release(self) -> None:
        """Let go of it. Closing, never unlocking: an unlock would take it from the processes that inherited it too."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def to_exclusive(self) -> bool:
        """Whether a shared lock could be made exclusive at once; after False it may hold nothing."""
        return _flock(self.fd, fcntl.LOCK_EX)

    def __enter__(self) -> FileLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def try_exclusive(path: Path) -> FileLock | None:
    """The exclusive lock on `path` (made if missing), or None when another holds it."""
    return _take(path, fcntl.LOCK_EX)


def wait_exclusive(path: Path, seconds: float) -> FileLock | None:
    """The exclusive lock on `path` (made if missing), or None when it stays taken for `seconds`."""
    return until(lambda: _take(path, fcntl.LOCK_EX), seconds)


def wait_shared(path: Path, seconds: float) -> FileLock | None:
    """A shared lock on `path` (made if missing), or None when it stays taken exclusively for `seconds`."""
    return until(lambda: _take(path, fcntl.LOCK_SH), seconds)


def is_held(path: Path) -> bool:
    """Whether any process, in whatever container, holds the lock on `path`."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _flock(fd, fcntl.LOCK_EX)
    finally:
        os.close(fd)


def _take(path: Path, kind: int) -> FileLock | None:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        # The file may have been removed with its cluster between open and lock: a lock on it would exclude nobody.
        if _flock(fd, kind) and _same_file(fd, path):
            held, fd = FileLock(fd), -1
            return held
        return None
    finally:
        if fd >= 0:
            os.close(fd)


def _flock(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise EmbeddedPostgresError(
            f"File locks do not work on the file system of the data folder ({error.strerror}): put it on a local disk, "
            "or set SWITCHBOARD_DATABASE_URL to a PostgreSQL of your own."
        ) from error
    return True


def _same_file(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False
