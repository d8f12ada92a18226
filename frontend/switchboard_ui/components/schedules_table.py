"""The schedules, one a row, with what can be done to each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import html

from switchboard_ui.components.action import Confirmation, action
from switchboard_ui.components.data_table import Column, cell, data_table
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.actions import Mutation
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.schedules_query import SCHEDULES
from switchboard_ui.core.schedules_view import ScheduleRow
from switchboard_wire.schedules import Schedule, Triggered

NAME = "schedules"
NOT_YOURS = "Managed by others."
_COLUMNS = (
    Column("Schedule"),
    Column("Queue"),
    Column("When"),
    Column("Next fire"),
    Column("Last fire"),
    Column("State"),
    Column("Missed fires"),
    Column("Actions"),
)


def schedules_table(summary: str, rows: list[Any]) -> Any:
    return data_table(NAME, summary, _COLUMNS, rows, empty="There are no schedules that you may see.")


def schedule_row(context: PageContext, row: ScheduleRow, edit: Callable[[Schedule], None]) -> Any:
    one = row.schedule
    return html.tr(
        {"data-schedule": str(one.id)},
        html.th({"scope": "row"}, one.name, " ", html.span({"class": "title"}, one.title)),
        cell(one.queue, " ", html.span({"class": "scope"}, one.scope)),
        cell(html.code(one.cron), " ", html.span({"class": "scope"}, one.tz)),
        cell(f"none while it is {row.state}" if row.next is None else zoned(row.next)),
        cell("never" if row.last is None else zoned(row.last)),
        cell(
            html.span({"class": f"state {row.kind}", "data-state": row.kind}, row.state),
            ""
            if row.fault is None
            else html.span({"class": "quiet fault-words"}, f" {row.fault} Edit it to set it going."),
        ),
        cell(row.missed),
        cell(NOT_YOURS if row.manageable is False else html.div({"class": "actions"}, *_actions(context, row, edit))),
    )


def _actions(context: PageContext, row: ScheduleRow, edit: Callable[[Schedule], None]) -> list[Any]:
    if context.read_only:
        return ["none: this server is read-only"]
    one = row.schedule
    path, about = f"/api/schedules/{one.id}", f"schedule {one.name}"
    verb = "resume" if one.paused else "pause"

    def change(_: Any) -> None:
        edit(one)

    def after_deletion() -> None:
        context.ports.tab.focus(f"{NAME}-caption")

    delete = Confirmation(
        f"Delete schedule {one.name}?",
        (html.p(f"It makes no more todos in queue {one.queue} ({one.scope}). Those that it made stay."),),
        "Delete it",
    )
    return [
        action(
            context,
            f"trigger-{one.id}",
            "Trigger",
            Mutation("POST", f"{path}/trigger", Triggered, (SCHEDULES, "jobs", "queues")),
            lambda triggered: f"Todo {triggered.todo_id} was made.",
            about=about,
            key="trigger",
        ),
        action(
            context,
            f"switch-{one.id}",
            verb.capitalize(),
            Mutation("POST", f"{path}/{verb}", Schedule, (SCHEDULES,)),
            lambda now: f"{now.name} is {'paused' if now.paused else 'on again'}.",
            about=about,
            key="switch",
        ),
        html.button(
            {"type": "button", "id": f"edit-{one.id}", "key": "edit", "onClick": change},
            "Edit…",
            html.span({"class": "unseen"}, f" {about}"),
        ),
        action(
            context,
            f"delete-{one.id}",
            "Delete",
            Mutation("DELETE", path, Schedule, (SCHEDULES,)),
            lambda gone: f"Schedule {gone.name} is deleted.",
            delete,
            about=about,
            danger=True,
            then=after_deletion,
            key="delete",
        ),
    ]
