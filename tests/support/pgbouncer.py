"""A real PgBouncer in transaction mode, in front of a test's database."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@contextmanager
def pgbouncer(database_url: str, sessions: int = 2) -> Iterator[str]:
    """The address that shares so few sessions among all clients. It runs as nobody where we are root."""
    assert PROGRAM is not None
    address = urlsplit(database_url)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with TemporaryDirectory() as folder:
        users, config = Path(folder, "users.txt"), Path(folder, "pgbouncer.ini")
        users.write_text(f'"{address.username}" "{address.password}"\n')
        config.write_text(
            f"[databases]\n* = host={address.hostname} port={address.port}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = md5\n"
            f"auth_file = {users}\npool_mode = transaction\ndefault_pool_size = {sessions}\nmax_client_conn = 200\n"
        )
        command = [PROGRAM, str(config)]
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            for path in (Path(folder), users, config):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
            command = [PROGRAM, "-u", "nobody", str(config)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            try:
                _listens(process)
                login = f"{address.username}:{address.password}"
                yield urlunsplit(address._replace(netloc=f"{login}@127.0.0.1:{port}"))
            finally:
                process.terminate()


def _listens(process: subprocess.Popen[str]) -> None:
    """Reads its log until it is up, and then for as long as it writes, so that it never waits for a reader."""
    log = process.stderr
    assert log is not None
    told = ""
    for line in log:
        told += line
        if "process up" in line:
            threading.Thread(target=log.read, daemon=True).start()
            return
    raise AssertionError(f"PgBouncer did not start: {told}")
