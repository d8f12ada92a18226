"""A token bucket: so many at once, then so many a second."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(slots=True)
class TokenBucket:
    """`rate` in tokens a second, `burst` in tokens. The caller gives the time, in monotonic seconds."""

    rate: float
    burst: int
    tokens: float
    at: float

    @classmethod
    def full(cls, rate: float, burst: int, now: float) -> TokenBucket:
        return cls(rate, burst, float(burst), now)

    def take(self, now: float) -> float:
        """0 when a token was taken, else the seconds until there is one."""
        self.tokens = min(self.burst, self.tokens + max(now - self.at, 0.0) * self.rate)
        self.at = now
        if self.tokens >= 1:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate

    def is_full(self, now: float) -> bool:
        """Whether it would not be missed."""
        return self.tokens + (now - self.at) * self.rate >= self.burst


def whole_seconds(wait: float) -> int:
    """For Retry-After: rounded up, at least 1."""
    return max(math.ceil(wait), 1)
