"""Due schedules make their todos: one transaction each, in any number of servers at once, by the database's clock.

However many fires were missed, at most one todo is made for them, for the latest. `fire_once` makes it however late it
is; `skip` only within the grace. The todo and the new next fire commit together, so a crash fires once, later.
"""

from __future__ import annotations

from datetime import timedelta

import structlog

from switchboard.core.schedules import InvalidCron, latest_fire, next_fire
from switchboard.core.zones import UnknownZone
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.rows import Row

log = structlog.get_logger(__name__)

BATCH = 100
GRACE = timedelta(seconds=60)


class ScheduleFiring:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def run_once(self) -> bool:
        """True when more may be due."""
        for _ in range(BATCH):
            async with self._database.transaction() as connection:
                row = await statements.schedules.lock_due(connection)
                if row is None:
                    return False
                await _fire(connection, row)
        return True


async def _fire(connection: Connection, row: Row) -> None:
    try:
        following = next_fire(row["cron"], row["tz"], row["at"])
        scheduled = latest_fire(row["cron"], row["tz"], row["at"])
    except (InvalidCron, UnknownZone, ValueError) as error:
        # Set aside, with the reason to be seen: it would be due again at once, and the others must have their turn.
        log.warning("schedule_set_aside", schedule=row["id"], fault=str(error))
        await statements.schedules.set_aside(connection, schedule_id=row["id"], fault=str(error)[:500])
        return
    # A rule that changed with the zone database may name no time since the one that was stored.
    if scheduled is None or scheduled < row["next_fire_at"]:
        scheduled = row["next_fire_at"]
    todo_id = None
    if row["missed"] == "fire_once" or row["at"] - scheduled <= GRACE:
        todo_id = await statements.schedules.make_todo(connection, schedule_id=row["id"], scheduled_at=scheduled)
    await statements.schedules.advance(
        connection,
        schedule_id=row["id"],
        version=row["version"],
        was_due_at=row["next_fire_at"],
        next_fire_at=following,
        last_fired_at=scheduled if todo_id is not None else None,
    )
