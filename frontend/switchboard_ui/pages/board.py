"""The board: every queue's figures and its waiting todos, live by polling (D1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, html, use_effect, use_ref, use_state

from switchboard_ui.components.board import board
from switchboard_ui.components.board_controls import board_controls
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.update_controls import update_controls
from switchboard_ui.core.announcements import BoardNews, filter_announcement
from switchboard_ui.core.board_queries import queues_query, waiting_jobs_query
from switchboard_ui.core.board_view import BoardView, board_view
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.stopping import all_of

QUEUES, WAITING_JOBS = queues_query(), waiting_jobs_query()
GRACE_SECONDS = 1.0
"""So long the first figures wait for the first todos."""


@component
def board_page(context: PageContext, place: Place) -> Any:
    """Trust line and queues. A poll that brings nothing new re-renders nothing but the age."""
    view, set_view = use_state(BoardView(None))
    wanted, set_wanted = use_state("")
    shown = use_ref(view)
    ports, reads = context.ports, context.reads

    def follow() -> Callable[[], None]:
        def update(*_: object) -> None:
            queues, jobs = reads.snapshot(QUEUES.key), reads.snapshot(WAITING_JOBS.key)
            if shown.current.queues is None and _better_together(queues, jobs, ports.clock.now()):
                return
            new = board_view(queues.data, jobs.data, ports.tab.zone(), ports.clock.wall())
            if new != shown.current:
                shown.current = new
                set_view(new)

        def tick() -> None:
            if shown.current.queues is None:
                update()

        return all_of(
            [
                context.voice.follow(BoardNews(lambda: shown.current)),
                reads.subscribe(QUEUES, update),
                reads.subscribe(WAITING_JOBS, update),
                ports.ticker(tick),
            ]
        )

    use_effect(follow, [])

    def narrow(event: Any) -> None:
        text = event["target"]["value"]
        set_wanted(text)
        said = filter_announcement(shown.current, text)
        if said is not None:
            context.voice.answer(said)

    both = (QUEUES, WAITING_JOBS)
    return html.fragment(
        trust_line(context, both, place.what, key="trust"),
        board_controls(update_controls(context, both, key="updates"), narrow),
        board(view.matching(wanted), key="board"),
    )


def _better_together(queues: Observation[Any], jobs: Observation[Any], now: float) -> bool:
    """The queues are there and their todos are about to come: shown one after the other they would make all move."""
    came = queues.received_at
    return jobs.state is State.LOADING and came is not None and now - came < GRACE_SECONDS
