"""Whether a PostgreSQL runs on a cluster, by its postmaster.pid, believed only as far as the process bears it out."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_PID_LINE, _PORT_LINE, _STATUS_LINE = 0, 3, 7


@dataclass(frozen=True)
class Postmaster:
    """A live server process: its status is starting, ready or stopping, its port 0 before it has one."""

    pid: int
    port: int
    status: str

    @property
    def ready(self) -> bool:
        return self.status == "ready" and self.port > 0


def pid_file(cluster: Path) -> Path:
    """The file in which a server says that it runs; one that was killed leaves it behind."""
    return cluster / "postmaster.pid"


def running(cluster: Path) -> Postmaster | None:
    """The server of this cluster, or None: no pid file, or a pid that is no server of it (stale, or reused since)."""
    try:
        lines = pid_file(cluster).read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return None
    pid = _number(lines, _PID_LINE)
    if pid <= 1 or not _serves(pid, cluster):
        return None
    status = lines[_STATUS_LINE].strip() if len(lines) > _STATUS_LINE else "starting"
    return Postmaster(pid, _number(lines, _PORT_LINE), status)


def processes_in(cluster: Path) -> list[int]:
    """The processes at work in this cluster, as far as the system lets us see; for messages."""
    found = []
    for proc in _PROC.glob("[0-9]*"):
        try:
            if (proc / "cwd").samefile(cluster):
                found.append(int(proc.name))
        except OSError:
            continue
    return sorted(found)


def _number(lines: list[str], index: int) -> int:
    return int(lines[index]) if len(lines) > index and lines[index].strip().isdigit() else 0


def _serves(pid: int, cluster: Path) -> bool:
    """Whether `pid` is a postmaster (its children call themselves otherwise) that was started on `cluster`."""
    if not (_PROC / "self").exists():
        return _serves_by_ps(pid, cluster)
    proc = _PROC / str(pid)
    try:
        words = [os.fsdecode(word) for word in (proc / "cmdline").read_bytes().split(b"\0")]
        if Path(words[0]).name != "postgres":
            return False
        try:
            return (proc / "cwd").samefile(cluster)
        except PermissionError:  # root in a container may not look at that of another user
            named = words[words.index("-D") + 1] if "-D" in words[:-1] else ""
            # Not to be told apart: rather believe the pid file than start a second server.
            return not named.startswith("/") or os.path.realpath(named) == os.path.realpath(cluster)
    except (FileNotFoundError, ProcessLookupError):
        return False


def _serves_by_ps(pid: int, cluster: Path) -> bool:
    done = subprocess.run(
        ["ps", "-ww", "-o", "args=", "-p", str(pid)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )
    return "postgres" in done.stdout and f"-D {cluster}" in done.stdout
