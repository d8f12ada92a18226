"""What is forgotten, and when: finished todos with their attempts, and usage of windows long past."""

from __future__ import annotations

from datetime import timedelta

import structlog

from switchboard.store import statements
from switchboard.store.database import Database

log = structlog.get_logger(__name__)

KEEP_FINISHED = timedelta(days=30)
KEEP_FINISHED_COUNT = 500_000
KEEP_USAGE = timedelta(days=35)
BATCH = 2000


class Retention:
    """Walks the todos in stretches, oldest first. Pending, claimed, scheduled and parked todos are never touched."""

    def __init__(
        self, database: Database, *, keep: timedelta = KEEP_FINISHED, keep_count: int = KEEP_FINISHED_COUNT
    ) -> None:
        self._database = database
        self._keep = keep
        self._keep_count = keep_count
        self._after_id = 0
        self._floor_id = 0

    async def run_once(self) -> bool:
        """One stretch; True while the walk has not come to what is young enough to stay."""
        async with self._database.session() as connection:
            if self._after_id == 0:
                self._floor_id = await statements.retention.floor_id(connection, keep=self._keep_count)
                await statements.retention.prune_usage(connection, age=KEEP_USAGE)
            row = await statements.retention.prune_todos(
                connection, after_id=self._after_id, batch=BATCH, age=self._keep, floor_id=self._floor_id
            )
        if row["pruned"]:
            log.info("todos_pruned", count=row["pruned"])
        self._after_id = 0 if row["reached"] else row["last_id"]
        return not row["reached"]
