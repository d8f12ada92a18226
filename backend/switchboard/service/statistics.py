"""Statistics of the work in the queues that a human may see, and of the database for instance operators."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard.store.rows import Row
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.statistics import (
    MOST_KINDS,
    STATE_CAP,
    KindCount,
    Kinds,
    Minute,
    Series,
    SeriesParameters,
    StateCount,
    Statistics,
    Storage,
    TableStorage,
    Throughput,
)
from switchboard_wire.todo import TodoState

from .reach import visible_queues
from .read_budget import ReadDeadline

HOUR_SECONDS = 3600


class StatisticsReads:
    """Each read is one snapshot."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def statistics(self, human: Human, deadline: ReadDeadline) -> Statistics:
        async with self._database.read(deadline.budget()) as connection:
            queue_ids = list(await visible_queues(connection, human))
            counts = await statements.statistics.state_counts(connection, queue_ids=queue_ids, cap=STATE_CAP + 1)
            oldest = await statements.statistics.oldest_waiting(connection, queue_ids=queue_ids)
            kept = await statements.statistics.attempts_known(connection)
            moments = await statements.statistics.moments(connection, hour_seconds=HOUR_SECONDS, minutes=1)
            hour = await statements.statistics.throughput(connection, queue_ids=queue_ids, since=moments["hour"])
        known = _known(kept, moments["hour"])
        return Statistics(
            states=tuple(
                StateCount(TodoState(row["state"]), min(row["count"], STATE_CAP), row["count"] > STATE_CAP)
                for row in counts
            ),
            cap=STATE_CAP,
            oldest_waiting_at=oldest,
            last_hour=Throughput(
                *((hour[name] if known else None) for name in ("claimed", "completed", "failed", "lapsed"))
            ),
        )

    async def series(self, human: Human, asked: SeriesParameters, deadline: ReadDeadline) -> Series:
        async with self._database.read(deadline.budget()) as connection:
            queue_ids = list(await visible_queues(connection, human))
            kept = await statements.statistics.attempts_known(connection)
            moments = await statements.statistics.moments(connection, hour_seconds=HOUR_SECONDS, minutes=asked.minutes)
            rows = await statements.statistics.minutes(
                connection, queue_ids=queue_ids, since=moments["first_minute"], minutes=asked.minutes
            )
        return Series(tuple(_minute(row, known=_known(kept, row["at"])) for row in rows))

    async def kinds(self, human: Human, deadline: ReadDeadline) -> Kinds:
        async with self._database.read(deadline.budget()) as connection:
            queue_ids = list(await visible_queues(connection, human))
            rows = await statements.statistics.kinds(connection, queue_ids=queue_ids, limit=MOST_KINDS + 1)
        return Kinds(tuple(KindCount(row["kind"], row["count"]) for row in rows[:MOST_KINDS]), len(rows) > MOST_KINDS)

    async def storage(self, human: Human, deadline: ReadDeadline) -> Storage:
        """Raises forbidden for who is no instance operator."""
        if not human.operator:
            raise SwitchboardError(ErrorCode.FORBIDDEN, "Only instance operators see the storage.")
        async with self._database.read(deadline.budget()) as connection:
            row = await statements.statistics.storage(connection)
            tables = await statements.statistics.tables(connection)
        return Storage(**row, tables=tuple(TableStorage(**table) for table in tables))


def _known(kept: Row, since: datetime) -> bool:
    """Whether every attempt since that instant is kept. With no todo at all, nobody can tell."""
    return bool(kept["all_of_them"] or (kept["since"] is not None and kept["since"] <= since))


def _minute(row: Row, *, known: bool) -> Minute:
    return Minute(
        started_at=row["at"],
        claimed=row["claimed"] if known else None,
        completed=row["completed"] if known else None,
        failed=row["failed"] if known else None,
        waited_p50_ms=_milliseconds(row["waited_p50"]) if known else None,
        waited_p95_ms=_milliseconds(row["waited_p95"]) if known else None,
    )


def _milliseconds(seconds: Any) -> int | None:
    return None if seconds is None else int(float(seconds) * 1000)
