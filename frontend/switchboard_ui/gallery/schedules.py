"""Schedules: in each state, and their form with what can be wrong with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from reactpy import html

from switchboard_ui.components.form_field import FieldFault, form_field
from switchboard_ui.components.schedule_form import drawn_schedule_form, new_schedule
from switchboard_ui.components.schedules_table import schedule_row, schedules_table
from switchboard_ui.core.schedule_form import form_values
from switchboard_ui.core.schedules_view import schedule_rows, schedules_summary
from switchboard_ui.gallery.still import NOW, VIEWER, still_context
from switchboard_wire.schedules import Missed, Schedule, ScheduleList

NIGHTLY = Schedule(
    id=7,
    scope="endpoint:research",
    queue="investigations",
    name="nightly sweep",
    kind="sweep",
    title="Sweep the sensors",
    source="schedule",
    payload={"depth": 2},
    tags=("night", "eu"),
    max_attempts=5,
    cron="0 2 * * *",
    tz="America/Los_Angeles",
    missed=Missed.SKIP,
    paused=False,
    fault=None,
    next_fire_at=NOW + timedelta(hours=2, minutes=30),
    last_fired_at=NOW - timedelta(hours=21, minutes=30),
    version=3,
    created_by="ada",
    created_at=NOW - timedelta(days=9),
    updated_at=NOW - timedelta(days=9),
)
IN_EACH_STATE = (
    NIGHTLY,
    replace(NIGHTLY, id=8, name="digest", tz=VIEWER, missed=Missed.FIRE_ONCE, last_fired_at=None),
    replace(NIGHTLY, id=9, name="paused one", paused=True),
    replace(NIGHTLY, id=10, name="a-name-with-no-place-to-break" * 4, fault="No endpoint drains this queue."),
)
CHOICES = {"1": ("endpoint:research", "investigations"), "2": ("team:ops", "mail")}
NEW = form_values(None, VIEWER)


def states() -> dict[str, Any]:
    return {
        "new-button": new_schedule(),
        "none": _table(),
        "in-each-state": _table(*IN_EACH_STATE),
        "fields": html.div(
            form_field("one", "One line", "A hint.", None, "text", name="one"),
            form_field("many", "Many lines", "", None, "text", name="many", lines=4),
            form_field("choice", "A choice", "", "Choose one.", "a", name="choice", options={"a": "A", "b": "B"}),
        ),
        "form-of-a-new-one": drawn_schedule_form(None, NEW, CHOICES, stem="new"),
        "queues-not-known": drawn_schedule_form(None, NEW, stem="unknown"),
        "form-with-a-fault": drawn_schedule_form(
            None, NEW, CHOICES, FieldFault("cron", "This cron expression never fires."), stem="fault"
        ),
        "changed-by-somebody-else": drawn_schedule_form(
            NIGHTLY,
            form_values(NIGHTLY, VIEWER),
            told="This schedule has been changed since.",
            newer=replace(NIGHTLY, version=4, cron="30 3 * * *", missed=Missed.FIRE_ONCE),
            stem="newer",
        ),
    }


def _table(*schedules: Schedule) -> Any:
    listed, context = ScheduleList(schedules), still_context()
    rows = schedule_rows(listed, None, VIEWER, NOW)
    drawn = [
        html.fragment({"key": str(each)}, schedule_row(context, row, lambda _: None)) for each, row in rows.items()
    ]
    return schedules_table(schedules_summary(listed), drawn)
