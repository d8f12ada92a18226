"""Storage and statistics: what PostgreSQL really knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, html

from switchboard_ui.components.chart import chart
from switchboard_ui.components.observed import key_of, observed
from switchboard_ui.components.placeholder import absent, placeholder
from switchboard_ui.components.statistics import kinds_table, storage_figures, work_figures
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.chart import Chart
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.query import Query
from switchboard_ui.core.session_query import session_query
from switchboard_ui.core.statistics_queries import kinds_query, series_query, statistics_query, storage_query
from switchboard_ui.core.statistics_view import kinds_view, series_charts, statistics_view, storage_view

WORK, SERIES, KINDS, STORAGE, SESSION = (
    statistics_query(),
    series_query(),
    kinds_query(),
    storage_query(),
    session_query(),
)
OPERATORS_ONLY = "What the database holds is shown to instance operators."


@component
def statistics_page(context: PageContext, place: Place) -> Any:
    """What is read depends on who is signed in: the storage is for instance operators."""
    tab, clock = context.ports.tab, context.ports.clock

    def part(query: Query[Any], view_of: Callable[[Any], Any], draw: Callable[[Any], Any]) -> Any:
        def seen(observations: tuple[Observation[Any], ...]) -> Any:
            (one,) = observations
            return one.state if one.data is None else view_of(one.data)

        def drawn(view: Any) -> Any:
            return absent(loading=view is State.LOADING) if isinstance(view, State) else draw(view)

        return observed(context, (query,), seen, drawn, key=query.scope)

    def is_operator(observations: tuple[Observation[Any], ...]) -> bool | None:
        (one,) = observations
        return None if one.data is None else one.data.human.operator

    def whole(operator: bool | None) -> Any:
        if operator is None:
            return html.fragment(
                trust_line(context, (SESSION,), place.what, key="trust"),
                html.div({"class": "controls", "key": "controls"}, update_controls(context, (SESSION,), key="updates")),
                placeholder(),
            )
        queries = (WORK, SERIES, KINDS, STORAGE) if operator else (WORK, SERIES, KINDS)
        storage: Any = html.p({"class": "quiet", "id": "operators-only", "key": "storage"}, OPERATORS_ONLY)
        if operator:
            storage = part(STORAGE, lambda data: storage_view(data, tab.zone(), clock.wall()), storage_figures)
        key = key_of(queries)
        return html.fragment(
            trust_line(context, queries, place.what, key=f"trust {key}"),
            html.div({"class": "controls", "key": "controls"}, update_controls(context, queries, key=f"updates {key}")),
            part(WORK, lambda data: statistics_view(data, tab.zone(), clock.wall()), work_figures),
            part(SERIES, lambda data: series_charts(data, tab.zone()), _charts),
            part(KINDS, kinds_view, kinds_table),
            storage,
        )

    return observed(context, (SESSION,), is_operator, whole, key="whole")


def _charts(charts: tuple[Chart, ...]) -> Any:
    return html.div({"class": "charts"}, *(chart(f"chart-{place}", view) for place, view in enumerate(charts)))
