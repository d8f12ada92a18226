"""A scheduler on a simulated clock: events in, effects applied, and at each step the rules that always hold."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from switchboard_ui.core import events as on
from switchboard_ui.core.effects import Abort, Arm, Disarm, Dispatch, Effect, Mark, Publish, Reject
from switchboard_ui.core.events import Attempt, Event
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.outcomes import Decoded, Failure, FailureKind
from switchboard_ui.core.query import Floor, QueryKey, Terms
from switchboard_ui.core.scheduler import Scheduler
from switchboard_ui.core.scheduler_settings import SchedulerSettings

NOON = datetime(2026, 11, 2, 12, 0, 0, tzinfo=UTC)
OVERLOADED = Failure(FailureKind.OVERLOADED, "read_admission_full", retry_after=10.0)
NETWORK = Failure(FailureKind.NETWORK, "no_answer")
ABSENT = Failure(FailureKind.ROUTE_ABSENT, "http_404")
MALFORMED = Failure(FailureKind.MALFORMED, "malformed")
GONE = Failure(FailureKind.GONE, "not_found")
INVALID = Failure(FailureKind.INVALID, "invalid_filter", "states is empty", "filter.states")
FORBIDDEN = Failure(FailureKind.FORBIDDEN, "forbidden")
SIGNED_OUT = Failure(FailureKind.SIGNED_OUT, "unauthenticated")


def key(name: str) -> QueryKey:
    return QueryKey(name, "GET", f"/api/{name}", "")


def terms(name: str = "", floor: Floor = Floor.UNCACHED, cadence: float | None = None, manual: bool = False) -> Terms:
    return Terms(floor, cadence, manual, name)


def decoded(data: Any, cache_age_ms: int = 0) -> Decoded[Any]:
    return Decoded(data, NOON, NOON, cache_age_ms)


class Rig:
    """`now` starts at 0. Randomness is 0.5 unless told: the watchdog is 30.0 s, a backoff 0.75 of its longest."""

    def __init__(
        self, settings: SchedulerSettings | None = None, random: Callable[[], float] = lambda: 0.5, visible: bool = True
    ) -> None:
        self.settings = settings or SchedulerSettings()
        self.scheduler = Scheduler(self.settings, random)
        self.now = 0.0
        self.armed: float | None = None
        self.flying: dict[QueryKey, Dispatch] = {}
        self.sent: list[tuple[float, str]] = []
        self.attempts: list[Attempt] = []
        self.told: list[tuple[str, Observation[Any]]] = []
        if visible:
            self.do(on.Visible())

    # -- driving

    def do(self, event: Event) -> list[Effect]:
        if isinstance(event, on.Arrived | on.Failed):
            flight = self.flying.get(event.attempt.key)
            if flight is not None and flight.attempt == event.attempt and self.now < flight.expires_at:
                del self.flying[event.attempt.key]
        effects = self.scheduler.step(event, self.now)
        for effect in effects:
            self._apply(effect)
        if self.armed is not None:
            assert self.armed > self.now, "the timer is armed for the future"
        return effects

    def wait(self, seconds: float) -> list[Effect]:
        """Let time pass; the armed timer fires when it is due."""
        end = self.now + seconds
        effects: list[Effect] = []
        while self.armed is not None and self.armed <= end:
            self.now, self.armed = max(self.now, self.armed), None
            effects += self.do(on.Tick())
        self.now = max(self.now, end)
        return effects

    def wait_for(self, name: str) -> float:
        """Let time pass until a read of the key is under way; the instant."""
        while key(name) not in self.flying:
            assert self.armed is not None, "a read is to come"
            self.wait(self.armed - self.now)
        return self.now

    def register(self, *names: str, **options: Any) -> None:
        for name in names:
            self.do(on.Register(key(name), terms(name, **options)))

    def release(self, name: str) -> list[Effect]:
        return self.do(on.Release(key(name)))

    def answer(self, name: str, data: Any = "data", cache_age_ms: int = 0) -> list[Effect]:
        """The read under way for the key succeeds."""
        return self.do(on.Arrived(self.flying[key(name)].attempt, decoded(data, cache_age_ms)))

    def fail(self, name: str, failure: Failure) -> list[Effect]:
        return self.do(on.Failed(self.flying[key(name)].attempt, failure))

    def loaded(self, *names: str, **options: Any) -> None:
        """Register keys and answer the first read of each at once."""
        for name in names:
            self.register(name, **options)
            self.answer(name, f"{name}-1")

    def dirty(self, *names: str) -> list[Effect]:
        return self.do(on.MarkDirty(tuple(key(name) for name in names)))

    def refresh(self, name: str) -> list[Effect]:
        return self.do(on.ManualRefresh(key(name)))

    # -- looking

    def see(self, name: str) -> Observation[Any]:
        return self.scheduler.observation(key(name))

    def brief(self, name: str) -> tuple[str, str, Any]:
        seen = self.see(name)
        return str(seen.state), str(seen.reason), seen.data

    def in_flight(self) -> list[str]:
        return sorted(flying.scope for flying in self.flying)

    def sent_at(self, name: str) -> list[float]:
        return [at for at, sent in self.sent if sent == name]

    # -- effects

    def _apply(self, effect: Effect) -> None:
        match effect:
            case Arm(at):
                self.armed = at
            case Disarm():
                assert self.armed is not None, "only what is armed is disarmed"
                self.armed = None
            case Dispatch(attempt, expires_at):
                assert attempt.key not in self.flying, "one read a key"
                assert attempt not in self.attempts, "an attempt is sent once"
                assert expires_at == self.now + self.settings.client_deadline
                self.flying[attempt.key] = effect
                self.sent.append((self.now, attempt.key.scope))
                self.attempts.append(attempt)
                assert len(self.flying) <= self.settings.max_in_flight, "two reads at a time"
            case Abort(attempt):
                self.flying.pop(attempt.key, None)
            case Publish(told, observation) | Mark(told, observation):
                self.told.append((told.scope, observation))
            case Reject():
                pass


def only(effects: list[Effect], kind: type[Effect]) -> list[Any]:
    return [effect for effect in effects if isinstance(effect, kind)]
