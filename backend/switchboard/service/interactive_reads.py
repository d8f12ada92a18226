"""The operators' reads as one kind: a permit, a deadline, and an observation that tells its age."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from switchboard.core.cache_generations import Generation

from .read_budget import ReadDeadline, ReadLimits, whole_read
from .read_cache import ReadCache
from .read_permits import ReadPermits
from .wall_clock import utc_now

T = TypeVar("T")
Read = Callable[[ReadDeadline], Awaitable[T]]

# Seconds between two reads of a key, as clients are told to keep: also the Retry-After of a refusal.
CACHED_FLOOR, UNCACHED_FLOOR = 5, 2


@dataclass(frozen=True, slots=True)
class Observed(Generic[T]):
    """`observed_at`: when reading the source began."""

    value: T
    observed_at: datetime
    cache_age_ms: int


class InteractiveReads:
    """Lists, counts, details and fills of aggregates compete for the same permits; what is kept needs none."""

    def __init__(self, limits: ReadLimits, generation: Generation) -> None:
        self.limits = limits
        self._permits = ReadPermits(limits.at_once, limits.waiting, limits.wait)
        self._cache = ReadCache(generation, limits.cache_ttl)

    async def uncached(self, read: Read[T], deadline: ReadDeadline) -> Observed[T]:
        """Raises rate_limited, or what `read` raises."""
        async with self._permits.permit(UNCACHED_FLOOR):
            observed_at = utc_now()
            return Observed(await read(deadline), observed_at, 0)

    async def cached(self, key: Hashable, read: Read[T]) -> Observed[T]:
        """`key` names the read and whoever may see its answer. A fill has a whole-read budget of its own, and ends with
        its last reader."""

        async def fill() -> T:
            async with whole_read(self.limits) as deadline, self._permits.permit(CACHED_FLOOR):
                return await read(deadline)

        kept, hit = await self._cache.get(key, fill, retry_after=CACHED_FLOOR)
        age_ms = kept.age_ms(asyncio.get_running_loop().time()) if hit else 0
        return Observed(kept.value, kept.observed_at, age_ms)
