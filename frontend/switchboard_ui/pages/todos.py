"""Todos: filtered, page by page, and changed many at once."""

from __future__ import annotations

from typing import Any

from reactpy import component, use_ref

from switchboard_ui.components.filtered_todos import filtered_todos
from switchboard_ui.components.observed import key_of
from switchboard_ui.components.operation_action import Target
from switchboard_ui.components.refused_address import refused_address
from switchboard_ui.components.todos_count import todos_count
from switchboard_ui.components.todos_listing import Source
from switchboard_ui.core.filter_words import every_todo
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.todo_filter import before_id_of, filter_of
from switchboard_ui.core.todos_queries import newest_todos_query, todos_count_query, todos_query
from switchboard_ui.core.todos_view import TodoRow, todo_rows
from switchboard_ui.core.zoned_time import viewer_zone
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operations import OperationKind
from switchboard_wire.reads import JobsPage

BULK = (OperationKind.RETRY, OperationKind.CANCEL, OperationKind.MOVE, OperationKind.PURGE)


@component
def todos_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock
    first = use_ref(place)
    try:
        job_filter, before = filter_of(place), before_id_of(place)
    except SwitchboardError as error:
        return refused_address(place, error)

    def rows_of(page: JobsPage) -> dict[int, TodoRow]:
        return todo_rows(page.jobs, tab.zone(), clock.wall())

    def cursor_of(page: JobsPage) -> str | None:
        return None if page.next_before_id is None else str(page.next_before_id)

    everything = job_filter == JobFilter()
    target = Target(job_filter, every_todo(job_filter, viewer_zone(tab.zone()), clock.wall()))
    empty = "There are no todos yet." if everything else "No todo matches."
    count = todos_count_query(job_filter)
    return filtered_todos(
        context,
        place,
        job_filter,
        Source(todos_query(job_filter, before), rows_of, cursor_of, target, BULK, empty),
        Source(newest_todos_query(), rows_of, lambda _: None, target, (), empty),
        todos_count(context, count, announced=place.parameters != first.current.parameters, key=key_of((count,))),
    )
