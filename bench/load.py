"""A load of workers, run in a process of its own so that it shares no interpreter with what it measures.

Both a run's time and its number of todos are bounded.
"""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson

WARM_CYCLES = 3
MOST_SECONDS, MOST_TODOS = 60.0, 1_000_000


@dataclass(frozen=True, slots=True)
class Route:
    """Who claims where: a credential, and the names of the queues it asks for (None: all that it was granted)."""

    credential: str
    queues: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """What to do. `over` is "http" (to `url`) or "asyncpg" (on the database `url`).

    Each worker takes the routes in turn (`chained`: keeps to one), claims up to `limit`, works for `hold` seconds, and
    completes what it claimed in one request; `chained` claims the next ones along with that. The run ends after
    `seconds`, after `claims` claims, or, unless `wait` says to go on, when a claim finds nothing.
    """

    over: str
    url: str
    routes: list[Route]
    workers: int
    limit: int
    seconds: float
    claims: int = MOST_TODOS
    wait: bool = False
    chained: bool = False
    hold: float = 0.0


@dataclass(slots=True)
class Yield:
    """What came of it: todos completed, the time that took, and how long each claim took, in seconds."""

    todos: int = 0
    seconds: float = 0.0
    claim_seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.todos / self.seconds


class Worker(ABC):
    """One worker's way to the queue."""

    @abstractmethod
    async def claim(self, route: Route) -> list[int]:
        """The ids of the claimed todos."""

    @abstractmethod
    async def complete(self, route: Route, todo_ids: list[int], following: Route | None = None) -> list[int]:
        """The ids of the todos claimed along with it, if a route says where."""

    @abstractmethod
    async def close(self) -> None: ...


async def run_load(load: Load) -> Yield:
    """Runs it in a process of its own. Raises RuntimeError with what went wrong there."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.load_process",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MOST_SECONDS + 30):
            output, complaint = await process.communicate(orjson.dumps(load))
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        raise RuntimeError(complaint.decode(errors="replace"))
    result = Yield(**orjson.loads(output))
    if not result.todos and not load.wait:
        raise RuntimeError("nothing was claimed")
    return result


async def perform(load: Load, workers: Sequence[Worker]) -> Yield:
    """All workers warm up, then start together."""
    result = Yield()
    ready = asyncio.Barrier(len(workers))
    begun = ended = 0.0
    claims = itertools.count(1)

    async def work(number: int, worker: Worker) -> None:
        nonlocal begun, ended
        turns = itertools.cycle(load.routes[number % len(load.routes) :] + load.routes[: number % len(load.routes)])
        for _ in range(WARM_CYCLES):
            route = next(turns)
            ids = await worker.claim(route)
            while ids:
                ids = await worker.complete(route, ids)
        await ready.wait()
        begun = begun or time.perf_counter()
        end = begun + min(load.seconds, MOST_SECONDS)
        ids: list[int] = []
        for route in itertools.repeat(next(turns)) if load.chained else turns:
            before = time.perf_counter()
            if before >= end or next(claims) > load.claims or result.todos >= MOST_TODOS:
                break
            if not ids:
                ids = await worker.claim(route)
                ended = time.perf_counter()
                result.claim_seconds.append(ended - before)
            if not ids:
                if load.wait:
                    continue
                break
            if load.hold:
                await asyncio.sleep(load.hold)
            done, ids = len(ids), await worker.complete(route, ids, route if load.chained else None)
            result.todos += done
            ended = time.perf_counter()

    try:
        async with asyncio.TaskGroup() as group:
            for number, worker in enumerate(workers):
                group.create_task(work(number, worker))
    finally:
        for worker in workers:
            await worker.close()
    result.seconds = ended - begun
    return result
