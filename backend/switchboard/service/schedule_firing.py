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
from switchboard.store.errors import RefusedByDatabase, row_refusals
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

    async def forget_fires(self) -> bool:
        """Of those that are older than the usage is kept, all but the latest of each schedule."""
        async with self._database.session() as connection:
            await statements.schedules.forget_fires(connection)
        return False


async def _fire(connection: Connection, row: Row) -> None:
    try:
        following = next_fire(row["cron"], row["tz"], row["at"])
        scheduled = latest_fire(row["cron"], row["tz"], row["at"])
    except (InvalidCron, UnknownZone, ValueError) as error:
        await _set_aside(connection, row, str(error))
        return
    # A rule that changed with the zone database may name no time since the one that was stored.
    if scheduled is None or scheduled < row["next_fire_at"]:
        scheduled = row["next_fire_at"]
    todo_id = None
    if row["missed"] == "fire_once" or row["at"] - scheduled <= GRACE:
        try:
            async with row_refusals(), connection.transaction():  # a savepoint: what fails must leave us able to say so
                todo_id = await statements.schedules.make_todo(
                    connection, schedule_id=row["id"], scheduled_at=scheduled
                )
        except RefusedByDatabase as error:
            await _set_aside(connection, row, f"The todo could not be made: {error}")
            return
        if todo_id is None and not await statements.schedules.fired(
            connection, schedule_id=row["id"], scheduled_at=scheduled
        ):
            await _set_aside(connection, row, "No endpoint drains this queue any more.")
            return
    await statements.schedules.advance(
        connection,
        schedule_id=row["id"],
        version=row["version"],
        was_due_at=row["next_fire_at"],
        next_fire_at=following,
        last_fired_at=scheduled if todo_id is not None else None,
    )


async def _set_aside(connection: Connection, row: Row, fault: str) -> None:
    """With the reason to be seen: it would be due again at once, and the others must have their turn."""
    log.warning("schedule_set_aside", schedule=row["id"], fault=fault)
    await statements.schedules.set_aside(connection, schedule_id=row["id"], fault=fault[:500])
