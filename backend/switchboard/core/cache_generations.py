"""Which observation a cache may keep: only one whose reading began after the last change this process committed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

T = TypeVar("T")


class Generation:
    """Counts this process's committed changes. A read that began in an older generation may miss the last of them."""

    def __init__(self) -> None:
        self.current = 0

    def advance(self) -> None:
        """After a commit, never before: what was read in between would be kept although it is old."""
        self.current += 1


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A cached observation. `observed_at` is the wall clock when its reading began, `read_at` a monotonic second."""

    value: T
    observed_at: datetime
    read_at: float
    generation: int

    def is_current(self, generation: int, now: float, ttl: float) -> bool:
        return self.generation == generation and now - self.read_at < ttl

    def age_ms(self, now: float) -> int:
        """Whole milliseconds since its reading began, at the monotonic second `now`."""
        return max(int((now - self.read_at) * 1000), 0)
