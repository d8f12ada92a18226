"""The two names of anyio that ReactPy uses, over asyncio alone.

anyio's own semaphore hands control back to the event loop on every acquire, and ReactPy acquires one
for each component it renders: in a tab each such turn is a browser task, and a table of 50 rows has 50 of
them (17 ms against 12 for a click that renders such a table). asyncio's semaphore continues at once when it
is free, so that a render is one uninterrupted piece of work, and no event can slip in between.
"""

from __future__ import annotations

import asyncio
from asyncio import Semaphore
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["Semaphore", "create_task_group"]


class _TaskGroup(asyncio.TaskGroup):
    def start_soon(self, function: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        self.create_task(function(*arguments))


def create_task_group() -> _TaskGroup:
    """A group whose tasks are awaited when the block ends, as in anyio."""
    return _TaskGroup()
