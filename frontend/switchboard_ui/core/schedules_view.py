"""Schedules in words: when they fire, whether they do, and what becomes of fires that were missed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.row_store import RowId
from switchboard_ui.core.zoned_time import ZonedTime, in_both_zones, to_the_second, viewer_zone
from switchboard_wire.reads import QueuesPage
from switchboard_wire.schedules import Missed, Schedule, ScheduleList

MISSED_WORDS = {Missed.SKIP: "skipped", Missed.FIRE_ONCE: "made up once"}


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """`kind` and `state` are the state's machine and human words; `fault` tells why it is set aside.

    `next` None: it does not fire as things stand. `last` None: it never has. `manageable` None: not known.
    """

    schedule: Schedule
    kind: str
    state: str
    fault: str | None
    next: ZonedTime | None
    last: ZonedTime | None
    missed: str
    manageable: bool | None


def schedule_rows(
    listed: ScheduleList, queues: QueuesPage | None, viewer: str, now: datetime
) -> dict[RowId, ScheduleRow]:
    """In the server's order. `queues` None: not known; `viewer` is an IANA zone name; `now` is aware."""
    zone = viewer_zone(viewer)
    manageable = {} if queues is None else {(q.admission.scope, q.admission.queue): q.manageable for q in queues.queues}
    return {
        schedule.id: _row(schedule, manageable.get((schedule.scope, schedule.queue)), zone, now)
        for schedule in listed.schedules
    }


def schedules_summary(listed: ScheduleList) -> str:
    """ "Schedules: 3, 1 of them paused, 1 set aside." """
    parts = [f"Schedules: {len(listed.schedules):,}"]
    paused = sum(one.paused and one.fault is None for one in listed.schedules)
    aside = sum(one.fault is not None for one in listed.schedules)
    if paused:
        parts.append(f"{paused:,} paused")
    if aside:
        parts.append(f"{aside:,} set aside")
    return ", ".join(parts) + "."


def _row(one: Schedule, manageable: bool | None, viewer: ZoneInfo, now: datetime) -> ScheduleRow:
    if one.fault is not None:
        kind, state = "fault", "set aside and paused" if one.paused else "set aside"
    else:
        kind = state = "paused" if one.paused else "on"
    fires = kind == "on"
    return ScheduleRow(
        schedule=one,
        kind=kind,
        state=state,
        fault=one.fault,
        next=in_both_zones(one.next_fire_at, viewer_zone(one.tz), viewer, now, named=False) if fires else None,
        last=None if one.last_fired_at is None else to_the_second(one.last_fired_at, viewer, now),
        missed=MISSED_WORDS[one.missed],
        manageable=manageable,
    )
