"""One page of a listing of todos: chosen, changed many at once, and followed from page to page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactpy import component, html, use_ref, use_state

from switchboard_ui.components.choosing import choose_all, choose_row, chosen_line
from switchboard_ui.components.live_rows import Listing, live_rows
from switchboard_ui.components.operation_action import Target, operation_action
from switchboard_ui.components.operation_line import operation_line
from switchboard_ui.components.pagination import pagination
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.todos_table import todo_cells, todos_table
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.query import Query
from switchboard_ui.core.selection import Selection
from switchboard_ui.core.todos_view import TodoRow, with_left
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operations import Operation, OperationKind


@dataclass(frozen=True)
class Source:
    """Where a listing comes from, and what may be done with it.

    `rows_of` makes rows of an answer, `cursor_of` the next page's cursor (None: there is none). `everything` names all
    that the listing goes through, page by page. `empty`: said when there is nothing.
    """

    query: Query[Any]
    rows_of: Callable[[Any], dict[int, TodoRow]]
    cursor_of: Callable[[Any], str | None]
    everything: Target
    bulk: tuple[OperationKind, ...]
    empty: str


_NOTHING_BEGUN: Operation | None = None
_NOTHING_LISTED: dict[int, TodoRow] = {}


@component
def todos_listing(context: PageContext, place: Place, source: Source) -> Any:
    """Its choice and its dialogs outlive refreshes; give it a key that changes with the query."""
    selection, _ = use_state(Selection[TodoRow])
    begun, set_begun = use_state(_NOTHING_BEGUN)
    listed = use_ref(_NOTHING_LISTED)

    def listing(observations: tuple[Observation[Any], ...]) -> Listing:
        (seen,) = observations
        if seen.data is None:
            return Listing(None, seen.state is State.LOADING)
        listed.current = source.rows_of(seen.data)
        left = selection.left(listed.current)
        return Listing(with_left(listed.current, left), (len(listed.current), source.cursor_of(seen.data)))

    def draw(around: Any, rows: list[Any] | None) -> Any:
        if rows is None:
            return absent(loading=around)
        count, next_cursor = around
        every = choose_all(context, selection, lambda: listed.current, key="all")
        return html.div(
            todos_table(str(place.page), f"{place.heading}: {count} on this page.", every, rows, source.empty),
            pagination(place, next_cursor),
        )

    def draw_row(row: TodoRow) -> Any:
        return todo_cells(row, choose_row(selection, row.id, row, key="choose"))

    def target() -> Target:
        if not len(selection):
            return source.everything
        few = len(selection) == 1
        words = "the selected todo" if few else f"the {len(selection):,} selected todos"
        return Target(JobFilter(ids=selection.ids), words)

    def began(operation: Operation) -> None:
        selection.clear()
        set_begun(operation)

    return html.div(
        {"class": "listing"},
        html.div(
            {"class": "bulk", "role": "group", "aria-label": "Selection and bulk actions"},
            chosen_line(context, selection, source.query, source.everything.words, key="chosen"),
            *(operation_action(context, f"bulk-{kind}", kind, target, began, key=kind.value) for kind in source.bulk),
        ),
        "" if begun is None else operation_line(context, begun, key=f"operation-{begun.id}"),
        live_rows(context, (source.query,), listing, draw, draw_row, (selection.follow,), key="rows"),
    )
