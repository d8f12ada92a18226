"""The TCP port of a cluster: chosen once, remembered, and chosen anew when somebody else has it."""

from __future__ import annotations

import errno
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

# Below the ports that systems hand to outgoing connections, so that the remembered one is likely to be free next time.
_FIRST, _LAST = 20_000, 29_999
_TRIES = 50


def candidate_ports(remembered: Path) -> Iterator[int]:
    """Ports that are free right now, the remembered one first; a server may still find one taken, and take the next."""
    before = _read(remembered)
    if before and _free(before):
        yield before
    for _ in range(_TRIES):
        port = _FIRST + secrets.randbelow(_LAST - _FIRST + 1)
        if _free(port):
            yield port


def remember_port(remembered: Path, port: int) -> None:
    """Write down the port that the server listens on."""
    if _read(remembered) != port:
        remembered.write_text(f"{port}\n")


def _read(remembered: Path) -> int:
    try:
        port = int(remembered.read_text())
    except (FileNotFoundError, ValueError):
        return 0
    return port if 1024 <= port <= 65535 else 0


def _free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as PostgreSQL does
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True
