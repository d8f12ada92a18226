"""Schedules: what makes todos by the clock, and changing it."""

from __future__ import annotations

from typing import Any

from reactpy import component, html, use_state

from switchboard_ui.components.live_rows import Listing, live_rows
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.schedule_form import new_schedule, schedule_form
from switchboard_ui.components.schedules_table import schedule_row, schedules_table
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.board_queries import queues_query
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.schedules_query import schedules_query
from switchboard_ui.core.schedules_view import ScheduleRow, schedule_rows, schedules_summary
from switchboard_wire.schedules import Schedule

SCHEDULES, QUEUES = schedules_query(), queues_query()
_CLOSED: tuple[bool, Schedule | None] = (False, None)


@component
def schedules_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock
    (open_, editing), set_form = use_state(_CLOSED)
    told, set_told = use_state("")

    def listing(observations: tuple[Observation[Any], ...]) -> Listing:
        schedules, queues = observations
        if schedules.data is None:
            return Listing(None, schedules.state is State.LOADING)
        rows = schedule_rows(schedules.data, queues.data, tab.zone(), clock.wall())
        return Listing(rows, schedules_summary(schedules.data))

    def draw(around: Any, rows: list[Any] | None) -> Any:
        return absent(loading=around) if rows is None else schedules_table(around, rows)

    def draw_row(row: ScheduleRow) -> Any:
        return schedule_row(context, row, edit)

    def edit(schedule: Schedule) -> None:
        set_told("")
        set_form((True, schedule))

    def begin(_: Any) -> None:
        set_told("")
        set_form((True, None))

    def close() -> None:
        set_form(_CLOSED)
        tab.focus("new-schedule" if editing is None else f"edit-{editing.id}")

    def saved(now: Schedule) -> None:
        text = f"Schedule {now.name} is {'made' if editing is None else 'saved'}."
        set_told(text)
        context.voice.answer(text)
        close()

    both = (SCHEDULES, QUEUES)
    return html.fragment(
        trust_line(context, (SCHEDULES,), place.what, key="trust"),
        html.div(
            {"class": "controls", "key": "controls"},
            update_controls(context, both, key="updates"),
            "" if context.read_only else new_schedule(begin),
            html.span({"class": "outcome", "id": "schedule-saved"}, told) if told else "",
        ),
        schedule_form(context, editing, close, saved, key="form") if open_ else "",
        live_rows(context, both, listing, draw, draw_row, key="rows"),
    )
