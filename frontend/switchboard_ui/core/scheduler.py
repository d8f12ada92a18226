"""The tab's one scheduler: a pure state machine that decides when each active key is read.

Periodic reads, reconciliation, focus, local changes, retries and the operator's refresh all become demand of a key,
and one path dispatches demand. Time comes in with each event, randomness at construction; nothing here waits, sends
or reads a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Any

from switchboard_ui.core import events as on
from switchboard_ui.core.backend_state import BackendState
from switchboard_ui.core.demand import Strength
from switchboard_ui.core.effects import Abort, Arm, Disarm, Dispatch, Effect, Mark, Publish, Reject
from switchboard_ui.core.eligibility import next_in_turn, runs_itself
from switchboard_ui.core.events import Attempt, Event, PauseCause
from switchboard_ui.core.kept import KeptKeys
from switchboard_ui.core.key_state import NEVER, Cause, Flight, KeyState
from switchboard_ui.core.observation import NOT_READ, Observation, observe
from switchboard_ui.core.outcomes import Decoded, Failure, FailureKind, deadline_failure
from switchboard_ui.core.query import QueryKey, Terms
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.core.settling import Settling
from switchboard_ui.core.timetable import instants


class Phase(Enum):
    """What the tab's visibility lets the scheduler do."""

    VISIBLE = auto()
    HIDDEN = auto()
    """Reads under way finish under their deadline; nothing else happens (D33)."""
    SUSPENDED = auto()
    """Left by pagehide: nothing is under way and nothing starts before pageshow."""


class Scheduler:
    """`random` returns numbers from 0 (included) to 1. A new scheduler is hidden until it is told Visible."""

    def __init__(self, settings: SchedulerSettings, random: Callable[[], float]) -> None:
        self._settings = settings
        self._keys: dict[QueryKey, KeyState] = {}
        self._backend = BackendState()
        self._kept = KeptKeys(settings.kept_keys, settings.kept_for)
        self._settling = Settling(settings, random, self._backend)
        self._phase = Phase.HIDDEN
        self._page_epoch = 0
        self._serial = 0
        self._ordinal = 0
        self._now = float("-inf")
        self._armed: float | None = None
        self._effects: list[Effect] = []
        self._accepted: set[QueryKey] = set()
        self._seen: dict[QueryKey, Observation[Any]] = {}

    @property
    def keys(self) -> tuple[QueryKey, ...]:
        """The active keys, oldest registration first."""
        return tuple(self._keys)

    def current(self, attempt: Attempt) -> bool:
        """Whether a result of this attempt could still count."""
        state = self._keys.get(attempt.key)
        return state is not None and state.flight is not None and state.flight.attempt == attempt

    def observation(self, key: QueryKey) -> Observation[Any]:
        """What a view sees of the key now: loading for one that was never read, kept data for a released one."""
        state = self._keys.get(key) or self._kept.look(key)
        return NOT_READ if state is None else observe(state, self._backend)

    def step(self, event: Event, now: float) -> list[Effect]:
        """Take in one event at monotonic instant `now` (seconds); the effects, to be executed in order.

        An instant before that of an earlier step counts as that one.
        """
        now = self._now = max(now, self._now)
        effects = self._effects = []
        # First of all, so that a result which comes at its deadline or later finds its attempt expired.
        self._expire(now)
        self._handle(event, now)
        self._run_clocks(now)
        self._dispatch(now)
        self._report()
        self._arm()
        return effects

    # -- what time brings

    def _expire(self, now: float) -> None:
        for state in self._keys.values():
            if state.flight is not None and state.flight.expires_at <= now:
                self._effects.append(Abort(state.flight.attempt))
                self._settling.failed(state, deadline_failure(), now)

    def _run_clocks(self, now: float) -> None:
        if self._phase is not Phase.VISIBLE:
            return
        for state in self._keys.values():
            if not runs_itself(state, self._backend):
                continue
            watchdog_fired = not state.overdue and state.watchdog_at <= now
            state.overdue = state.overdue or watchdog_fired
            # A demand that waits, or a read under way, is already what either of the two would ask for.
            idle = state.flight is None and not state.demand.pending
            if idle and (watchdog_fired or state.periodic_at <= now):
                state.demand.mark(now, Strength.AUTOMATIC)

    # -- events

    def _handle(self, event: Event, now: float) -> None:
        match event:
            case on.Register(key, terms):
                self._register(key, terms, now)
            case on.Release(key):
                self._release(key, now)
            case on.MarkDirty(keys):
                self._mark_dirty(keys, now)
            case on.ManualRefresh(key):
                if key in self._keys:
                    self._keys[key].demand.mark(now, Strength.ASKED)
            case on.Pause(key, cause):
                self._pause(key, cause, now)
            case on.Resume(key, cause):
                self._resume(key, cause, now)
            case on.Tick():
                self._armed = None
            case on.Arrived(attempt, decoded):
                self._arrived(attempt, decoded, now)
            case on.Failed(attempt, failure):
                self._failed(attempt, failure, now)
            case on.Visible():
                self._visible(now)
            case on.Hidden():
                if self._phase is Phase.VISIBLE:
                    self._phase = Phase.HIDDEN
            case on.PageHide():
                self._retire_page(now)
                self._phase = Phase.SUSPENDED
            case on.PageShow(persisted, visible):
                if persisted or self._phase is Phase.SUSPENDED:
                    self._come_back(now, visible)
            case on.Online():
                self._demand_again(now)
            case on.BackendChanged():
                self._change_backend(now)
            case on.CredentialsChanged():
                self._backend.epoch += 1
                self._backend.signed_out = False
                self._blank(now)
                self._admit_again(self._keys.values(), now)
            case on.LifetimeAdvertised(seconds):
                self._settling.advertise(seconds)

    def _register(self, key: QueryKey, terms: Terms, now: float) -> None:
        if key in self._keys:
            self._keys[key].terms = terms
            return
        if len(self._keys) >= self._settings.max_keys:
            self._effects.append(Reject(key, self._settings.max_keys))
            return
        self._ordinal += 1
        state = self._kept.take(key, now) or KeyState(key, terms, self._ordinal)
        state.terms, state.ordinal = terms, self._ordinal
        self._keys[key] = state
        self._start_over([state], now)

    def _release(self, key: QueryKey, now: float) -> None:
        state = self._keys.pop(key, None)
        if state is None:
            return
        self._abort(state, now)
        self._seen.pop(key, None)
        self._kept.keep(state, now)
        self._backend.forget_routes(now, {other.terms.route for other in self._keys.values()})

    def _mark_dirty(self, keys: Iterable[QueryKey], now: float) -> None:
        for state in (self._keys[key] for key in dict.fromkeys(keys) if key in self._keys):
            # A count is told to be outdated, and read again only when somebody asks for it.
            if not state.terms.manual:
                self._mark_debounced(state, now)
            state.outdate(Cause.CHANGED)

    def _pause(self, key: QueryKey, cause: PauseCause, now: float) -> None:
        state = self._keys.get(key)
        if state is None:
            return
        flight = state.flight
        if not state.pauses and flight is not None and flight.captured.strength is Strength.AUTOMATIC:
            # Its answer would move the rows that the operator has just begun to select.
            self._abort(state, now)
        state.pauses.add(cause)

    def _resume(self, key: QueryKey, cause: PauseCause, now: float) -> None:
        state = self._keys.get(key)
        if state is None or cause not in state.pauses:
            return
        state.pauses.remove(cause)
        if not state.pauses:
            if not state.terms.manual:
                state.demand.mark(now, Strength.AUTOMATIC)
            state.outdate(Cause.RESUMED)

    def _arrived(self, attempt: Attempt, decoded: Decoded[Any], now: float) -> None:
        if not self.current(attempt):
            return
        session_was_lost = self._backend.signed_out
        self._settling.succeeded(self._keys[attempt.key], decoded, now)
        self._accepted.add(attempt.key)
        if session_was_lost:
            self._backend.signed_out = False
            self._admit_again((state for key, state in self._keys.items() if key != attempt.key), now)

    def _failed(self, attempt: Attempt, failure: Failure, now: float) -> None:
        if not self.current(attempt):
            return
        self._settling.failed(self._keys[attempt.key], failure, now)
        if failure.kind is FailureKind.SIGNED_OUT:
            self._backend.signed_out = True
            self._blank(now)

    def _visible(self, now: float) -> None:
        # Before pageshow the tab is still suspended, and starts there; when visible already, there is nothing new.
        if self._phase is not Phase.HIDDEN:
            return
        self._phase = Phase.VISIBLE
        self._demand_again(now)
        for state in self._keys.values():
            if state.terms.manual:
                state.outdate(Cause.RESUMED)

    def _come_back(self, now: float, visible: bool) -> None:
        self._retire_page(now)
        self._phase = Phase.VISIBLE if visible else Phase.HIDDEN
        self._demand_again(now)
        for state in self._keys.values():
            state.outdate(Cause.RESUMED)
        if self._backend.signed_out and self._keys:
            # Often the way back from signing in: a single read finds out.
            next(iter(self._keys.values())).demand.mark(now, Strength.ASKED)

    def _change_backend(self, now: float) -> None:
        self._backend.replace()
        self._blank(now)
        for state in self._all_states():
            state.forget_failures()
        self._start_over(self._keys.values(), now)

    def _all_states(self) -> Iterable[KeyState]:
        """Active and remembered keys."""
        return (*self._keys.values(), *self._kept.states())

    # -- demand

    def _mark_debounced(self, state: KeyState, now: float) -> None:
        quiet, longest = self._settings.debounce, self._settings.debounce_max
        state.demand.mark_debounced(now, Strength.AUTOMATIC, quiet, longest)

    def _demand_again(self, now: float) -> None:
        """Everything that refreshes by itself; floors, slots and waits pace it."""
        for state in self._keys.values():
            if not state.terms.manual:
                self._mark_debounced(state, now)

    def _start_over(self, states: Iterable[KeyState], now: float) -> None:
        """As at registration: demand first, then the independent watchdog, then (later in the step) the read."""
        for state in states:
            state.demand.mark(now, Strength.FIRST)
            self._settling.wind_watchdog(state, now)

    def _admit_again(self, states: Iterable[KeyState], now: float) -> None:
        """A session is there: what was refused without one is read again."""
        for state in self._all_states():
            state.forget_refusal()
        self._start_over(states, now)

    # -- fences

    def _abort(self, state: KeyState, now: float) -> None:
        """End the key's read, if any, and keep its demand."""
        if state.flight is not None:
            self._effects.append(Abort(state.flight.attempt))
            state.demand.hand_back(state.flight.captured, now)
            state.flight = None

    def _retire_page(self, now: float) -> None:
        self._page_epoch += 1
        for state in self._keys.values():
            self._abort(state, now)

    def _blank(self, now: float) -> None:
        """Nothing that was read for another session or from another database may be shown, or still arrive."""
        for state in self._keys.values():
            self._abort(state, now)
        for state in self._all_states():
            state.forget_data()

    # -- dispatch, report, timer

    def _dispatch(self, now: float) -> None:
        if self._phase is not Phase.VISIBLE:
            return
        free = self._settings.max_in_flight - sum(state.flight is not None for state in self._keys.values())
        while free > 0 and (state := next_in_turn(self._keys.values(), self._backend, now)) is not None:
            self._send(state, now)
            free -= 1

    def _send(self, state: KeyState, now: float) -> None:
        self._serial += 1
        attempt = Attempt(self._page_epoch, self._backend.epoch, state.key, self._serial)
        expires_at = now + self._settings.client_deadline
        state.flight = Flight(attempt, expires_at, state.demand.capture())
        state.last_serial = self._serial
        self._settling.pace(state, now)
        self._backend.probing(state.terms.route, now + self._settings.reprobe)
        self._effects.append(Dispatch(attempt, expires_at))

    def _report(self) -> None:
        for key, state in self._keys.items():
            observation = observe(state, self._backend)
            if key in self._accepted:
                self._effects.append(Publish(key, observation))
            elif self._seen.get(key) != observation:
                self._effects.append(Mark(key, observation))
            self._seen[key] = observation
        self._accepted.clear()

    def _arm(self) -> None:
        visible = self._phase is Phase.VISIBLE
        earliest = min(instants(self._keys.values(), self._backend, self._now, visible=visible), default=NEVER)
        if earliest == NEVER:
            if self._armed is not None:
                self._effects.append(Disarm())
            self._armed = None
        elif earliest != self._armed:
            self._effects.append(Arm(earliest))
            self._armed = earliest
