"""A page without a browser: its ports faked, its model kept up to date, its text as the server would write it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from reactpy.config import REACTPY_ASYNC_RENDERING
from reactpy.core.layout import Layout

from switchboard.http.html import serialise
from switchboard_ui.pages.root import root
from switchboard_ui.ports import Lifecycle, Ports, Request, Response
from switchboard_wire.encode import encode_json, to_plain
from switchboard_wire.reads import JobsPage, QueuesPage
from switchboard_wire.session import Session, SessionHuman
from tests.ui.views.samples import BERLIN, NOW

JSON = {"content-type": "application/json"}


class OneTimer:
    """Implements ports.Timer; fires when it is told to."""

    def __init__(self) -> None:
        self.at: float | None = None
        self._fire: Callable[[], None] | None = None

    def arm(self, at: float, fire: Callable[[], None]) -> None:
        self.at, self._fire = at, fire

    def disarm(self) -> None:
        self.at = self._fire = None

    def fire(self) -> None:
        fire = self._fire
        self.disarm()
        assert fire is not None
        fire()


class Surroundings:
    """Clock, timer, ticker, tab and a server that always answers at once with what it is told to."""

    def __init__(self) -> None:
        self.instant = 0.0
        self.timer = OneTimer()
        self.ticks: list[Callable[[], None]] = []
        self.remembered: dict[str, str] = {}
        self.listeners: list[Callable[[Lifecycle], None]] = []
        self.queues = QueuesPage(())
        self.jobs = JobsPage((), None)
        self.status = 200
        self.hanging = ""
        self.address = "/board"
        self.history: list[str] = []
        self.navigated: list[Callable[[str], None]] = []
        self.title = ""
        self.focused: list[str] = []
        self.asked: list[str] = []
        self.sent: list[Request] = []
        # By path: the payload of a read or the answer of a mutation, or a whole response.
        self.answers: dict[str, Any] = {"/api/session": Session(SessionHuman(1, "ada", False), "csrf-of-ada")}

    # -- ports.Clock

    def now(self) -> float:
        return self.instant

    def wall(self) -> datetime:
        return NOW + timedelta(seconds=self.instant)

    # -- ports.Tab

    def visible(self) -> bool:
        return True

    def on_lifecycle(self, listener: Callable[[Lifecycle], None]) -> None:
        self.listeners.append(listener)

    def zone(self) -> str:
        return BERLIN

    def recall(self, name: str) -> str | None:
        return self.remembered.get(name)

    def remember(self, name: str, value: str) -> None:
        self.remembered[name] = value

    def path(self) -> str:
        return self.address

    def on_navigation(self, listener: Callable[[str], None]) -> None:
        self.navigated.append(listener)

    def navigate(self, address: str, *, replace: bool = False) -> None:
        self.address = address
        self.history.append(address)
        for listener in list(self.navigated):
            listener(address)

    def set_title(self, title: str) -> None:
        self.title = title

    def focus(self, element_id: str) -> None:
        self.focused.append(element_id)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the page has no business with {name}")

    # -- ports.Ticker

    def ticker(self, tick: Callable[[], None]) -> Callable[[], None]:
        self.ticks.append(tick)
        return lambda: self.ticks.remove(tick)

    # -- ports.Fetch

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request.path)
        if request.path == self.hanging:
            await asyncio.get_running_loop().create_future()
        if self.status != 200:
            return Response(self.status, '{"error": {"code": "unavailable", "message": "not now"}}', JSON)
        at = self.wall().astimezone(UTC).isoformat()
        observation = {"observed_at": at, "served_at": at, "cache_age_ms": 0}
        headers = JSON | {"observed-at": at, "served-at": at, "cache-age-ms": "0"}
        path = request.path.partition("?")[0]
        self.sent.append(request)
        if path == "/api/queues":
            data: Any = self.queues
        elif path == "/api/v1/jobs/query" and path not in self.answers:
            data = self.jobs
        elif path in self.answers:
            data = self.answers[path]
        else:
            return Response(404, "{}", JSON)
        if isinstance(data, Response):
            return data
        if path.startswith("/api/v1/"):
            envelope = {"version": 1, "data": to_plain(data), "observation": observation}
            return Response(200, encode_json(envelope), JSON)
        return Response(200, encode_json(to_plain(data)), headers)

    def ports(self) -> Ports:
        return Ports(fetch=self.fetch, clock=self, timer=self.timer, ticker=self.ticker, tab=self)


class Screen:
    """What the page shows."""

    def __init__(self, around: Surroundings, layout: Layout) -> None:
        self.around = around
        self.updates = 0
        # (path, tag) of each part that was drawn again
        self.paths: list[tuple[str, str]] = []
        self._layout = layout
        self._model: dict[str, Any] = {}

    @property
    def html(self) -> str:
        return serialise(self._model)

    def element(self, identifier: str) -> dict[str, Any]:
        """The element with that id."""
        found = _find(self._model, lambda node: node.get("attributes", {}).get("id") == identifier)
        assert found is not None, f"nothing has the id {identifier}"
        return found

    def text(self, identifier: str) -> str:
        return _text(self.element(identifier))

    async def click(self, identifier: str) -> None:
        await self._event(identifier, "onClick", {})

    async def type(self, identifier: str, value: str) -> None:
        await self._event(identifier, "onInput", {"target": {"value": value}})

    async def check(self, identifier: str, checked: bool = True) -> None:
        await self._event(identifier, "onChange", {"target": {"checked": checked}})

    async def submit(self, identifier: str, **values: str | list[str]) -> None:
        """A form, with what its fields hold: texts, and lists for names that several fields have."""
        lists = {name: value if isinstance(value, list) else [value] for name, value in values.items()}
        form = {name: value[0] for name, value in lists.items() if value}
        await self._event(identifier, "onSubmit", {"form": form, "formLists": lists})

    async def go(self, address: str) -> None:
        """As a link of the page does."""
        self.around.navigate(address)
        await self.settle()

    def has(self, identifier: str) -> bool:
        return _find(self._model, lambda node: node.get("attributes", {}).get("id") == identifier) is not None

    async def pass_time(self, seconds: int) -> None:
        """Second by second, as the browser's clock ticks and its timer fires."""
        for _ in range(seconds):
            self.around.instant += 1
            timer = self.around.timer
            while timer.at is not None and timer.at <= self.around.instant:
                timer.fire()
                await self.settle()
            for tick in list(self.around.ticks):
                tick()
            await self.settle()

    async def settle(self) -> None:
        """Until nobody has anything more to do."""
        for _ in range(60):
            done = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(done.set_result, None)
            await done

    async def follow(self) -> None:
        while True:
            update = await self._layout.render()
            self.updates += 1
            self.paths.append((update["path"], _outermost(update["model"])))
            steps = [int(step) for step in update["path"].split("/") if step not in ("", "children")]
            self._model = _replaced(self._model, steps, update["model"])

    async def _event(self, identifier: str, name: str, data: dict[str, Any]) -> None:
        target = self.element(identifier)["eventHandlers"][name]["target"]
        await self._layout.deliver({"type": "layout-event", "target": target, "data": [data]})
        await self.settle()


@asynccontextmanager
async def opened(around: Surroundings) -> AsyncIterator[Screen]:
    """The page as it is after its first reads, one component rendered after the other as in the tab."""
    REACTPY_ASYNC_RENDERING.current = False
    async with Layout(root(around.ports())) as layout:
        screen = Screen(around, layout)
        following = asyncio.ensure_future(screen.follow())
        try:
            await screen.settle()
            yield screen
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


def _outermost(model: dict[str, Any]) -> str:
    """The tag of what was drawn: a component itself has none."""
    while (
        not model.get("tagName") and len(model.get("children", ())) == 1 and not isinstance(model["children"][0], str)
    ):
        model = model["children"][0]
    return str(model.get("tagName", ""))


def _find(node: Any, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    if isinstance(node, str):
        return None
    if wanted(node):
        return dict(node)
    return next((found for child in node.get("children", ()) if (found := _find(child, wanted)) is not None), None)


def _text(node: Any) -> str:
    return node if isinstance(node, str) else "".join(_text(child) for child in node.get("children", ()))


def _replaced(node: dict[str, Any], steps: list[int], part: dict[str, Any]) -> dict[str, Any]:
    if not steps:
        return part
    children = list(node["children"])
    children[steps[0]] = _replaced(children[steps[0]], steps[1:], part)
    return {**node, "children": children}
