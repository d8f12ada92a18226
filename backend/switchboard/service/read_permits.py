"""How many expensive interactive reads run at once in this process; a few more wait briefly, the rest are refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from switchboard_wire.errors import ErrorCode, SwitchboardError


class ReadPermits:
    """`at_once` and `waiting` are counts, `wait` is in seconds; all finite and positive."""

    def __init__(self, at_once: int, waiting: int, wait: float) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._most_waiting = waiting
        self._wait = wait
        self._waiting = 0

    @asynccontextmanager
    async def permit(self, retry_after: int) -> AsyncIterator[None]:
        """Raises rate_limited with that Retry-After, in whole seconds."""
        if self._free.locked():
            await self._queue(retry_after)
        else:
            await self._free.acquire()  # does not wait
        try:
            yield
        finally:
            self._free.release()

    async def _queue(self, retry_after: int) -> None:
        if self._waiting >= self._most_waiting:
            raise _excess(retry_after)
        self._waiting += 1
        try:
            async with asyncio.timeout(self._wait):
                await self._free.acquire()
        except TimeoutError:
            raise _excess(retry_after) from None
        finally:
            self._waiting -= 1


def _excess(retry_after: int) -> SwitchboardError:
    return SwitchboardError(
        ErrorCode.RATE_LIMITED, "This server has as many reads under way as it may; try again.", retry_after=retry_after
    )
