"""What the end of a read does to its key and to the backend: pacing, backoff, cooldown, watchdog, stops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from switchboard_ui.core.backend_state import AbsentRoute, BackendState
from switchboard_ui.core.key_state import NEVER, KeyState, Received
from switchboard_ui.core.outcomes import Consequence, Decoded, Failure, FailureKind
from switchboard_ui.core.query import Floor
from switchboard_ui.core.scheduler_settings import SchedulerSettings

# Beyond this many doublings every backoff is at its maximum, and a float would overflow at some point.
_MOST_DOUBLINGS = 30
_LONGEST_LIFETIME = 600.0


class Settling:
    """Applies outcomes to states that have a read under way. Instants are monotonic seconds."""

    def __init__(self, settings: SchedulerSettings, random: Callable[[], float], backend: BackendState) -> None:
        self._settings = settings
        self._random = random
        self._backend = backend

    def succeeded(self, state: KeyState, decoded: Decoded[Any], now: float) -> None:
        """Accept the data; what was demanded since the read was sent stays demanded."""
        assert state.flight is not None
        captured = state.flight.captured
        state.flight = None
        state.demand.serve(captured)
        if state.stale is not None and captured.generation >= state.stale_since:
            state.stale = None
        state.received = Received(decoded, now)
        state.forget_failures()
        self.pace(state, now)
        self.wind_watchdog(state, now)
        state.periodic_at = NEVER if state.terms.cadence is None else now + state.terms.cadence
        self._backend.absent.pop(state.terms.route, None)

    def failed(self, state: KeyState, failure: Failure, now: float) -> None:
        """Keep the data (unless this session may not see it) and the demand; decide when to try again."""
        assert state.flight is not None
        state.demand.hand_back(state.flight.captured, now)
        state.flight = None
        state.failure = failure
        state.stopped = False
        self.pace(state, now)
        again_at = now + self._settings.reprobe
        match failure.kind.consequence:
            case Consequence.RETRY:
                state.failures += 1
                state.retry_at = now + self._backoff(state.failures)
                if failure.retry_after is not None:
                    self._backend.cool(now + min(failure.retry_after, self._settings.retry_after_max))
            case Consequence.REPROBE_ROUTE:
                state.reprobe_at = again_at
                self._backend.absent[state.terms.route] = AbsentRoute(again_at, failure)
            case Consequence.REPROBE_KEY:
                state.reprobe_at = again_at
            case Consequence.STOP:
                state.stopped = True
                if failure.kind is FailureKind.FORBIDDEN:
                    # The session may have become another user's, who has no right to what is shown.
                    state.forget_data()
            case Consequence.SIGN_OUT:
                pass  # It concerns all keys alike, and the scheduler sees to them.

    def pace(self, state: KeyState, now: float) -> None:
        """A read starts or ends now: the next one keeps the floor's distance."""
        if state.terms.floor is Floor.CACHED:
            floor = max(self._settings.cached_floor, self._backend.advertised)
        else:
            floor = self._settings.uncached_floor
        state.floor_at = max(state.floor_at, now + floor)

    def wind_watchdog(self, state: KeyState, now: float) -> None:
        """Registration or success, and nothing else: reconcile at the drawn time from now."""
        spread = self._settings.watchdog_jitter * (2 * self._random() - 1)
        state.watchdog_at = now + self._settings.watchdog * (1 + spread)
        state.overdue = False

    def advertise(self, seconds: float) -> None:
        """The server's cache lifetime raises the cached floor, within reason; nonsense is ignored."""
        if math.isfinite(seconds) and seconds > 0:
            self._backend.advertised = min(seconds, _LONGEST_LIFETIME)

    def _backoff(self, failures: int) -> float:
        """From half to all of the doubled pause, never above the maximum."""
        doublings = min(failures - 1, _MOST_DOUBLINGS)
        longest = min(self._settings.backoff_first * 2.0**doublings, self._settings.backoff_max)
        return longest * (0.5 + 0.5 * self._random())
