"""The whole-read budget of an interactive read: one deadline from entry to the last byte (observation contract)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from switchboard.store.database import ReadBudget
from switchboard.store.errors import LockTimeout, StatementTimeout
from switchboard_wire.errors import ErrorCode, SwitchboardError

RETRY_AFTER_SECONDS = 5


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Seconds, and counts of reads in one process; all finite and positive."""

    whole_read: float = 15.0
    statement: float = 5.0
    lock_wait: float = 1.0
    at_once: int = 4
    waiting: int = 16
    wait: float = 0.25
    cache_ttl: float = 5.0


class ReadDeadline:
    """What remains of one read."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._ends = self._loop.time() + limits.whole_read

    @property
    def remaining(self) -> float:
        return max(self._ends - self._loop.time(), 0.0)

    def budget(self) -> ReadBudget:
        """Bounds for the next statements. Raises read_deadline_exceeded when nothing is left."""
        remaining = self.remaining
        if remaining <= 0:
            raise deadline_exceeded()
        return ReadBudget(
            statement_ms=max(int(min(self._limits.statement, remaining) * 1000), 1),
            lock_ms=max(int(min(self._limits.lock_wait, remaining) * 1000), 1),
            # a little longer, so that the deadline of the whole read is what ends the wait for a connection
            acquire_seconds=remaining + 1,
        )


@asynccontextmanager
async def whole_read(limits: ReadLimits) -> AsyncIterator[ReadDeadline]:
    """Ends the read at its deadline; the limits of the database come back as their own codes (D28)."""
    deadline = ReadDeadline(limits)
    try:
        async with asyncio.timeout(deadline.remaining):
            yield deadline
    except TimeoutError as error:
        raise deadline_exceeded() from error
    except StatementTimeout as error:
        raise SwitchboardError(
            ErrorCode.READ_STATEMENT_TIMEOUT,
            "The database took too long for this read.",
            retry_after=RETRY_AFTER_SECONDS,
        ) from error
    except LockTimeout as error:
        raise SwitchboardError(
            ErrorCode.READ_LOCK_TIMEOUT, "This read waited too long for a lock.", retry_after=RETRY_AFTER_SECONDS
        ) from error


def deadline_exceeded() -> SwitchboardError:
    return SwitchboardError(
        ErrorCode.READ_DEADLINE_EXCEEDED,
        "This read did not end within its time; it may be retried.",
        retry_after=RETRY_AFTER_SECONDS,
    )
