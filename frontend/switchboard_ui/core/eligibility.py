"""When a key's pending demand may be read. The only place that knows which waits a demand must respect."""

from __future__ import annotations

from collections.abc import Iterable

from switchboard_ui.core.backend_state import BackendState
from switchboard_ui.core.demand import Strength
from switchboard_ui.core.key_state import NEVER, KeyState


def own_due(state: KeyState, backend: BackendState) -> float:
    """The instant from which the pending demand is eligible but for the backend's cooldown.

    Infinite while it is blocked: stopped, paused or signed out. Reads are dispatched in this order: the cooldown
    is left out, since it would make a demand that has waited long equal to one that came just before its end.
    """
    strength = state.demand.strength
    asked = strength is Strength.ASKED
    if not asked and (state.stopped or backend.signed_out):
        return NEVER
    if state.pauses and strength < Strength.FIRST:
        return NEVER
    due = max(state.demand.ready_at, state.floor_at, state.retry_at)
    if asked:
        return due
    return max(due, state.reprobe_at, backend.reprobe_at(state.terms.route))


def due(state: KeyState, backend: BackendState) -> float:
    """The instant from which the pending demand may be dispatched, infinite while it is blocked."""
    return max(own_due(state, backend), backend.cooldown_until)


def runs_itself(state: KeyState, backend: BackendState) -> bool:
    """Whether cadence and watchdog apply to the key now.

    Not to manual, paused or stopped keys, nor without a session; an unusable answer has a reprobe time instead.
    """
    if state.terms.manual or state.pauses or state.stopped or backend.signed_out:
        return False
    return state.failure is None or not state.failure.kind.unsupported


def waiting(states: Iterable[KeyState]) -> list[KeyState]:
    """The keys that have a pending demand and no read under way (which may be blocked, or not due yet)."""
    return [state for state in states if state.flight is None and state.demand.pending]


def next_in_turn(states: Iterable[KeyState], backend: BackendState, now: float) -> KeyState | None:
    """The key whose demand has been eligible for longest; among equals the one whose last read is longest ago.

    What has waited keeps its place while others come back, so no key starves: neither behind a chatty one, nor
    behind one that takes every probe of an absent route.
    """
    eligible = [state for state in waiting(states) if due(state, backend) <= now]
    return min(eligible, key=lambda state: (own_due(state, backend), state.last_serial, state.ordinal), default=None)
