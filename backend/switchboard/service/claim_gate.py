"""Who may be at the database with a claim: few at a time for the same policies, the rest wait here, bounded.

A hot policy serves one claim at a time whatever we do. Waiting in the process costs no connection, so a hot policy
cannot empty the pool for the claims of other queues (measured: x1.25 at 50 callers).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from switchboard_wire.errors import ErrorCode, SwitchboardError

PER_POLICY = 2
MAX_WAITING = 500


class _Turnstile:
    def __init__(self, width: int) -> None:
        self.free = asyncio.Semaphore(width)
        self.inside = 0  # and waiting


class ClaimGate:
    """One turnstile for each set of policy queues that callers ask for; it goes when nobody is at it."""

    def __init__(self, connections: int) -> None:
        self._widest = max(connections - PER_POLICY, 1)
        self._turnstiles: dict[frozenset[int], _Turnstile] = {}

    def is_full(self, policy_queues: frozenset[int]) -> bool:
        """Whether `turn` would refuse."""
        turnstile = self._turnstiles.get(policy_queues)
        return turnstile is not None and turnstile.inside >= MAX_WAITING

    @asynccontextmanager
    async def turn(self, policy_queues: frozenset[int]) -> AsyncIterator[None]:
        """No policy, no gate. Raises rate_limited when too many wait for the same policies."""
        if not policy_queues:
            yield
            return
        width = min(PER_POLICY * len(policy_queues), self._widest)
        turnstile = self._turnstiles.setdefault(policy_queues, _Turnstile(width))
        if self.is_full(policy_queues):
            raise SwitchboardError(
                ErrorCode.RATE_LIMITED, "Too many claims wait for these queues in this server.", retry_after=1
            )
        turnstile.inside += 1
        try:
            async with turnstile.free:
                yield
        finally:
            turnstile.inside -= 1
            if turnstile.inside == 0:
                self._turnstiles.pop(policy_queues, None)
