"""A rig that keeps its own, much simpler book of every bound and checks it at each effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from switchboard_ui.core import events as on
from switchboard_ui.core.effects import Abort, Dispatch, Effect, Publish
from switchboard_ui.core.events import Attempt, Event
from switchboard_ui.core.outcomes import Failure, FailureKind
from switchboard_ui.core.query import Floor, QueryKey, Terms
from switchboard_ui.core.scheduler_settings import SchedulerSettings

from .rig import Rig, decoded, key

# Two keys share a route, one is manual, one is cached. The sixth name is one more than the cap.
TERMS = {
    "a": Terms(Floor.UNCACHED, 5.0, False, "route-1"),
    "b": Terms(Floor.UNCACHED, None, False, "route-1"),
    "c": Terms(Floor.CACHED, 5.0, False, "route-2"),
    "m": Terms(Floor.UNCACHED, None, True, "route-3"),
    "d": Terms(Floor.UNCACHED, 40.0, False, "route-4"),
    "e": Terms(Floor.CACHED, 2.0, False, "route-4"),
}
FLOORS = {Floor.UNCACHED: 2.0, Floor.CACHED: 5.0}
UNUSABLE = frozenset({"redirected", "not_json", "route_absent", "wrong_version", "malformed", "gone"})
RETRYABLE = frozenset({"network", "deadline", "overloaded", "server_error"})


@dataclass
class Book:
    """What a reader of the requirements would note about one key. Survives a release for 300 s."""

    not_before: float = float("-inf")
    failures: int = 0
    retry_not_before: float = float("-inf")
    reprobe_not_before: float = float("-inf")
    stopped: str = ""
    asked: bool = False
    active: bool = False
    released_at: float = float("-inf")
    paused: bool = False
    first: bool = False
    owed: bool = False
    """The read under way was asked for, or is a first one: if it brings nothing, a pause does not hold its retry."""
    pending_since: float | None = None
    """Since when a read is wanted that none under way will bring."""
    captured_since: float | None = None
    """Since when what the read under way will bring is wanted."""
    retry_not_after: float = float("-inf")

    def want(self, now: float) -> None:
        self.pending_since = now if self.pending_since is None else self.pending_since

    def give_back(self, now: float) -> None:
        """The read under way brought nothing."""
        self.first, self.owed = self.first or self.owed, False
        if self.captured_since is not None:
            self.captured_since = None
            self.want(now)


class WatchedRig(Rig):
    def __init__(self, random: Callable[[], float]) -> None:
        self.books = {name: Book() for name in TERMS}
        self.causes: dict[str, set[on.PauseCause]] = {name: set() for name in TERMS}
        self.cooldown = float("-inf")
        self.session_lost = False
        self.session_probe = False
        self.phase = "hidden"
        self.era = 0
        self.eras: dict[Attempt, int] = {}
        self.route_not_before: dict[str, float] = {}
        super().__init__(SchedulerSettings(max_keys=5), random)

    # -- the book

    def do(self, event: Event) -> list[Effect]:
        self.event = event
        expired = [f.attempt.key.scope for f in self.flying.values() if f.expires_at <= self.now]
        for name in expired:
            self._note_failure(name, FailureKind.DEADLINE, None)
        self.publishable = self._note(event)
        effects = super().do(event)
        self._check_rest()
        return effects

    def _note(self, event: Event) -> QueryKey | None:
        """Write the event down; the key whose data it may publish."""
        match event:
            case on.Register(registered, _):
                book = self.books[registered.scope]
                if not book.active and sum(b.active for b in self.books.values()) < 5:
                    if self.now - book.released_at >= 300.0:
                        book.__dict__.update(Book().__dict__)
                    book.active, book.first, book.stopped = True, True, ""
                    book.captured_since = None
                    book.pending_since = self.now
            case on.Release(released):
                book = self.books[released.scope]
                if book.active:
                    book.active, book.paused, book.asked, book.released_at = False, False, False, self.now
                    self.causes[released.scope].clear()
            case on.ManualRefresh(asked):
                self.books[asked.scope].asked |= self.books[asked.scope].active
                self._want([asked.scope])
            case on.MarkDirty(marked):
                self._want(self._automatic(one.scope for one in marked))
            case on.Pause(paused, _):
                if self.books[paused.scope].active:
                    self.books[paused.scope].paused = True
                    self.causes[paused.scope].add(event.cause)
            case on.Resume(paused, _):
                if self.books[paused.scope].paused and not self._still_paused(event):
                    self.books[paused.scope].paused = False
                    self._want(self._automatic([paused.scope]))
            case on.Online():
                self._want(self._automatic(TERMS))
            case on.Visible():
                if self.phase == "hidden":
                    self._want(self._automatic(TERMS))
                self.phase = "visible" if self.phase == "hidden" else self.phase
            case on.Hidden():
                self.phase = "hidden" if self.phase == "visible" else self.phase
            case on.PageHide():
                self.phase = "left"
            case on.PageShow(persisted, visible):
                if persisted or self.phase == "left":
                    self.phase = "visible" if visible else "hidden"
                    self._want(self._automatic(TERMS))
                    self.session_probe = self.session_lost
            case on.BackendChanged():
                self._new_era()
                self.cooldown, self.route_not_before = float("-inf"), {}
                for book in self.books.values():
                    book.failures, book.stopped = 0, ""
                    book.retry_not_before = book.reprobe_not_before = float("-inf")
            case on.CredentialsChanged():
                self._new_era()
            case on.Arrived(attempt, _):
                flight = self.flying.get(attempt.key)
                if flight is not None and flight.attempt == attempt and self.now < flight.expires_at:
                    self._note_success(attempt.key.scope)
                    return attempt.key
            case on.Failed(attempt, failure):
                flight = self.flying.get(attempt.key)
                if flight is not None and flight.attempt == attempt and self.now < flight.expires_at:
                    self._note_failure(attempt.key.scope, failure.kind, failure.retry_after)
        return None

    def _new_era(self) -> None:
        """Another session or database: whatever was read before is nobody's any more."""
        self.era += 1
        self.session_lost = False
        for book in self.books.values():
            book.first = True
            book.want(self.now)
            if book.stopped == "forbidden":
                book.stopped = ""

    def _note_success(self, name: str) -> None:
        book = self.books[name]
        book.failures, book.stopped, book.owed, book.captured_since = 0, "", False, None
        book.retry_not_before = book.reprobe_not_before = float("-inf")
        self.route_not_before.pop(TERMS[name].route, None)
        self._pace(name)
        if self.session_lost:
            self.session_lost = False
            for other in (b for n, b in self.books.items() if n != name):
                other.first = True
                other.want(self.now)
                if other.stopped == "forbidden":
                    other.stopped = ""

    def _note_failure(self, name: str, kind: FailureKind, retry_after: float | None) -> None:
        book = self.books[name]
        self._pace(name)
        book.give_back(self.now)
        book.stopped = ""
        if kind in RETRYABLE:
            book.failures += 1
            longest = min(2.0 * 2.0 ** min(book.failures - 1, 20), 60.0)
            book.retry_not_before, book.retry_not_after = self.now + 0.5 * longest, self.now + longest
            if retry_after is not None:
                self.cooldown = max(self.cooldown, self.now + min(retry_after, 300.0))
        elif kind in UNUSABLE:
            book.reprobe_not_before = self.now + 60.0
            if kind not in ("malformed", "gone"):
                self.route_not_before[TERMS[name].route] = self.now + 60.0
        elif kind == "signed_out":
            self.session_lost = True
            self.era += 1
        else:
            book.stopped = kind

    def _want(self, wanted: Iterable[str]) -> None:
        for name in wanted:
            if self.books[name].active:
                self.books[name].want(self.now)

    def _automatic(self, of: Iterable[str]) -> list[str]:
        return [name for name in of if not TERMS[name].manual]

    def _still_paused(self, event: on.Resume) -> bool:
        self.causes[event.key.scope].discard(event.cause)
        return bool(self.causes[event.key.scope])

    def _pace(self, name: str) -> None:
        self.books[name].not_before = max(self.books[name].not_before, self.now + FLOORS[TERMS[name].floor])

    # -- the checks

    def _apply(self, effect: Effect) -> None:
        if isinstance(effect, Dispatch):
            self._check_dispatch(effect.attempt.key.scope)
            self.eras[effect.attempt] = self.era
        if isinstance(effect, Publish):
            assert effect.key == self.publishable, "published without a current, unexpired attempt"
        if isinstance(effect, Abort):
            assert effect.attempt.key in self.flying or not self.books[effect.attempt.key.scope].active
            self.books[effect.attempt.key.scope].give_back(self.now)
        super()._apply(effect)

    def _check_dispatch(self, name: str) -> None:
        book = self.books[name]
        assert book.active, "only active keys are read"
        assert self.phase == "visible", "nothing is sent from a tab that is not seen"
        assert self.now >= book.not_before, "floor"
        assert self.now >= book.retry_not_before, "backoff"
        assert self.now >= self.cooldown, "cooldown"
        if not book.asked and not self.session_probe:
            assert not self.session_lost, "signed out"
            assert not book.stopped, f"stopped: {book.stopped}"
            assert self.now >= book.reprobe_not_before, "reprobe of the key"
            assert self.now >= self.route_not_before.get(TERMS[name].route, float("-inf")), "reprobe of the route"
            assert not book.paused or book.first, "paused"
        self.session_probe = False
        if TERMS[name].route in self.route_not_before:
            self.route_not_before[TERMS[name].route] = self.now + 60.0
        book.captured_since, book.pending_since = self.now, None
        book.owed = book.first or book.asked
        book.first = book.asked = False
        self._pace(name)

    def _check_rest(self) -> None:
        expiries = [flight.expires_at for flight in self.flying.values()]
        if self.phase == "left":
            assert self.armed is None, "no timer after pagehide"
            assert not self.flying, "no read after pagehide"
        if self.phase == "hidden":
            assert self.armed == min(expiries, default=None), "hidden: no timer but the expiry of reads under way"
        if expiries:
            assert self.armed is not None
            assert self.armed <= min(expiries), "a read under way is watched"
        if self.phase == "visible" and len(self.flying) < 2:
            self._check_demand()
        for name in TERMS:
            seen = self.see(name)
            if seen.data is not None:
                assert seen.data[0] == self.era, "data of another session or database"
            if seen.state == "fresh" and self.phase == "visible" and not TERMS[name].manual:
                assert seen.received_at is not None
                assert self.now - seen.received_at <= 33.0, "fresh beyond the watchdog"

    def _check_demand(self) -> None:
        """A slot is free: what is wanted and not blocked is under way by the end of its longest wait."""
        for name, book in self.books.items():
            route_at = self.route_not_before.get(TERMS[name].route, float("-inf"))
            blocked = book.stopped or self.session_lost or (book.paused and not book.first)
            if (
                not book.active
                or book.pending_since is None
                or (blocked and not book.asked)
                or key(name) in self.flying
            ):
                continue
            latest = max(book.pending_since + 0.5, book.not_before, book.retry_not_after, self.cooldown)
            if not book.asked:
                latest = max(latest, book.reprobe_not_before, route_at)
            assert self.armed is not None, f"{name} is wanted, and nothing is to come"
            assert self.armed <= latest, f"{name} is wanted, and the timer comes too late for it"

    # -- driving

    def jump(self, seconds: float) -> None:
        """Let time pass in a tab whose timers come late; the next event finds the clock ahead of them."""
        self.now += seconds

    def arrive(self, attempt: Attempt) -> None:
        """The answer of any attempt ever made, current or not; its data says when it was asked for."""
        self.do(on.Arrived(attempt, decoded((self.eras[attempt], len(self.sent)))))

    def fail_attempt(self, attempt: Attempt, failure: Failure) -> None:
        self.do(on.Failed(attempt, failure))

    def register_by_name(self, name: str) -> None:
        self.do(on.Register(key(name), TERMS[name]))

    def all_flights(self) -> list[Any]:
        return [flight.attempt for flight in self.flying.values()]
