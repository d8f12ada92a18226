"""The board: every queue's figures and its waiting todos, live by polling (D1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import Ref, component, use_effect, use_ref, use_state

from switchboard_ui.components.board import board
from switchboard_ui.components.board_controls import board_controls
from switchboard_ui.components.frame import frame
from switchboard_ui.components.freshness import freshness
from switchboard_ui.core.announcements import Announcer
from switchboard_ui.core.board_queries import queues_query, waiting_jobs_query
from switchboard_ui.core.board_view import BoardView, board_view
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.freshness_view import READING, FreshnessView, freshness_view
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.ports import Ports

TITLE = "Board"
ADDRESS = "/board"
QUEUES, WAITING_JOBS = queues_query(), waiting_jobs_query()
UPDATES, PAUSED, RUNNING = "updates", "paused", "running"
"""The remembered choice of this browser (WCAG 2.2.2)."""
GRACE_SECONDS = 1.0
"""So long the first figures wait for the first todos."""


@component
def board_page(ports: Ports, reads: TabReads) -> Any:
    """Frame, trust line and queues. A poll that brings nothing new re-renders nothing but the age."""
    view, set_view = use_state(BoardView(None))
    wanted, set_wanted = use_state("")
    paused, set_paused = use_state(lambda: ports.tab.recall(UPDATES) == PAUSED)
    shown, filtered = use_ref(view), use_ref("")

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

        if paused:
            reads.pause_all()
        return _all([reads.subscribe(QUEUES, update), reads.subscribe(WAITING_JOBS, update), ports.ticker(tick)])

    use_effect(follow, [])

    def toggle_pause(_: object) -> None:
        if paused:
            reads.resume_all()
        else:
            reads.pause_all()
        ports.tab.remember(UPDATES, RUNNING if paused else PAUSED)
        set_paused(not paused)

    def refresh(_: object) -> None:
        reads.refresh(QUEUES.key)
        reads.refresh(WAITING_JOBS.key)

    def narrow(event: Any) -> None:
        filtered.current = event["target"]["value"]
        set_wanted(filtered.current)

    return frame(
        ADDRESS,
        TITLE,
        trust(ports, reads, key="trust"),
        board_controls(paused, on_pause=toggle_pause, on_refresh=refresh, on_filter=narrow),
        board(view.matching(wanted), key="board"),
        announced=voice(ports, reads, shown, filtered, key="voice"),
    )


@component
def trust(ports: Ports, reads: TabReads) -> Any:
    """The trust line; by itself, so that the ticking age re-renders one sentence."""
    view, set_view = use_state(READING)
    shown = use_ref(view)

    def follow() -> Callable[[], None]:
        def update(*_: object) -> None:
            new = _trust_now(ports, reads)
            if new != shown.current:
                shown.current = new
                set_view(new)

        return _all([reads.subscribe(QUEUES, update), reads.subscribe(WAITING_JOBS, update), ports.ticker(update)])

    use_effect(follow, [])
    return freshness(view)


@component
def voice(ports: Ports, reads: TabReads, view: Ref[BoardView], wanted: Ref[str]) -> Any:
    """What the live region holds; by itself, so that a sentence re-renders nothing else."""
    said, set_said = use_state("")
    told = use_ref(said)

    def follow() -> Callable[[], None]:
        announcer = Announcer()

        def tick() -> None:
            new = announcer.listen(view.current, _trust_now(ports, reads), wanted.current, ports.clock.now())
            if new != told.current:
                told.current = new
                set_said(new)

        return ports.ticker(tick)

    use_effect(follow, [])
    return said


def _better_together(queues: Observation[Any], jobs: Observation[Any], now: float) -> bool:
    """The queues are there and their todos are about to come: shown one after the other they would make all move."""
    came = queues.received_at
    return jobs.state is State.LOADING and came is not None and now - came < GRACE_SECONDS


def _trust_now(ports: Ports, reads: TabReads) -> FreshnessView:
    both = [reads.snapshot(QUEUES.key), reads.snapshot(WAITING_JOBS.key)]
    return freshness_view(both, ports.tab.zone(), ports.clock.now(), ports.clock.wall())


def _all(stops: list[Callable[[], None]]) -> Callable[[], None]:
    def stop() -> None:
        for each in stops:
            each()

    return stop
