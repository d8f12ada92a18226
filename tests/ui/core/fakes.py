"""Surroundings for the driver: a clock that stands still, a timer, a scripted network, a tab."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.outcomes import Decoded, ProtocolError
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.ports import Lifecycle, Request, Response

NOON = datetime(2026, 11, 2, 12, 0, 0, tzinfo=UTC)
JSON = {"content-type": "application/json"}


class FakeClock:
    def __init__(self) -> None:
        self.instant = 0.0

    def now(self) -> float:
        return self.instant

    def wall(self) -> datetime:
        raise AssertionError("the scheduler never looks at the wall clock")


class FakeTimer:
    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.at: float | None = None
        self._fire: Callable[[], None] | None = None

    def arm(self, at: float, fire: Callable[[], None]) -> None:
        assert at > self._clock.now(), "armed for the past: the tab would spin"
        self.at, self._fire = at, fire

    def disarm(self) -> None:
        self.at = self._fire = None

    def fire(self) -> None:
        fire = self._fire
        self.disarm()
        assert fire is not None
        fire()


class FakeTab:
    def __init__(self, visible: bool = True) -> None:
        self.seen = visible
        self.listeners: list[Callable[[Lifecycle], None]] = []

    def visible(self) -> bool:
        return self.seen

    def on_lifecycle(self, listener: Callable[[Lifecycle], None]) -> None:
        self.listeners.append(listener)

    def tell(self, *changes: Lifecycle) -> None:
        for change in changes:
            if change is Lifecycle.VISIBLE:
                self.seen = True
            if change is Lifecycle.HIDDEN:
                self.seen = False
            for listener in self.listeners:
                listener(change)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"reads have no business with {name}")


@dataclass(eq=False)
class Call:
    """One request on the scripted network."""

    request: Request
    at: float
    reply: asyncio.Future[Response] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    aborted: bool = False

    @property
    def path(self) -> str:
        return self.request.path


class FakeFetch:
    """Answers when told to. With `ignores_aborts`, a cancelled request goes on and its answer still comes."""

    made: ClassVar[list[FakeFetch]] = []

    def __init__(self, clock: FakeClock) -> None:
        self.made.append(self)
        self.clock = clock
        self.calls: list[Call] = []
        self.ignores_aborts = False
        self.open: list[Call] = []
        self.most_open = 0

    async def __call__(self, request: Request) -> Response:
        call = Call(request, self.clock.now())
        self.calls.append(call)
        self.open.append(call)
        self.most_open = max(self.most_open, len(self.open))
        try:
            while True:
                try:
                    return await asyncio.shield(call.reply)
                except asyncio.CancelledError:
                    call.aborted = True
                    if not self.ignores_aborts:
                        raise
        finally:
            self.open.remove(call)


def decode(response: Response) -> Decoded[Any]:
    body = json.loads(response.text)
    if body["version"] != 1:
        raise ProtocolError("version 2", wrong_version=True)
    return Decoded(body["data"], NOON, NOON, body.get("age", 0))


def ok(data: Any, age: int = 0) -> Response:
    return Response(200, json.dumps({"version": 1, "data": data, "age": age}), JSON)


def error(status: int, code: str, headers: dict[str, str] | None = None, **more: str) -> Response:
    body = {"error": {"code": code, "message": f"about {code}", **more}}
    return Response(status, json.dumps(body), {**JSON, **(headers or {})})


HTML = Response(200, "<!doctype html><title>Sign in</title>", {"content-type": "text/html; charset=utf-8"})


def query(name: str, floor: Floor = Floor.UNCACHED, cadence: float | None = None, **options: Any) -> Query[Any]:
    return Query(name, Request("GET", f"/api/{name}"), options.pop("decode", decode), floor, cadence, **options)


@dataclass
class FakePorts:
    """Only what reads need: anything else that the driver touched would fail."""

    fetch: FakeFetch
    clock: FakeClock
    timer: FakeTimer
    tab: Any


class Page:
    """A tab with its reads; all that a driver test needs, on one simulated clock."""

    def __init__(self, visible: bool = True) -> None:
        self.clock = FakeClock()
        self.timer = FakeTimer(self.clock)
        self.fetch = FakeFetch(self.clock)
        self.tab = FakeTab(visible)
        self.errors: list[Exception] = []
        self.seen: dict[str, list[Any]] = {}
        self.ports = FakePorts(self.fetch, self.clock, self.timer, self.tab)
        self.reads = TabReads(self.ports, SchedulerSettings(), lambda: 0.5, self.errors.append)

    def show(self, name: str, **options: Any) -> Callable[[], None]:
        """Subscribe a view that remembers all it is told."""
        told = self.seen.setdefault(name, [])
        return self.reads.subscribe(query(name, **options), told.append)

    async def settle(self) -> None:
        """Let every task run until it waits for the network."""
        for _ in range(20):
            future = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(future.set_result, None)
            await future

    async def wait(self, seconds: float) -> None:
        """Let time pass, the timer fire, and tasks run."""
        await self.settle()
        end = self.clock.instant + seconds
        while self.timer.at is not None and self.timer.at <= end:
            self.clock.instant = max(self.clock.instant, self.timer.at)
            self.timer.fire()
            await self.settle()
        self.clock.instant = max(self.clock.instant, end)

    async def answer(self, name: str, response: Response | Exception) -> None:
        """The oldest open request for the view is answered."""
        await self.settle()
        call = next(call for call in self.fetch.open if call.path == f"/api/{name}" and not call.reply.done())
        if isinstance(response, Exception):
            call.reply.set_exception(response)
        else:
            call.reply.set_result(response)
        await self.settle()

    def brief(self, name: str) -> tuple[str, str, Any]:
        now = self.reads.snapshot(query(name).key)
        return str(now.state), str(now.reason), now.data

    def sent(self, name: str) -> list[float]:
        return [call.at for call in self.fetch.calls if call.path == f"/api/{name}"]
