"""Waiting for a condition of another process, bounded.

The embedded server is started before there is an event loop to give timers, and what it waits for (a lock, a line in
a file) sends no event; so this file polls, and is the only one here that sleeps. It counts its own pauses instead of
reading a clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05


def until(condition: Callable[[], T], seconds: float) -> T:
    """Ask `condition` until its answer is true, at least once and for about `seconds` at most; the last answer."""
    waited, pause = 0.0, _FIRST_PAUSE
    while not (answer := condition()) and waited < seconds:
        time.sleep(pause)
        waited += pause
        pause = min(pause * 1.2, _LONGEST_PAUSE)
    return answer
