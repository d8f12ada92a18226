"""Schedules under a human's hand. Who may manage the queue may manage its schedules; the rest are told of none."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from switchboard.core.identity import Human
from switchboard.core.raw_json import RawJson
from switchboard.core.schedules import InvalidCron, next_fire
from switchboard.core.zones import UnknownZone
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard.store.errors import DuplicateKey, translated
from switchboard.store.rows import Row
from switchboard_wire.encode import encode_json
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid
from switchboard_wire.operator_actions import OperatorAction
from switchboard_wire.schedules import (
    EditedSchedule,
    Missed,
    NewSchedule,
    Schedule,
    ScheduleList,
    ScheduleTemplate,
    Triggered,
)

from .operator_audit import audited
from .policies import PolicyService
from .read_budget import ReadDeadline


class Schedules:
    def __init__(self, database: Database, policies: PolicyService) -> None:
        self._database = database
        self._policies = policies

    async def list(self, human: Human, deadline: ReadDeadline) -> ScheduleList:
        """Every schedule that this human may read (D6)."""
        async with self._database.read(deadline.budget()) as connection:
            rows = await statements.schedules.visible(
                connection, human_id=human.id, operator=human.operator, schedule_id=None
            )
        return ScheduleList(tuple(_schedule(row) for row in rows))

    async def get(self, human: Human, schedule_id: int) -> Schedule:
        """Raises not_found."""
        async with self._database.session() as connection:
            return _schedule(await _found(connection, human, schedule_id, manage=False))

    async def create(self, human: Human, ask: NewSchedule) -> Schedule:
        """Raises not_found, invalid_argument, or conflict when the queue has a schedule of the name."""
        async with self._database.change() as connection:
            queue = await self._policies.manageable(connection, human, ask.scope, ask.queue)
            following = _next(ask, await statements.schedules.clock(connection))
            schedule_id = await statements.schedules.add(
                connection, queue_id=queue.id, human_id=human.id, next_fire_at=following, **_template(ask)
            )
            if schedule_id is None:
                raise _name_taken()
            return await _done(connection, human, schedule_id, OperatorAction.SCHEDULES_CREATE)

    async def edit(self, human: Human, schedule_id: int, ask: EditedSchedule) -> Schedule:
        """Raises not_found, invalid_argument, or conflict for another version or a name that is taken."""
        async with self._database.change() as connection:
            await _found(connection, human, schedule_id)
            following = _next(ask, await statements.schedules.clock(connection))
            try:
                async with translated():
                    done = await statements.schedules.edit(
                        connection,
                        schedule_id=schedule_id,
                        version=ask.version,
                        next_fire_at=following,
                        **_template(ask),
                    )
            except DuplicateKey as error:
                raise _name_taken() from error
            if done is None:
                raise SwitchboardError(ErrorCode.CONFLICT, "This schedule has been changed since.", field="version")
            return await _done(connection, human, schedule_id, OperatorAction.SCHEDULES_EDIT)

    async def trigger(self, human: Human, schedule_id: int) -> Triggered:
        """One todo now; the next fire stays where it is. Raises not_found, or conflict when no endpoint drains it."""
        async with self._database.change() as connection:
            await _found(connection, human, schedule_id)
            await statements.schedules.lock_one(connection, schedule_id=schedule_id)
            at = await statements.schedules.free_instant(connection, schedule_id=schedule_id)
            todo_id = await statements.schedules.make_todo(connection, schedule_id=schedule_id, scheduled_at=at)
            if todo_id is None:
                raise SwitchboardError(ErrorCode.CONFLICT, "No todo was made: no endpoint drains this queue.")
            await _done(connection, human, schedule_id, OperatorAction.SCHEDULES_TRIGGER, made=1)
        return Triggered(todo_id)

    async def pause(self, human: Human, schedule_id: int) -> Schedule:
        return await self._set_paused(human, schedule_id, True)

    async def resume(self, human: Human, schedule_id: int) -> Schedule:
        """The next fire is the first after now: what came round during the pause was not missed, but unwanted."""
        return await self._set_paused(human, schedule_id, False)

    async def _set_paused(self, human: Human, schedule_id: int, paused: bool) -> Schedule:
        async with self._database.change() as connection:
            row = await _found(connection, human, schedule_id)
            following = None
            if not paused:
                following = _next(_schedule(row), await statements.schedules.clock(connection))
            await statements.schedules.set_paused(
                connection, schedule_id=schedule_id, paused=paused, next_fire_at=following
            )
            action = OperatorAction.SCHEDULES_PAUSE if paused else OperatorAction.SCHEDULES_RESUME
            return await _done(connection, human, schedule_id, action)

    async def delete(self, human: Human, schedule_id: int) -> Schedule:
        """The schedule as it was; its todos stay. Raises not_found."""
        async with self._database.change() as connection:
            gone = await _done(connection, human, schedule_id, OperatorAction.SCHEDULES_DELETE)
            await statements.schedules.remove(connection, schedule_id=schedule_id)
        return gone


async def _done(
    connection: Connection, human: Human, schedule_id: int, action: OperatorAction, **counts: int
) -> Schedule:
    """The schedule as it stands, with who did this to it on record. Raises not_found."""
    row = await _found(connection, human, schedule_id)
    about = {"schedule_id": schedule_id, "name": row["name"], "version": row["version"]}
    await audited(connection, human, action, about, row["queue_id"], counts or {"changed": 1})
    return _schedule(row)


async def _found(connection: Connection, human: Human, schedule_id: int, *, manage: bool = True) -> Row:
    rows = await statements.schedules.visible(
        connection, human_id=human.id, operator=human.operator, schedule_id=schedule_id
    )
    if not rows or (manage and not rows[0]["manageable"]):
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such schedule that you may manage.")
    row: Row = rows[0]
    return row


def _name_taken() -> SwitchboardError:
    return SwitchboardError(ErrorCode.CONFLICT, "This queue has a schedule of that name.", field="name")


def _next(ask: ScheduleTemplate | Schedule, now: datetime) -> datetime:
    try:
        return next_fire(ask.cron, ask.tz, now)
    except UnknownZone as error:
        raise invalid("tz", "This is no time zone of the bundled database.") from error
    except InvalidCron as error:
        raise invalid("cron", str(error)) from error


def _template(ask: ScheduleTemplate) -> dict[str, Any]:
    names = ("name", "kind", "title", "source", "max_attempts", "cron", "tz")
    values = {name: getattr(ask, name) for name in names}
    return values | {"payload": encode_json(ask.payload), "tags": list(ask.tags), "missed": ask.missed.value}


def _schedule(row: Row) -> Schedule:
    names = ("id", "scope", "queue", "name", "kind", "title", "source", "max_attempts", "cron", "tz", "paused", "fault")
    more = ("next_fire_at", "last_fired_at", "version", "created_by", "created_at", "updated_at")
    values = {name: row[name] for name in names + more}
    return Schedule(**values, payload=RawJson(row["payload"]), tags=tuple(row["tags"]), missed=Missed(row["missed"]))
