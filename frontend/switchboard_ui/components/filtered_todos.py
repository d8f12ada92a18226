"""The page of a listing of todos with its filter; from a server that cannot filter, the unfiltered listing alone."""

from __future__ import annotations

from typing import Any

from reactpy import component, html, use_state

from switchboard_ui.components.filter_form import filter_form
from switchboard_ui.components.observed import key_of
from switchboard_ui.components.support_watch import support_watch
from switchboard_ui.components.todos_listing import Source, todos_listing
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_wire.job_filter import JobFilter

CANNOT_FILTER = "This server cannot filter: these are the newest it has, and there is no next page."


@component
def filtered_todos(
    context: PageContext,
    place: Place,
    job_filter: JobFilter,
    source: Source,
    unfiltered: Source,
    *about: Any,
    states: bool = True,
) -> Any:
    """`unfiltered` takes the place of `source` only where `source` filters nothing and is not there. `about` stands
    between filter and listing."""
    missing, set_missing = use_state("")
    wanted = key_of((source.query,))
    strict = missing != wanted or job_filter != JobFilter() or bool(place.cursors)
    shown = source if strict else unfiltered
    queries = (shown.query,)
    key = key_of(queries)

    def told(absent: bool) -> None:
        set_missing(wanted if absent else "")

    return html.fragment(
        trust_line(context, queries, place.what, key=f"trust {key}"),
        html.div({"class": "controls", "key": "controls"}, update_controls(context, queries, key=f"updates {key}")),
        support_watch(context, source.query, told, key=f"watch {wanted}"),
        filter_form(context, place, job_filter, states=states, key="filter"),
        "" if strict else html.p({"class": "notice", "id": "cannot-filter"}, CANNOT_FILTER),
        *about,
        todos_listing(context, place, shown, key=f"listing {key}"),
    )
