"""What can go wrong, said so that it can be printed at a terminal as it is."""

from __future__ import annotations

from pathlib import Path
from shutil import disk_usage

# Below this PostgreSQL cannot even extend its write-ahead log by one segment.
_FULL_BELOW = 16 * 1024 * 1024
_FULL_SIGNS = "No space left on device", "Check free disk space"


class EmbeddedPostgresError(Exception):
    """The embedded PostgreSQL cannot be started, attached to or stopped; the message says why and what to do."""


def with_last_lines(sentence: str, output: str, folder: Path) -> EmbeddedPostgresError:
    """An error of `sentence`, of the last lines that PostgreSQL wrote, and of the disk of `folder` if it is full."""
    # initdb's last words are that it cleans up: not why, and by then there is room on the disk again.
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("initdb: removing")]
    if disk_full(folder) or any(sign in output for sign in _FULL_SIGNS):
        sentence += f" The disk that holds {folder} is full."
    if lines:
        sentence += " It said last:\n" + "\n".join(f"  {line.rstrip()}" for line in lines[-6:])
    return EmbeddedPostgresError(sentence)


def disk_full(folder: Path) -> bool:
    """Whether the file system of `folder` has no room for a running PostgreSQL."""
    try:
        return disk_usage(folder).free < _FULL_BELOW
    except OSError:
        return False
