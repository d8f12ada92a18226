"""The workers, live only as far as evidence shows."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.live_rows import Listing, live_rows
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.components.workers_table import worker_row, workers_table
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.workers_query import workers_query
from switchboard_ui.core.workers_view import worker_rows, workers_summary

QUERIES = (workers_query(),)


@component
def workers_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock

    def listing(observations: tuple[Observation[Any], ...]) -> Listing:
        data = observations[0].data
        if data is None:
            return Listing(None, observations[0].state is State.LOADING)
        return Listing(worker_rows(data, tab.zone(), clock.wall()), workers_summary(data))

    def draw(around: Any, rows: list[Any] | None) -> Any:
        return absent(loading=around) if rows is None else workers_table(around, rows)

    return html.fragment(
        trust_line(context, QUERIES, place.what, key="trust"),
        html.div({"class": "controls", "key": "controls"}, update_controls(context, QUERIES, key="updates")),
        live_rows(context, QUERIES, listing, draw, worker_row, key="rows"),
    )
