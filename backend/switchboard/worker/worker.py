"""A pool of claim loops in one process: claims, heartbeats, results, backing off, and stopping gracefully."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random  # noqa: TID251 - a worker is an outermost part; its pacing takes this as an argument
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from .client import Refused, ServerAway, WorkerApi
from .pacing import away_wait, deferred_wait, idle_wait

log = structlog.get_logger(__name__)

Handler = Callable[[dict[str, Any]], Awaitable[Any]]


class Worker:
    """Runs one handler on what it claims, `concurrency` todos at a time.

    Every claim is fenced, so that a todo taken over meanwhile is left alone. The lease is renewed at a third of its
    length while the handler runs. A handler that raises fails its todo with the exception's text; its result must be
    JSON-able. `stop` ends claiming; what runs is finished within `grace` seconds, else released.
    """

    def __init__(
        self,
        url: str,
        credential: str,
        *,
        queues: Sequence[str] | None = None,
        concurrency: int = 1,
        lease_seconds: int = 60,
        grace: float = 30.0,
        name: str | None = None,
        api: WorkerApi | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self._api = api or WorkerApi(url, credential)
        self._concurrency = concurrency
        self._lease = lease_seconds
        self._grace = grace
        self._name = name or f"{socket.gethostname()}:{os.getpid()}"
        self._ask: dict[str, Any] = {"lease_seconds": lease_seconds, "fence": True}
        if queues is not None:
            self._ask["queues"] = list(queues)
        self._handler: Handler | None = None
        self._stopping = asyncio.Event()

    def handle(self, handler: Handler) -> Handler:
        """Registers the handler; usable as a decorator."""
        self._handler = handler
        return handler

    def stop(self) -> None:
        """Claims no more. Safe to call from a signal handler on the loop, and again."""
        self._stopping.set()

    async def run(self, *, signals: bool = True) -> None:
        """Until `stop`, SIGTERM or SIGINT. Raises Refused when the server refuses the claims themselves."""
        if self._handler is None:
            raise RuntimeError("register a handler first: @worker.handle")
        loop = asyncio.get_running_loop()
        watched = (signal.SIGTERM, signal.SIGINT) if signals else ()
        for number in watched:
            loop.add_signal_handler(number, self.stop)
        try:
            async with asyncio.TaskGroup() as group:
                for slot in range(self._concurrency):
                    group.create_task(self._loop(f"{self._name}/{slot}", self._handler))
        except ExceptionGroup as problems:
            raise problems.exceptions[0] from None
        finally:
            for number in watched:
                loop.remove_signal_handler(number)
            await self._api.close()

    async def _loop(self, name: str, handler: Handler) -> None:
        misses = failures = 0
        todo: dict[str, Any] | None = None
        while not self._stopping.is_set():
            try:
                if todo is None:
                    answer = await self._api.call("claim_next", worker=name, **self._ask)
                    failures = 0
                    if answer["empty"]:
                        misses += 1
                        await self._pause(self._wait(answer, misses))
                        continue
                    (todo,) = answer["todos"]
                misses = 0
                todo = await self._work(name, handler, todo)
            except ServerAway as away:
                failures += 1
                log.warning("server_away", worker=name, error=str(away))
                await self._pause(away_wait(failures, away.retry_after, random.random))
        if todo is not None:  # claimed along with the last completion
            await self._tell("release", todo)

    def _wait(self, answer: dict[str, Any], misses: int) -> float:
        if answer["deferred"]:
            return deferred_wait(answer["deferred"], self._api.server_time, misses, random.random)
        return idle_wait(misses, random.random)

    async def _work(self, name: str, handler: Handler, todo: dict[str, Any]) -> dict[str, Any] | None:
        """Runs the handler and reports; the next todo where the completion brought one."""
        running = asyncio.ensure_future(handler(todo))
        beating = asyncio.ensure_future(self._heartbeats(todo, running))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                await asyncio.wait({running}, timeout=self._grace)
            if not running.done():
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
                await self._tell("release", todo)
                return None
        finally:
            stopping.cancel()
            beating.cancel()
            await asyncio.gather(stopping, beating, return_exceptions=True)
        if running.cancelled():  # the lease was lost: somebody else has the todo
            return None
        if (problem := running.exception()) is not None:
            log.warning("todo_failed", worker=name, todo_id=todo["id"], error=type(problem).__name__)
            await self._tell("fail", todo, error=f"{type(problem).__name__}: {problem}"[:10_000])
            return None
        more: dict[str, Any] = {} if self._stopping.is_set() else {"next": {"worker": name, **self._ask}}
        done = await self._tell("complete", todo, result=running.result(), **more)
        claimed = done["next"]["todos"] if done and done["next"] else ()
        return claimed[0] if claimed else None

    async def _heartbeats(self, todo: dict[str, Any], running: asyncio.Future[Any]) -> None:
        while True:
            # Nothing ends this wait but time: the task is cancelled when the work is done.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.get_running_loop().create_future(), self._lease / 3)
            try:
                await self._api.call("heartbeat", todo_id=todo["id"], fence=todo["fence"], lease_seconds=self._lease)
            except ServerAway:
                continue  # the lease holds for two more tries
            except Refused as refused:
                log.warning("lease_lost", todo_id=todo["id"], code=refused.code)
                running.cancel()
                return

    async def _tell(self, verb: str, todo: dict[str, Any], **more: Any) -> Any:
        """Reports how it ended, for as long as the lease lasts; a refusal means that it was not ours any more."""
        failures = 0
        while True:
            try:
                return await self._api.call(verb, todo_id=todo["id"], fence=todo["fence"], **more)
            except Refused as refused:
                log.warning("report_refused", verb=verb, todo_id=todo["id"], code=refused.code)
                return None
            except ServerAway as away:
                failures += 1
                wait = away_wait(failures, away.retry_after, random.random)
                if failures > 10:
                    log.error("report_lost", verb=verb, todo_id=todo["id"])
                    return None
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.get_running_loop().create_future(), wait)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
