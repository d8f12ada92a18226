"""The board: every queue's figures and its waiting todos, live by polling (D1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, use_effect, use_ref, use_state

from switchboard_ui.components.board import board
from switchboard_ui.components.board_controls import board_controls
from switchboard_ui.components.frame import frame
from switchboard_ui.components.freshness import freshness
from switchboard_ui.core.announcements import announcement
from switchboard_ui.core.board_queries import queues_query, waiting_jobs_query
from switchboard_ui.core.board_view import BoardView, board_view
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.freshness_view import READING, freshness_view
from switchboard_ui.ports import Ports

TITLE = "Board"
ADDRESS = "/board"
QUEUES, WAITING_JOBS = queues_query(), waiting_jobs_query()


@component
def board_page(ports: Ports, reads: TabReads) -> Any:
    """Frame, trust line and queues. A poll that brings nothing new re-renders nothing but the age."""
    view, set_view = use_state(BoardView(None))
    said, set_said = use_state("")
    wanted, set_wanted = use_state("")
    paused, set_paused = use_state(False)
    shown = use_ref(view)

    def follow() -> Callable[[], None]:
        def update(_: object) -> None:
            queues, jobs = reads.snapshot(QUEUES.key), reads.snapshot(WAITING_JOBS.key)
            new = board_view(queues.data, jobs.data, ports.tab.zone(), ports.clock.wall())
            if new == shown.current:
                return
            sentence = announcement(shown.current, new)
            shown.current = new
            set_view(new)
            if sentence is not None:
                set_said(sentence)

        return _all([reads.subscribe(QUEUES, update), reads.subscribe(WAITING_JOBS, update)])

    use_effect(follow, [])

    def toggle_pause(_: object) -> None:
        if paused:
            reads.resume_all()
        else:
            reads.pause_all()
        set_paused(not paused)

    def refresh(_: object) -> None:
        reads.refresh(QUEUES.key)
        reads.refresh(WAITING_JOBS.key)

    return frame(
        ADDRESS,
        TITLE,
        trust(ports, reads, key="trust"),
        board_controls(
            paused,
            on_pause=toggle_pause,
            on_refresh=refresh,
            on_filter=lambda event: set_wanted(event["target"]["value"]),
        ),
        board(view.matching(wanted), key="board"),
        announced=said,
    )


@component
def trust(ports: Ports, reads: TabReads) -> Any:
    """The trust line; by itself, so that the ticking age re-renders one sentence."""
    view, set_view = use_state(READING)
    shown = use_ref(view)

    def follow() -> Callable[[], None]:
        def update(*_: object) -> None:
            both = [reads.snapshot(QUEUES.key), reads.snapshot(WAITING_JOBS.key)]
            new = freshness_view(both, ports.tab.zone(), ports.clock.now(), ports.clock.wall())
            if new != shown.current:
                shown.current = new
                set_view(new)

        return _all([reads.subscribe(QUEUES, update), reads.subscribe(WAITING_JOBS, update), ports.ticker(update)])

    use_effect(follow, [])
    return freshness(view)


def _all(stops: list[Callable[[], None]]) -> Callable[[], None]:
    def stop() -> None:
        for each in stops:
            each()

    return stop
