"""The `switchboard` command against a real database and a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asyncpg
import pytest
from typer.testing import CliRunner

from switchboard.main import cli
from tests.support.databases import Databases
from tests.support.servers import running_server


@dataclass(frozen=True)
class Done:
    """What one command did. `json` is its whole output."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Command:
    """Runs `switchboard` as a process of its own, with an environment of its own."""

    environment: dict[str, str]

    def __call__(self, *arguments: str, stdin: str = "", **environment: str | None) -> Done:
        """`SWITCHBOARD_TOKEN=None` leaves that variable out."""
        merged = os.environ | self.environment | environment
        kept = {name: value for name, value in merged.items() if value is not None}
        done = subprocess.run(
            [sys.executable, "-m", "switchboard.main", *arguments],
            input=stdin,
            env=kept,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert "Traceback" not in done.stdout
        return Done(done.returncode, done.stdout, done.stderr)

    def here(self, *arguments: str, **environment: str | None) -> Done:
        """The same in this process, which is quicker. Raises what would be a traceback. Not for coroutines."""
        result = CliRunner().invoke(cli, arguments, env=self.environment | environment)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="session")
async def switchboard(databases: Databases) -> AsyncIterator[Command]:
    """The command beside a running server; ada is a human with a token in the environment, and owns `research`."""
    with TemporaryDirectory() as folder:
        async with databases.fresh() as url:
            with running_server(url) as server:
                database = {"SWITCHBOARD_DATABASE_URL": url, "SWITCHBOARD_DATA": str(Path(folder) / "data")}
                bare = Command(database)
                assert bare("human", "add", "ada", "--password", "correct horse").status == 0
                token = bare("human", "token", "ada").out.strip()
                credential = bare("endpoint", "add", "research", "--human", "ada", "--queue", "lane", "--queue", "a/b")
                assert credential.status == 0
                yield Command(database | {"SWITCHBOARD_URL": server.url, "SWITCHBOARD_TOKEN": token})
                assert "Traceback" not in server.log()


@pytest.fixture
async def sql(switchboard: Command) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(switchboard.environment["SWITCHBOARD_DATABASE_URL"])
    yield connection
    await connection.close()
