"""The page of one row: what is known of it, also when it is there no longer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, html

from switchboard_ui.components.observed import observed
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.outcomes import FailureKind
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.query import Query


@component
def one_row(
    context: PageContext,
    place: Place,
    query: Query[Any],
    kind: str,
    view_of: Callable[[Any], Any],
    draw: Callable[[Any, bool], Any],
) -> Any:
    """`kind` names such a row: "todo". `view_of` makes a view of the data, which compares by value.

    `draw(view, gone)` draws it; what is gone stays readable as it was last known.
    """
    queries = (query,)

    def seen(observations: tuple[Observation[Any], ...]) -> tuple[Any, bool, bool]:
        (one,) = observations
        gone = one.failure is not None and one.failure.kind is FailureKind.GONE
        return None if one.data is None else view_of(one.data), gone, one.state is State.LOADING

    def drawn(view: tuple[Any, bool, bool]) -> Any:
        known, gone, loading = view
        if known is None and gone:
            return html.p({"id": "no-longer-found"}, f"There is no such {kind} that you may see.")
        if known is None:
            return absent(loading=loading)
        words = f"This {kind} is no longer found: it was deleted, or you may not see it any more. This was last known."
        return html.div(
            html.p({"class": "outcome refused", "id": "no-longer-found"}, words) if gone else "", draw(known, gone)
        )

    return html.fragment(
        trust_line(context, queries, place.what, key="trust"),
        html.div({"class": "controls", "key": "controls"}, update_controls(context, queries, key="updates")),
        observed(context, queries, seen, drawn, key="row"),
    )
