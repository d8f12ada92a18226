"""One database under observation: its ledger, the services of a process on it, and servers where a test runs some."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager

import asyncpg

from switchboard.store.database import Database, DatabaseSettings
from tests.support import barriers
from tests.support.checker import Full, Report, Start, check, keep_ledger, start_of_run
from tests.support.scenario import World
from tests.support.servers import Server

# What a server's log must never hold. "Executing ... took" is asyncio's remark on a slow machine.
COMPLAINTS = ("Traceback", "never awaited", "never retrieved", "internal_error", "sweep_crashed", "ResourceWarning:")
# A folder that a library leaves to be cleaned up at exit.
NO_COMPLAINTS = ("cleaning up <TemporaryDirectory",)


class Ground:
    """`world` is the process of the test itself; its pool is small and counts among the sessions."""

    def __init__(self, url: str, database: Database, sql: asyncpg.Connection) -> None:
        self.url = url
        self.database = database
        self.sql = sql
        self.world = World(database, sql)
        self.servers: list[Server] = []
        self.start: Start | None = None
        self.expected: set[int] = set()

    @property
    def urls(self) -> list[str]:
        return [server.url for server in self.servers]

    async def start_of_run(self) -> None:
        """From here on sessions and deadlocks are compared."""
        self.start = await start_of_run(self.sql)

    async def check(self, *, full: Iterable[Full] = (), expected: Collection[int] = (), others: int = 0) -> Report:
        """The checker's report, which must be clean, as must be what the servers logged."""
        self.expected |= set(expected)
        report = await check(self.url, self.start, expected=self.expected, full=full, others=others)
        assert report.violations == (), report.table()
        for server in self.servers:
            assert_quiet(server)
        return report


def assert_quiet(server: Server) -> None:
    lines = server.log().splitlines()
    for number, line in enumerate(lines):
        if any(known in line for known in NO_COMPLAINTS):
            continue
        if any(complaint in line for complaint in COMPLAINTS):
            raise AssertionError(f"line {number + 1} of a server's log: {line[:400]} ... {line[-2000:]}")


@asynccontextmanager
async def ground_on(url: str, *, barriers_up: bool = False) -> AsyncIterator[Ground]:
    sql = await asyncpg.connect(url)
    database = Database(DatabaseSettings(url, claim_connections=4, read_connections=1))
    try:
        await keep_ledger(sql)
        if barriers_up:
            await barriers.install(sql)
        await database.open()
        try:
            made = Ground(url, database, sql)
            await made.start_of_run()
            yield made
        finally:
            await database.close()
    finally:
        await sql.close()
