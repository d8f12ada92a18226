"""An event loop in a thread of its own, for tests that drive a browser and must not run one themselves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines elsewhere and waits for them here."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result, or what it raised."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    @contextmanager
    def entered(self, manager: AbstractAsyncContextManager[T]) -> Iterator[T]:
        """The value of an asynchronous context manager, entered and left in that loop."""
        value = self.run(_enter(manager))
        try:
            yield value
        finally:
            self.run(_leave(manager))


async def _enter(manager: AbstractAsyncContextManager[T]) -> T:
    return await manager.__aenter__()


async def _leave(manager: AbstractAsyncContextManager[Any]) -> None:
    await manager.__aexit__(None, None, None)


@contextmanager
def loop_thread() -> Iterator[LoopThread]:
    """The loop runs until the block ends. It is made and closed in its own thread, whatever runs in this one."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def until_told() -> None:
        ending = asyncio.Event()
        started.set_result((asyncio.get_running_loop(), ending))
        await ending.wait()

    thread = threading.Thread(target=lambda: asyncio.run(until_told()), daemon=True)
    thread.start()
    loop, ending = started.result()
    try:
        yield LoopThread(loop)
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()
