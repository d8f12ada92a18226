"""Workers: read from evidence, judged at serve time."""

from __future__ import annotations

from datetime import timedelta

from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard.store.rows import Row
from switchboard_wire.workers import MOST_WORKERS, Workers, WorkerState, WorkerView

from .read_budget import ReadDeadline

LIVE_FOR = timedelta(seconds=60)


class WorkerReads:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def workers(self, human: Human, deadline: ReadDeadline) -> Workers:
        """Those of the endpoints that this human may see (D6)."""
        async with self._database.read(deadline.budget()) as connection:
            rows = await statements.workers.workers(
                connection, human_id=human.id, operator=human.operator, limit=MOST_WORKERS + 1
            )
        return Workers(tuple(_view(row) for row in rows[:MOST_WORKERS]), len(rows) > MOST_WORKERS)


def _view(row: Row) -> WorkerView:
    leased = row["lease_expires_at"] is not None and row["lease_expires_at"] > row["at"]
    recent = row["at"] - row["last_seen_at"] < LIVE_FOR
    return WorkerView(
        endpoint=row["endpoint"],
        name=row["name"],
        state=WorkerState.LIVE if leased or recent else WorkerState.SILENT,
        last_seen_at=row["last_seen_at"],
        in_flight=row["in_flight"],
        lease_expires_at=row["lease_expires_at"],
    )
