"""One operation: which set, how far, what came of it, and stopping it."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.cancel_operation import cancel_operation
from switchboard_ui.components.facts import facts
from switchboard_ui.components.observed import observed
from switchboard_ui.components.operation_progress import operation_progress
from switchboard_ui.components.operations_table import operation_state
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.operation_query import operation_query
from switchboard_ui.core.operations_view import OperationRow, operation_row
from switchboard_ui.core.outcomes import FailureKind
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import PageName, Place
from switchboard_ui.core.zoned_time import viewer_zone

NOT_FOUND = "There is no such operation that you may see."
NO_LONGER_FOUND = "This operation is no longer found. This was last known."


@component
def operation_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock
    queries = (operation_query(place.id or 0),)

    def view_of(observations: tuple[Observation[Any], ...]) -> tuple[OperationRow | None, bool, bool]:
        (seen,) = observations
        gone = seen.failure is not None and seen.failure.kind is FailureKind.GONE
        row = None if seen.data is None else operation_row(seen.data, viewer_zone(tab.zone()), clock.wall())
        return row, gone, seen.state is State.LOADING

    def draw(seen: tuple[OperationRow | None, bool, bool]) -> Any:
        row, gone, loading = seen
        if row is None:
            return html.p({"id": "no-longer-found"}, NOT_FOUND) if gone else absent(loading=loading)
        return html.div(
            html.p({"class": "outcome refused", "id": "no-longer-found"}, NO_LONGER_FOUND) if gone else "",
            facts(_named(row)),
            html.div({"class": "actions", "key": "actions"}, cancel_operation(context, row, key="cancel")),
        )

    return html.fragment(
        trust_line(context, queries, place.what, key="trust"),
        html.div({"class": "controls", "key": "controls"}, update_controls(context, queries, key="updates")),
        observed(context, queries, view_of, draw, key="operation"),
    )


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
