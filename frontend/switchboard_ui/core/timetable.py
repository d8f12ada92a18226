"""The instants at which time alone changes something; the one timer is set to the earliest of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from switchboard_ui.core.backend_state import BackendState
from switchboard_ui.core.eligibility import due, runs_itself, waiting
from switchboard_ui.core.key_state import KeyState


def instants(states: Collection[KeyState], backend: BackendState, now: float, *, visible: bool) -> Iterator[float]:
    """Monotonic seconds, in no order, some infinite. A tab that is not visible only watches reads under way."""
    for state in states:
        if state.flight is not None:
            yield state.flight.expires_at
    if not visible:
        return
    for state in waiting(states):
        at = due(state, backend)
        # What is eligible already waits for a slot, and a slot is freed by an event.
        if at > now:
            yield at
    for state in states:
        if runs_itself(state, backend):
            if not state.overdue:
                yield state.watchdog_at
            if state.flight is None and not state.demand.pending:
                yield state.periodic_at
