"""When a failed todo is tried again."""

from __future__ import annotations

from datetime import timedelta

FIRST_BACKOFF = timedelta(seconds=30)
LONGEST_BACKOFF = timedelta(seconds=900)


def backoff(attempt: int) -> timedelta:
    """The wait after the `attempt`-th claim failed (1-based). The same rule in SQL is in switchboard.end_claim."""
    doublings: int = min(max(attempt - 1, 0), 20)
    return min(FIRST_BACKOFF * (1 << doublings), LONGEST_BACKOFF)
