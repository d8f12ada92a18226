"""Dead letters: what died, where, and bringing it back or deleting it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reactpy import component

from switchboard_ui.components.dead_letters_depth import dead_letters_depth
from switchboard_ui.components.filtered_todos import filtered_todos
from switchboard_ui.components.operation_action import Target
from switchboard_ui.components.refused_address import refused_address
from switchboard_ui.components.todos_listing import Source
from switchboard_ui.core.dead_letters_queries import (
    before_of,
    cursor_text,
    dead_letters_query,
    newest_dead_letters_query,
)
from switchboard_ui.core.filter_words import every_todo
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.todo_filter import filter_of
from switchboard_ui.core.todos_view import TodoRow, dead_letter_rows
from switchboard_ui.core.zoned_time import viewer_zone
from switchboard_wire.dead_letters import DlqPageAnswer
from switchboard_wire.errors import SwitchboardError, invalid
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operations import OperationKind
from switchboard_wire.todo import TodoState

BULK = (OperationKind.RETRY, OperationKind.PURGE)


@component
def dead_letters_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock
    try:
        job_filter, before = filter_of(place), before_of(place)
        if job_filter.states is not None:
            raise invalid("state", "Every dead letter is dead.")
    except SwitchboardError as error:
        return refused_address(place, error)

    def rows_of(page: DlqPageAnswer) -> dict[int, TodoRow]:
        return dead_letter_rows(page.jobs, tab.zone(), clock.wall())

    everything = job_filter == JobFilter()
    dead = replace(job_filter, states=(TodoState.DEAD,))
    target = Target(dead, every_todo(dead, viewer_zone(tab.zone()), clock.wall()))
    empty = "There are no dead letters." if everything else "No dead letter matches."
    return filtered_todos(
        context,
        place,
        job_filter,
        Source(
            dead_letters_query(job_filter, before), rows_of, lambda page: cursor_text(page.next), target, BULK, empty
        ),
        Source(newest_dead_letters_query(), rows_of, lambda _: None, target, (), empty),
        dead_letters_depth(context, place, key="depth"),
        states=False,
    )
