"""How many dead letters there are, queue by queue."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.data_table import Column, cell, data_table, number
from switchboard_ui.components.observed import observed
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.dead_letters_queries import dead_letters_depth_query
from switchboard_ui.core.dead_letters_view import DepthView, depth_view
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place

_COLUMNS = (Column("Queue"), Column("Dead letters", numeric=True), Column("Oldest died"))


@component
def dead_letters_depth(context: PageContext, place: Place) -> Any:
    """One sentence, and the queues that have any behind it."""

    def view_of(observations: tuple[Observation[Any], ...]) -> DepthView | State:
        (seen,) = observations
        if seen.data is None:
            return seen.state
        return depth_view(seen.data, context.ports.tab.zone(), context.ports.clock.wall())

    def draw(view: DepthView | State) -> Any:
        if isinstance(view, State):
            words = "Counting…" if view is State.LOADING else "How many there are is not known."
            return html.p({"class": "count", "id": "depth"}, words)
        if not view.rows:
            return html.p({"class": "count", "id": "depth"}, view.text)
        rows = [
            html.tr(
                {"key": str(row.queue_id)},
                html.th(
                    {"scope": "row"},
                    page_link(place.with_parameters((("queue", row.queue),)).address, row.queue),
                    " ",
                    html.span({"class": "scope"}, row.scope),
                ),
                number(row.count),
                cell("unknown" if row.oldest is None else zoned(row.oldest)),
            )
            for row in view.rows
        ]
        return html.details(
            {"class": "count", "id": "depth"},
            html.summary(view.text),
            data_table("depths", "Dead letters by queue", _COLUMNS, rows),
        )

    return observed(context, (dead_letters_depth_query(),), view_of, draw)
