"""How many todos match: counted when the filter changes and when somebody asks, and never by itself."""

from __future__ import annotations

from typing import Any

from reactpy import component, html, use_ref

from switchboard_ui.components.observed import observed
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.query import Query
from switchboard_ui.core.todos_view import matching_text
from switchboard_ui.core.zoned_time import ZonedTime, to_the_second, viewer_zone
from switchboard_wire.reads import JobsCount

_UNKNOWN = {
    State.UNSUPPORTED: "This server cannot count what matches.",
    State.LOADING: "Counting what matches…",
}


@component
def todos_count(context: PageContext, query: Query[JobsCount], *, announced: bool) -> Any:
    """`announced`: the count answers a filter that was just applied, and a listener waits to hear it."""
    to_say = use_ref(announced)

    def view_of(observations: tuple[Observation[Any], ...]) -> tuple[str, ZonedTime | None]:
        (seen,) = observations
        if seen.data is None or seen.observed_at is None:
            return _UNKNOWN.get(seen.state, "How many match is not known."), None
        zone = viewer_zone(context.ports.tab.zone())
        text = matching_text(seen.data)
        if to_say.current:
            to_say.current = False
            context.voice.answer(f"{text}.")
        return f"{text}, counted at ", to_the_second(seen.observed_at, zone, context.ports.clock.wall())

    def draw(view: tuple[str, ZonedTime | None]) -> Any:
        text, at = view
        return html.span({"id": "count"}, text, "" if at is None else zoned(at))

    def again(_: Any) -> None:
        to_say.current = True
        context.reads.refresh(query.key)

    return html.div(
        {"class": "count"},
        observed(context, (query,), view_of, draw),
        html.button({"type": "button", "id": "count-again", "onClick": again}, "Count again"),
    )
