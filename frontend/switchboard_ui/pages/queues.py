"""The queues: what each admits, holds and has used."""

from __future__ import annotations

from typing import Any

from reactpy import component, html, use_state

from switchboard_ui.components.board_controls import board_controls
from switchboard_ui.components.live_rows import Listing, live_rows
from switchboard_ui.components.placeholder import absent
from switchboard_ui.components.queues_table import queue_row, queues_table
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.announcements import filter_announcement
from switchboard_ui.core.board_queries import queues_query
from switchboard_ui.core.board_view import board_view
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place

QUERIES = (queues_query(),)


@component
def queues_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock
    wanted, set_wanted = use_state("")

    def listing(observations: tuple[Observation[Any], ...]) -> Listing:
        view = board_view(observations[0].data, None, tab.zone(), clock.wall()).matching(wanted)
        if view.queues is None:
            return Listing(None, observations[0].state is State.LOADING)
        return Listing({card.id: card for card in view.queues}, view.narrowed)

    def draw(around: bool, rows: list[Any] | None) -> Any:
        return absent(loading=around) if rows is None else queues_table(rows, narrowed=around)

    def narrow(event: Any) -> None:
        text = event["target"]["value"]
        set_wanted(text)
        (seen,) = context.seen(QUERIES)
        said = filter_announcement(board_view(seen.data, None, tab.zone(), clock.wall()), text)
        if said is not None:
            context.voice.answer(said)

    return html.fragment(
        trust_line(context, QUERIES, place.what, key="trust"),
        board_controls(update_controls(context, QUERIES, key="updates"), narrow),
        live_rows(context, QUERIES, listing, draw, queue_row, key="rows"),
    )
