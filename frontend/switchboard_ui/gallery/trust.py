"""How far what is shown can be trusted."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.freshness import freshness
from switchboard_ui.components.trust_line import trust_line
from switchboard_ui.components.voice_region import voice_region
from switchboard_ui.core.events import PauseCause
from switchboard_ui.core.freshness_view import freshness_view, reading
from switchboard_ui.core.key_state import Cause
from switchboard_ui.core.observation import OVER_CAP, Observation, Reason, State
from switchboard_ui.core.outcomes import Failure, FailureKind
from switchboard_ui.core.workers_query import workers_query
from switchboard_ui.gallery.still import NOW, VIEWER, still_context

INSTANT = 100.0


def states() -> dict[str, Any]:
    retrying = INSTANT + 20
    return {
        "loading": freshness(reading("the board")),
        "fresh": _line(_seen(State.FRESH, Cause.READ)),
        "fresh-while-it-is-read-again": _line(_seen(State.FRESH, Cause.READ, refreshing=True)),
        "stale-after-a-change": _line(_seen(State.STALE, Cause.CHANGED)),
        "stale-for-want-of-an-answer": _line(_seen(State.STALE, Cause.OVERDUE)),
        "stale-after-an-outage": _line(_failed(State.STALE, FailureKind.NETWORK, next_attempt_at=retrying)),
        "stale-of-an-earlier-visit": _line(_seen(State.STALE, Cause.KEPT)),
        "paused": _line(_seen(State.PAUSED, PauseCause.BY_HAND)),
        "never-read": _line(_unread(State.ERROR, FailureKind.SERVER_ERROR, next_attempt_at=retrying)),
        "not-allowed": _line(_failed(State.ERROR, FailureKind.FORBIDDEN)),
        "refused-in-words-of-the-server": _line(
            _failed(State.ERROR, FailureKind.INVALID, "The filter names no queue of yours.")
        ),
        "over-the-cap": _line(OVER_CAP),
        "unsupported-read": _line(_unread(State.UNSUPPORTED, FailureKind.ROUTE_ABSENT)),
        "unsupported-version": _line(_unread(State.UNSUPPORTED, FailureKind.WRONG_VERSION)),
        "signed-out": _line(_unread(State.SIGNED_OUT, FailureKind.SIGNED_OUT)),
        "the-line-of-a-page": trust_line(still_context(), (workers_query(),), "the workers"),
        "the-silent-live-region": html.p(voice_region(still_context())),
    }


def _line(observation: Observation[Any]) -> Any:
    return freshness(freshness_view((observation,), "the board", VIEWER, INSTANT + 5, NOW))


def _seen(state: State, reason: Reason, **more: Any) -> Observation[Any]:
    """Read two seconds before it arrived."""
    return Observation(state, reason, INSTANT, NOW, NOW, 2000, data="the board", **more)


def _failed(state: State, kind: FailureKind, words: str = "", **more: Any) -> Observation[Any]:
    return _seen(state, kind, failure=Failure(kind, kind.value, words), **more)


def _unread(state: State, kind: FailureKind, **more: Any) -> Observation[Any]:
    return Observation(state, kind, failure=Failure(kind, kind.value), **more)
