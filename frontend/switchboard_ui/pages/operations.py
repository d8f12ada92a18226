"""Operations: bulk work that goes on, and the record of what was done."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.live_rows import Listing, live_rows
from switchboard_ui.components.observed import key_of
from switchboard_ui.components.operations_table import operation_table_row, operations_table
from switchboard_ui.components.pagination import pagination
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.refused_address import refused_address
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.operations_query import operations_query
from switchboard_ui.core.operations_view import OperationRow, operation_rows
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.todo_filter import before_id_of
from switchboard_wire.errors import SwitchboardError


@component
def operations_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock
    try:
        queries = (operations_query(before_id_of(place)),)
    except SwitchboardError as error:
        return refused_address(place, error)
    key = key_of(queries)

    def listing(observations: tuple[Observation[Any], ...]) -> Listing:
        (seen,) = observations
        if seen.data is None:
            return Listing(None, seen.state is State.LOADING)
        rows = operation_rows(seen.data.operations, tab.zone(), clock.wall())
        following = seen.data.next_before_id
        return Listing(rows, (len(rows), None if following is None else str(following)))

    def draw(around: Any, rows: list[Any] | None) -> Any:
        if rows is None:
            return absent(loading=around)
        count, next_cursor = around
        caption = f"{place.heading}: {count:,} on this page, the newest first."
        return html.div(operations_table(str(place.page), caption, rows), pagination(place, next_cursor))

    def draw_row(row: OperationRow) -> Any:
        return operation_table_row(context, row)

    return html.fragment(
        trust_line(context, queries, place.what, key=f"trust {key}"),
        html.div({"class": "controls", "key": "controls"}, update_controls(context, queries, key=f"updates {key}")),
        live_rows(context, queries, listing, draw, draw_row, key=f"rows {key}"),
    )
