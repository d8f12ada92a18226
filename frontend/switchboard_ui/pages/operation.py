"""One operation: which set, how far, what came of it, and stopping it."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.cancel_operation import cancel_operation
from switchboard_ui.components.facts import facts
from switchboard_ui.components.one_row import one_row
from switchboard_ui.components.operation_progress import operation_progress
from switchboard_ui.components.operations_table import operation_state
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.operation_query import operation_query
from switchboard_ui.core.operations_view import OperationRow, operation_row
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import PageName, Place
from switchboard_ui.core.zoned_time import viewer_zone
from switchboard_wire.operations import Operation


@component
def operation_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock

    def view_of(operation: Operation) -> OperationRow:
        return operation_row(operation, viewer_zone(tab.zone()), clock.wall())

    def draw(row: OperationRow, gone: bool) -> Any:
        stop = (
            ""
            if gone
            else html.div({"class": "actions", "key": "actions"}, cancel_operation(context, row, key="cancel"))
        )
        return html.div(facts(_named(row)), stop)

    return one_row(context, place, operation_query(place.id or 0), "operation", view_of, draw)


def _named(row: OperationRow) -> list[tuple[str, Any]]:
    named_set: Any = row.named_set
    if row.now_matching is not None:
        listed = Place(PageName.JOBS, parameters=row.now_matching).address
        named_set = html.span(row.named_set, ". ", page_link(listed, "List what matches now"))
    named: list[tuple[str, Any]] = [
        ("What", row.what),
        ("Set", named_set),
        ("State", html.span({"id": "operation-state"}, operation_state(row))),
        ("Progress", operation_progress(f"progress-{row.id}", row.progress)),
        ("Expected", row.expected),
        ("Changed", row.changed),
        ("Left alone", row.skipped),
        ("In conflict", row.conflict),
        ("Gone meanwhile", row.gone),
        ("Who", row.who),
        ("Submitted", zoned(row.submitted)),
        ("Started", "not yet" if row.started is None else zoned(row.started)),
        ("Ended", "not yet" if row.ended is None else zoned(row.ended)),
    ]
    if row.error is not None:
        named.append(("Error", row.error))
    return named
