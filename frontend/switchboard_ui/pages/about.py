"""About: versions, zone data, and the limits in force."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.facts import facts
from switchboard_ui.components.observed import observed
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.about_view import AboutView, about_view, tab_limits
from switchboard_ui.core.capabilities_query import capabilities_query
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.core.zoned_time import ZONE_DATA

QUERIES = (capabilities_query(),)


@component
def about_page(context: PageContext, place: Place) -> Any:
    def view_of(observations: tuple[Observation[Any], ...]) -> AboutView | State:
        (seen,) = observations
        return seen.state if seen.data is None else about_view(seen.data, ZONE_DATA)

    def draw(view: AboutView | State) -> Any:
        if isinstance(view, State):
            return absent(loading=view is State.LOADING)
        return html.div(
            html.h2({"id": "server"}, "Server"),
            facts(view.server),
            html.p({"id": "zones"}, view.zones),
            html.h2({"id": "limits"}, "Its limits"),
            facts(view.limits),
        )

    return html.fragment(
        trust_line(context, QUERIES, place.what, key="trust"),
        html.div({"class": "controls", "key": "controls"}, update_controls(context, QUERIES, key="updates")),
        observed(context, QUERIES, view_of, draw, key="about"),
        html.h2({"id": "tab", "key": "tab"}, "This tab"),
        facts([("Zone data", ZONE_DATA), *tab_limits(SchedulerSettings())]),
    )
