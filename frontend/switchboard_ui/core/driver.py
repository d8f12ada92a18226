"""Runs the tab's scheduler against the ports: timers, fetch tasks, lifecycle, and the listeners of views."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol, TypeVar

from switchboard_ui.core import events as on
from switchboard_ui.core.backend_identity import BackendIdentity
from switchboard_ui.core.effects import Abort, Arm, Disarm, Dispatch, Effect, Mark, Publish, Reject
from switchboard_ui.core.events import Attempt, Event, PauseCause
from switchboard_ui.core.observation import OVER_CAP, Observation
from switchboard_ui.core.outcomes import Decoded, Failure, classify, network_failure
from switchboard_ui.core.query import Query, QueryKey, covers
from switchboard_ui.core.scheduler import Scheduler
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.core.subscriptions import Subscriptions
from switchboard_ui.ports import Clock, Fetch, Lifecycle, NetworkError, Tab, Timer
from switchboard_wire.session import READER_HEADER

T = TypeVar("T")
_log = logging.getLogger(__name__)


class ReadPorts(Protocol):
    """The part of the page's ports that reads need."""

    @property
    def fetch(self) -> Fetch: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def timer(self) -> Timer: ...
    @property
    def tab(self) -> Tab: ...


def _log_error(error: Exception) -> None:
    # The type only: messages may quote payloads or filters.
    _log.error("A view or a port failed: %s", type(error).__name__)


class TabReads:
    """The one reader of a tab. Methods are called on the loop's thread and return at once.

    Listeners are called with each change of their observation, and once on subscription; what they raise goes to
    `report` and disturbs nobody else. They may call any method here, their own unsubscription included.
    """

    def __init__(
        self,
        ports: ReadPorts,
        settings: SchedulerSettings,
        random: Callable[[], float],
        report: Callable[[Exception], None] = _log_error,
    ) -> None:
        self._ports = ports
        self._report = report
        self._scheduler = Scheduler(settings, random)
        self._max_keys = settings.max_keys
        self._subscriptions = Subscriptions()
        self._refused: dict[QueryKey, None] = {}
        self._paused_all: set[PauseCause] = set()
        self._identity: BackendIdentity | None = None
        self._reader: str | None = None
        self._tasks: dict[Attempt, asyncio.Task[None]] = {}
        self._todo: deque[Callable[[], None]] = deque()
        self._draining = False
        ports.tab.on_lifecycle(self._lifecycle)
        if ports.tab.visible():
            self._feed(on.Visible())

    # -- views

    def subscribe(self, query: Query[T], listener: Callable[[Observation[T]], None]) -> Callable[[], None]:
        """Keep the query's key read for this listener until the returned function is called (again is harmless).

        Beyond the cap the listener sees an error with the reason over_cap until another key is released.
        """
        key = query.key
        is_active = key in self._scheduler.keys
        token = self._subscriptions.add(query, listener)
        if is_active or key in self._refused:
            self._todo.append(partial(self._tell_one, key, token, self.snapshot(key)))
        if key not in self._refused:
            self._register(key)
        self._drain()
        return partial(self._unsubscribe, key, token)

    def snapshot(self, key: QueryKey) -> Observation[Any]:
        """What a view of the key sees now; never waits. Loading for a key that nobody has read yet."""
        return OVER_CAP if key in self._refused else self._scheduler.observation(key)

    def refresh(self, key: QueryKey) -> None:
        """The operator asks for the key. Floors, backoff and cooldown still apply, stops and reprobe times do not."""
        self._feed(on.ManualRefresh(key))

    def mark_dirty(self, which: Iterable[str] | Callable[[QueryKey], bool]) -> None:
        """A change made here concerns these scopes (with all below them), or the keys that the predicate accepts."""
        if callable(which):
            keys = [key for key in self._scheduler.keys if which(key)]
        else:
            scopes = (which,) if isinstance(which, str) else tuple(which)
            keys = [key for key in self._scheduler.keys if any(covers(scope, key) for scope in scopes)]
        if keys:
            self._feed(on.MarkDirty(tuple(keys)))

    def pause(self, key: QueryKey, cause: PauseCause = PauseCause.SELECTION) -> None:
        """Keep what is shown of the key as it is; `refresh` still reads it once."""
        self._feed(on.Pause(key, cause))

    def resume(self, key: QueryKey, cause: PauseCause = PauseCause.SELECTION) -> None:
        """Take the cause back; the key runs again when no other is left."""
        self._feed(on.Resume(key, cause))

    def pause_all(self, cause: PauseCause = PauseCause.BY_HAND) -> None:
        """Pause every key, those of later views too: they are read once and then stay as they are."""
        self._paused_all.add(cause)
        for key in self._scheduler.keys:
            self._feed(on.Pause(key, cause))

    def resume_all(self, cause: PauseCause = PauseCause.BY_HAND) -> None:
        self._paused_all.discard(cause)
        for key in self._scheduler.keys:
            self._feed(on.Resume(key, cause))

    # -- the backend

    def backend_seen(self, identity: BackendIdentity, cached_for: float | None = None) -> None:
        """Capabilities name the backend, and for how many seconds it caches. Another database voids all data (D29)."""
        replaced = identity.replaces(self._identity)
        self._identity = identity
        if replaced:
            self._feed(on.BackendChanged())
        if cached_for is not None:
            self._feed(on.LifetimeAdvertised(cached_for))

    @property
    def paused_all(self) -> bool:
        """Whether every key is paused by hand."""
        return PauseCause.BY_HAND in self._paused_all

    def credentials_changed(self) -> None:
        """Somebody signed in or out: nothing read before is shown, everything is read again."""
        self._feed(on.CredentialsChanged())

    # -- events in, effects out

    def _lifecycle(self, change: Lifecycle) -> None:
        match change:
            case Lifecycle.VISIBLE:
                self._feed(on.Visible())
            case Lifecycle.HIDDEN:
                self._feed(on.Hidden())
            case Lifecycle.PAGE_HIDE:
                self._feed(on.PageHide())
            case Lifecycle.PAGE_SHOW_PERSISTED:
                self._feed(on.PageShow(persisted=True, visible=self._ports.tab.visible()))
            case Lifecycle.ONLINE:
                self._feed(on.Online())

    def _feed(self, event: Event) -> None:
        self._step(event)
        self._drain()

    def _step(self, event: Event) -> None:
        for effect in self._scheduler.step(event, self._ports.clock.now()):
            self._todo.append(partial(self._perform, effect))

    def _drain(self) -> None:
        """Execute what is to be done, in order; a listener's own calls queue up behind."""
        if self._draining:
            return
        self._draining = True
        try:
            while self._todo:
                self._todo.popleft()()
        finally:
            self._draining = False

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Arm(at):
                self._ports.timer.arm(at, self._fire)
            case Disarm():
                self._ports.timer.disarm()
            case Dispatch(attempt, _):
                self._start(attempt)
            case Abort(attempt):
                if attempt in self._tasks:
                    self._tasks[attempt].cancel()
            case Publish(key, observation) | Mark(key, observation):
                self._tell(key, observation)
            case Reject(key, _):
                self._tell(key, OVER_CAP)

    def _fire(self) -> None:
        self._feed(on.Tick())

    # -- reads

    def _start(self, attempt: Attempt) -> None:
        query = self._subscriptions.query(attempt.key)
        if query is None:
            # A listener released the key before its read began; the Abort is queued behind.
            return
        task = asyncio.get_running_loop().create_task(self._read(attempt, query))
        self._tasks[attempt] = task
        task.add_done_callback(lambda _: self._tasks.pop(attempt, None))

    async def _read(self, attempt: Attempt, query: Query[Any]) -> None:
        outcome = await self._outcome(attempt, query)
        if isinstance(outcome, Failure):
            self._feed(on.Failed(attempt, outcome))
        elif outcome is not None:
            # The instant of this step comes after decoding: what decoded too long is expired.
            self._feed(on.Arrived(attempt, outcome))

    async def _outcome(self, attempt: Attempt, query: Query[Any]) -> Decoded[Any] | Failure | None:
        try:
            response = await self._ports.fetch(query.request)
        except NetworkError:
            return network_failure()
        except Exception as error:
            # A fault of the port must not leave the read pending until its deadline.
            self._report(error)
            return network_failure("fetch_failed")
        self._answered_for(response.headers.get(READER_HEADER.lower()))
        if not self._scheduler.current(attempt):
            return None
        return classify(response, query.decode, may_be_gone=query.may_be_gone)

    def _answered_for(self, reader: str | None) -> None:
        """Somebody else has signed in, in another tab perhaps: what this one shows is not theirs to see.

        The answer itself is fenced by that as well, and read again for its new reader.
        """
        if reader is None:
            return
        known, self._reader = self._reader, reader
        if known not in (None, reader):
            self._feed(on.CredentialsChanged())

    # -- listeners

    def _register(self, key: QueryKey) -> None:
        terms = self._subscriptions.terms(key)
        if terms is None:
            return
        was_active = key in self._scheduler.keys
        self._step(on.Register(key, terms))
        if key not in self._scheduler.keys:
            self._refused[key] = None
        elif not was_active:
            for cause in self._paused_all:
                self._step(on.Pause(key, cause))

    def _unsubscribe(self, key: QueryKey, token: int) -> None:
        if not self._subscriptions.remove(key, token):
            return
        if self._subscriptions.query(key) is not None:
            if key not in self._refused:
                self._register(key)
        elif key in self._refused:
            del self._refused[key]
        else:
            self._step(on.Release(key))
            self._admit_refused()
        self._drain()

    def _admit_refused(self) -> None:
        """A key was released: the one that was refused first takes its place."""
        if self._refused and len(self._scheduler.keys) < self._max_keys:
            key = next(iter(self._refused))
            del self._refused[key]
            self._register(key)

    def _tell(self, key: QueryKey, observation: Observation[Any]) -> None:
        for token in self._subscriptions.tokens(key):
            self._tell_one(key, token, observation)

    def _tell_one(self, key: QueryKey, token: int, observation: Observation[Any]) -> None:
        listener = self._subscriptions.listener(key, token)
        if listener is None:
            return
        try:
            listener(observation)
        except Exception as error:
            self._report(error)
