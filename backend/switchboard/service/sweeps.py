"""The background sweeps: each is safe in any number of servers at once, and stops with the server's lifespan."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from switchboard.core.admission import REAPER_INTERVAL
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard.store.errors import DatabaseUnavailable, LockTimeout, StatementTimeout
from switchboard.store.worker_sightings import WorkerSightings

from .operation_executor import OperationExecutor, OperationRetention
from .retention import Retention
from .schedule_firing import ScheduleFiring
from .webhook_deliveries import WebhookRetention

log = structlog.get_logger(__name__)

BATCH = 500
FORGOTTEN_AFTER_SECONDS = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Sweep:
    """`run_once` does a bounded piece of work and tells whether more may be waiting; `every` is in seconds."""

    name: str
    every: float
    run_once: Callable[[], Awaitable[bool]]


def sweeps(database: Database, sightings: WorkerSightings | None = None) -> list[Sweep]:
    """Reaper, due retries and scheduled todos, expired browser sessions, sightings of workers, retention."""

    async def reap() -> bool:
        async with database.session() as connection:
            row = await statements.sweeps.reap_lapsed(connection, batch=BATCH)
        if row["pending"] or row["dead"]:
            log.info("leases_reaped", pending=row["pending"], dead=row["dead"])
        return bool(row["pending"] + row["dead"] >= BATCH)

    async def promote() -> bool:
        async with database.session() as connection:
            row = await statements.sweeps.promote_due(connection, batch=BATCH)
        return bool(row["promoted"] >= BATCH)

    async def forget_sessions() -> bool:
        async with database.session() as connection:
            await statements.accounts.delete_expired_sessions(connection)
        return False

    async def note_workers() -> bool:
        if sightings is not None:
            await sightings.note(database)
        return False

    async def forget_workers() -> bool:
        async with database.session() as connection:
            await statements.workers.forget_silent(connection, seconds=FORGOTTEN_AFTER_SECONDS)
        return False

    return [
        Sweep("workers", 5.0, note_workers),
        Sweep("silent workers", 3600.0, forget_workers),
        Sweep("reaper", REAPER_INTERVAL.total_seconds(), reap),
        Sweep("due", 1.0, promote),
        Sweep("operations", 1.0, OperationExecutor(database).run_once),
        Sweep("operation items", 3600.0, OperationRetention(database).run_once),
        Sweep("schedules", 1.0, ScheduleFiring(database).run_once),
        Sweep("schedule fires", 3600.0, ScheduleFiring(database).forget_fires),
        Sweep("sessions", 600.0, forget_sessions),
        Sweep("retention", 600.0, Retention(database).run_once),
        Sweep("webhook events", 3600.0, WebhookRetention(database).run_once),
    ]


class SweepRunner:
    """Runs every sweep on its own timer until stopped."""

    def __init__(self, every: list[Sweep]) -> None:
        self._sweeps = every
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._loop(sweep), name=f"sweep {sweep.name}") for sweep in self._sweeps]

    async def stop(self) -> None:
        """Idempotent. A sweep in the middle of its work finishes that piece."""
        self._stopping.set()
        await asyncio.gather(*self._tasks)
        self._tasks = []

    async def _loop(self, sweep: Sweep) -> None:
        failing = False
        while not self._stopping.is_set():
            more = False
            try:
                more = await sweep.run_once()
                if failing:
                    log.info("sweep_recovered", sweep=sweep.name)
                failing = False
            except (DatabaseUnavailable, StatementTimeout, LockTimeout) as error:
                if not failing:  # once for an outage, not once a tick
                    log.warning("sweep_failed", sweep=sweep.name, error=str(error))
                failing = True
            except Exception:
                log.exception("sweep_crashed", sweep=sweep.name)
            if more:
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), sweep.every)
