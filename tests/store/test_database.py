"""Sessions, transactions and bounded reads leave nothing behind, whatever ends them (REQ-13, D13, D28)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from switchboard.store.database import Database, DatabaseSettings, ReadBudget
from switchboard.store.errors import DatabaseUnavailable, LockTimeout, StatementTimeout, translated
from tests.support.databases import Databases
from tests.support.waiting import holding, lock_waits, no_statements, within_bound

AMPLE = ReadBudget(statement_ms=60_000, lock_ms=60_000)


@pytest.fixture
async def single(database_url: str) -> AsyncIterator[Database]:
    """One connection in each pool, so that a connection that is lost or left dirty shows at the next use."""
    opened = Database(DatabaseSettings(database_url, claim_connections=1, read_connections=1))
    await opened.open()
    yield opened
    await opened.close()


@pytest.mark.parametrize("default", ["repeatable read", "serializable"])
async def test_sessions_and_transactions_are_read_committed_whatever_the_servers_default(
    databases: Databases, default: str
) -> None:
    async with databases.fresh() as url:
        name = urlsplit(url).path[1:]
        admin = await asyncpg.connect(url)
        await admin.execute(f"alter database {name} set default_transaction_isolation = '{default}'")
        await admin.close()
        database = Database(DatabaseSettings(url, claim_connections=1, read_connections=1))
        await database.open()
        async with database.session() as connection:
            assert await connection.fetchval("show default_transaction_isolation") == default
            assert await connection.fetchval("show transaction_isolation") == "read committed"
        async with database.transaction() as connection:
            assert await connection.fetchval("show transaction_isolation") == "read committed"
        await database.close()


async def test_a_transaction_commits_or_rolls_back_on_any_raise(single: Database) -> None:
    async with single.transaction() as connection:
        await connection.execute("create table public.kept (id bigint)")

    async def fail() -> None:
        async with single.transaction() as connection:
            await connection.execute("create table public.lost (id bigint)")
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
    async with single.session() as connection:
        tables = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
        assert [row["tablename"] for row in tables] == ["kept"]


async def test_a_read_is_one_snapshot_and_cannot_write(single: Database) -> None:
    async with single.read(AMPLE) as reading:
        before = await reading.fetchval("select count(*) from switchboard.humans")
        async with single.session() as writing:
            await writing.execute("insert into switchboard.humans (name) values ('late')")
        assert await reading.fetchval("select count(*) from switchboard.humans") == before
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await reading.execute("insert into switchboard.humans (name) values ('never')")


async def test_the_limits_of_a_read_end_with_it(single: Database) -> None:
    async with single.read(ReadBudget(statement_ms=1234, lock_ms=567)) as reading:
        assert await reading.fetchval("show statement_timeout") == "1234ms"
        assert await reading.fetchval("show lock_timeout") == "567ms"
    async with single.read(AMPLE) as reading:
        assert await reading.fetchval("show statement_timeout") == "1min"
    async with single._reads.acquire() as bare:  # type: ignore[union-attr]
        assert await bare.fetchval("show statement_timeout") == "0"
        assert await bare.fetchval("show lock_timeout") == "0"


async def test_a_read_beyond_its_statement_limit_is_ended_and_the_connection_used_again(single: Database) -> None:
    with pytest.raises(StatementTimeout):
        async with single.read(ReadBudget(statement_ms=1, lock_ms=1000)) as reading:
            await reading.fetchval("select count(*) from generate_series(1, 100000000)")
    async with single.read(AMPLE) as reading:
        assert await reading.fetchval("select 1") == 1


async def test_a_read_beyond_its_lock_limit_is_ended(single: Database, database_url: str) -> None:
    async with holding(database_url, "lock table switchboard.todos in access exclusive mode"):
        with pytest.raises(LockTimeout):
            async with single.read(ReadBudget(statement_ms=60_000, lock_ms=1)) as reading:
                await reading.fetchval("select count(*) from switchboard.todos")


@pytest.mark.parametrize("kind", ["read", "session", "transaction"])
async def test_a_cancelled_statement_ends_on_the_server_and_its_connection_comes_back_clean(
    single: Database, database_url: str, sql: asyncpg.Connection, kind: str
) -> None:
    async def work() -> None:
        context = {"read": lambda: single.read(AMPLE), "session": single.session, "transaction": single.transaction}
        async with context[kind]() as connection:
            await connection.fetchval("select count(*) from switchboard.todos")

    async with holding(database_url, "lock table switchboard.todos in access exclusive mode"):
        task = asyncio.create_task(work())
        await lock_waits(sql, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await within_bound(task)
        await no_statements(sql)  # while the lock it waited for still stands
    await within_bound(work())
    async with single.session() as connection:
        assert not connection.is_in_transaction()


async def test_when_every_connection_is_taken_a_caller_is_told_so_after_a_bound(database_url: str) -> None:
    database = Database(DatabaseSettings(database_url, claim_connections=1, read_connections=1, acquire_timeout=0.01))
    await database.open()
    async with database.session():
        with pytest.raises(DatabaseUnavailable, match="no free database connection"):
            async with database.session():
                pass
    async with database.session() as connection:
        assert await connection.fetchval("select 1") == 1
    await database.close()


async def test_a_session_ended_by_the_server_is_unavailable_once_and_then_replaced(
    single: Database, sql: asyncpg.Connection
) -> None:
    pids = []

    async def ended() -> None:
        async with single.session() as connection:
            pids.append(await connection.fetchval("select pg_backend_pid()"))
            await sql.execute("select pg_terminate_backend($1)", pids[0])
            await connection.fetchval("select 1")

    with pytest.raises(DatabaseUnavailable):
        await ended()
    async with single.session() as connection:
        assert await connection.fetchval("select pg_backend_pid()") not in pids


GONE = [
    asyncpg.AdminShutdownError("terminating connection due to administrator command"),
    asyncpg.CrashShutdownError("terminating connection because of crash of another server process"),
    asyncpg.CannotConnectNowError("the database system is starting up"),
    asyncpg.TooManyConnectionsError("too many clients already"),
    asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
    asyncpg.InterfaceError("connection is closed"),
    # what a connection says that the server has just ended, but whose socket is not yet seen to be closed
    asyncpg.InternalClientError("cannot switch to state 11; another operation (2) is in progress"),
    ConnectionRefusedError("Connect call failed"),
    TimeoutError(),
]


@pytest.mark.parametrize("error", GONE, ids=lambda error: type(error).__name__)
async def test_whatever_the_driver_says_of_a_lost_connection_is_one_kind_of_error(error: Exception) -> None:
    with pytest.raises(DatabaseUnavailable) as told:
        async with translated():
            raise error
    assert str(told.value)
    assert told.value.__cause__ is error


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://127.0.0.1:1/nowhere",
        "postgresql://postgres@127.0.0.1:notaport/x",
        "mysql://127.0.0.1/x",
        "nonsense",
    ],
)
async def test_a_database_that_is_not_there_is_one_kind_of_error(url: str) -> None:
    database = Database(DatabaseSettings(url, claim_connections=1, read_connections=1))
    with pytest.raises(DatabaseUnavailable) as error:
        await database.open()
    assert str(error.value)
    await database.close()


async def test_a_database_that_was_never_opened_or_is_closed_is_unavailable(database_url: str) -> None:
    database = Database(DatabaseSettings(database_url))
    for _ in range(2):
        with pytest.raises(DatabaseUnavailable):
            async with database.session():
                pass
        with pytest.raises(DatabaseUnavailable):
            async with database.read(AMPLE):
                pass
        await database.close()


async def test_a_databases_identity_is_its_own_and_lasts(database: Database, databases: Databases) -> None:
    identity = await database.identity()
    assert len(identity) == 16
    assert await database.identity() == identity
    async with databases.fresh() as other_url:
        assert urlunsplit(urlsplit(other_url)._replace(path="")) == urlunsplit(
            urlsplit(databases.url)._replace(path="")
        )
        other = Database(DatabaseSettings(other_url, claim_connections=1, read_connections=1))
        await other.open()
        assert await other.identity() != identity
        await other.close()
