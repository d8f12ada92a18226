"""How often one human may change policies (SPEC-0030, security): a burst of ten, then one a second, in each process."""

from __future__ import annotations

import asyncio

from switchboard.core.token_bucket import TokenBucket, whole_seconds
from switchboard_wire.errors import ErrorCode, SwitchboardError

WRITES_PER_SECOND, BURST = 1.0, 10
MAX_REMEMBERED = 10_000


class WriteLimits:
    """One bucket a human; those that are full again are forgotten."""

    def __init__(self) -> None:
        self._buckets: dict[int, TokenBucket] = {}

    def spend(self, human_id: int) -> None:
        """Raises rate_limited with Retry-After."""
        now = asyncio.get_running_loop().time()
        if len(self._buckets) >= MAX_REMEMBERED:
            self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)}
        bucket = self._buckets.setdefault(human_id, TokenBucket.full(WRITES_PER_SECOND, BURST, now))
        wait = bucket.take(now)
        if wait > 0:
            raise SwitchboardError(
                ErrorCode.RATE_LIMITED,
                "Policies may be changed once a second; this one was not changed.",
                retry_after=whole_seconds(wait),
            )
