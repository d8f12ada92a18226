"""Observations that several readers share for a few seconds, fenced by the generation of this process's changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

from switchboard.core.cache_generations import Generation, Kept
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .wall_clock import utc_now

T = TypeVar("T")

MOST_KEPT = 256
# A fill that a change overtook is thrown away; so many are tried for one reader, within its own deadline.
MOST_FILLS = 3


class _Fill:
    """A read under way. It is cancelled when its last reader leaves."""

    def __init__(self, generation: int, task: asyncio.Task[Kept[Any]]) -> None:
        self.generation = generation
        self.task = task
        self.readers = 0


class ReadCache:
    """`ttl` in seconds. A reader that comes after a change neither finds nor joins anything from before it."""

    def __init__(self, generation: Generation, ttl: float) -> None:
        self._generation = generation
        self._ttl = ttl
        self._kept: dict[Hashable, Kept[Any]] = {}
        self._fills: dict[Hashable, _Fill] = {}

    async def get(self, key: Hashable, read: Callable[[], Awaitable[T]], *, retry_after: int) -> tuple[Kept[T], bool]:
        """What was kept under `key`, and True; or what `read` gives, and False.

        Raises unavailable when changes overtook every try, or what `read` raises.
        """
        for _ in range(MOST_FILLS):
            kept = self._kept.get(key)
            if kept is not None and kept.is_current(self._generation.current, _now(), self._ttl):
                return kept, True
            fill = self._fills.get(key)
            if fill is None or fill.generation != self._generation.current:
                fill = self._fills[key] = self._start(key, read)
            kept = await self._arrival(key, fill)
            if kept.generation == self._generation.current:
                return kept, False
        raise SwitchboardError(
            ErrorCode.UNAVAILABLE, "These figures changed faster than they could be read.", retry_after=retry_after
        )

    def _start(self, key: Hashable, read: Callable[[], Awaitable[Any]]) -> _Fill:
        generation = self._generation.current

        async def run() -> Kept[Any]:
            observed_at, read_at = utc_now(), _now()
            kept = Kept(await read(), observed_at, read_at, generation)
            if generation == self._generation.current:
                self._keep(key, kept)
            return kept

        return _Fill(generation, asyncio.create_task(run()))

    async def _arrival(self, key: Hashable, fill: _Fill) -> Kept[Any]:
        fill.readers += 1
        try:
            return await asyncio.shield(fill.task)
        finally:
            fill.readers -= 1
            if fill.readers == 0:
                fill.task.cancel()  # nothing, where it has ended
                if self._fills.get(key) is fill:
                    del self._fills[key]

    def _keep(self, key: Hashable, kept: Kept[Any]) -> None:
        self._kept.pop(key, None)
        if len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = kept


def _now() -> float:
    return asyncio.get_running_loop().time()
