"""Real `switchboard serve` processes, each on a free port, ended by their own pid."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


class Server:
    """One running server process. `log()` is what it wrote to stderr so far."""

    def __init__(self, process: subprocess.Popen[str], url: str, log: Path) -> None:
        self.process = process
        self.url = url
        self._log = log

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def stop(self) -> int:
        """Asks it to end, as an operator would, and waits."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


@contextmanager
def running_server(
    database_url: str,
    environment: Mapping[str, str] | None = None,
    port: int = 0,
    program: Sequence[str] = ("switchboard.main",),
) -> Iterator[Server]:
    """A server on that database, answering. Raises AssertionError with its messages when it does not start.

    `program`: the module to run, and what it takes before the command.
    """
    with TemporaryDirectory() as folder:
        log = Path(folder) / "stderr"
        with log.open("w", encoding="utf-8") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-m", *program, "serve", "--port", str(port)],
                env=os.environ | {"SWITCHBOARD_DATABASE_URL": database_url} | dict(environment or {}),
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if match := re.fullmatch(r"Switchboard serves on (\S+)\n", line):
                    yield Server(process, match[1], log)
                    break
            else:
                raise AssertionError(f"the server did not start: {log.read_text(encoding='utf-8')}")
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(30)
            process.stdout.close()
