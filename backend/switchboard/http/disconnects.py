"""A caller who hangs up cancels the work: Starlette does not do this by itself (REQ-13)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.types import Receive

T = TypeVar("T")


class CallerGone(Exception):
    """The caller hung up; whatever was in the making is rolled back, and nobody reads an answer."""


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` to its end, or cancels it when the caller disconnects. The body must have been read."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request.receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise CallerGone
        return task.result()
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
