"""What the page of the schedules reads."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.schedules import ScheduleList

SCHEDULES = "schedules"
"""The scope that a change of a schedule marks."""


def schedules_query() -> Query[ScheduleList]:
    return Query(
        scope=SCHEDULES,
        request=Request("GET", "/api/schedules"),
        decode=lambda response: decode_owning_read(ScheduleList, response),
        floor=Floor.UNCACHED,
        cadence=10.0,
    )
