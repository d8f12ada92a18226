"""What can go wrong with the database, in words of ours; asyncpg's own errors stop here, as causes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg


class DatabaseUnavailable(Exception):
    """No connection, no answer, or a server that is going down. The request changed nothing that it reports."""


class StatementTimeout(Exception):
    """The statement limit of a bounded read ended it."""


class LockTimeout(Exception):
    """A lock wait ended at its bound."""


class Deadlock(Exception):
    """The transaction waited in a circle with another, and was the one that the database ended. It may be repeated."""


class DuplicateKey(Exception):
    """A unique index has this key already."""


class RefusedByDatabase(Exception):
    """The row itself cannot be: a constraint or a type says so, in the database's words. Repeating it does not help."""


class StaleCaller(Exception):
    """The endpoint, or its grant, is not any more as this process knows it. Nothing was changed."""


_GONE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the server ended the session, the socket does not know it yet
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    OSError,
)


@asynccontextmanager
async def translated() -> AsyncIterator[None]:
    """Raises this module's errors in place of the driver's. Cancellation passes."""
    try:
        yield
    except TimeoutError as error:
        raise DatabaseUnavailable("no free database connection") from error
    except asyncpg.LockNotAvailableError as error:
        raise LockTimeout(str(error)) from error
    except asyncpg.DeadlockDetectedError as error:
        raise Deadlock(str(error)) from error
    except asyncpg.UniqueViolationError as error:
        raise DuplicateKey(str(error)) from error
    except asyncpg.QueryCanceledError as error:
        raise StatementTimeout(str(error)) from error
    except _GONE as error:
        raise DatabaseUnavailable(str(error) or type(error).__name__) from error


@asynccontextmanager
async def row_refusals() -> AsyncIterator[None]:
    """Raises RefusedByDatabase where it is the row that cannot be, for who goes on without it."""
    try:
        yield
    except (asyncpg.IntegrityConstraintViolationError, asyncpg.DataError) as error:
        raise RefusedByDatabase(str(error)) from error
