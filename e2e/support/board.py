"""The board as a person meets it: by roles and names."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, Request, Route, expect

QUEUES, JOBS, CAPABILITIES = "/api/queues", "/api/v1/jobs/query", "/api/capabilities"
START_MS = 60_000
"""Starting Python takes seconds on a machine that is busy with other work."""
REFRESH_MS = 20_000
"""One refresh cadence of 5 s, and the machine's own slowness."""


class Board:
    """The board's page in one tab."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin
        self._answered: Counter[str] = Counter()
        self._under_way: set[Request] = set()
        page.on("request", self._sent)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)

    def open(self, address: str = "/board", wait_for_data: bool = True) -> Board:
        self.page.goto(self.origin + address)
        return self.wait_until_started(wait_for_data)

    def wait_until_started(self, wait_for_data: bool = True) -> Board:
        expect(self.page.locator("html")).to_have_attribute("data-runtime", "ready", timeout=START_MS)
        if wait_for_data:
            expect(self.freshness).to_have_attribute("data-state", "fresh", timeout=REFRESH_MS)
        return self

    @property
    def freshness(self) -> Locator:
        return self.page.locator("#freshness")

    @property
    def filter(self) -> Locator:
        return self.page.get_by_role("searchbox", name="Show queues whose name contains")

    @property
    def announcements(self) -> Locator:
        return self.page.locator("#announcements")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def queue_names(self) -> Locator:
        return self.page.get_by_role("heading", level=2)

    def queue(self, name: str) -> Locator:
        """The section of one queue."""
        return self.page.get_by_role("region", name=re.compile(rf"^{re.escape(name)}\b"))

    def figure(self, queue: str, name: str) -> Locator:
        return self.queue(queue).locator(f"[data-figure={name}]")

    def status(self, queue: str) -> Locator:
        return self.queue(queue).locator("[data-status]")

    def todos(self, queue: str) -> Locator:
        return self.queue(queue).get_by_role("list", name=f"Waiting in {queue}").get_by_role("listitem")

    def expect_state(self, state: str, timeout: float = REFRESH_MS) -> None:
        expect(self.freshness).to_have_attribute("data-state", state, timeout=timeout)

    def expect_queues(self, *names: str) -> None:
        """Exactly these queues are shown, in this order."""
        expect(self.queue_names).to_have_text([re.compile(rf"^{re.escape(name)} ") for name in names])

    def refreshed(self, path: str = QUEUES) -> None:
        """Moves the page's installed clock on until the next answer on that path has come."""
        before = self._answered[path]
        for _ in range(60):
            # in steps, since the next read is due some time after the last one was taken in
            self.page.clock.fast_forward(1_700)
            self.wait_for_answers()
            if self._answered[path] > before:
                return
        raise AssertionError(f"no read of {path} for more than a minute and a half")

    def wait_for_answers(self) -> None:
        """Until no read is under way. The network keeps real time: a clock moved on meanwhile would time it out."""
        while self._under_way:
            self.page.evaluate("() => 0")

    def pass_until(self, state: str, step_ms: int = 4_000) -> None:
        """Moves the page's installed clock on, step by step, until the trust line is in that state."""
        for _ in range(30):
            if self.freshness.get_attribute("data-state") == state:
                return
            self.page.clock.fast_forward(step_ms)
            self.wait_for_answers()
        self.expect_state(state)

    def _sent(self, request: Request) -> None:
        if "/api/" in request.url:
            self._under_way.add(request)

    def _ended(self, request: Request) -> None:
        self._under_way.discard(request)
        self._answered[urlsplit(request.url).path] += 1


class Held:
    """Requests on some paths that wait until they are let go."""

    def __init__(self, page: Page, *paths: str) -> None:
        self._routes: list[Route] = []
        self._holding = True
        for path in paths:
            page.route("**" + path, self._hold)

    def let_go(self) -> None:
        self._holding = False
        for route in self._routes:
            route.continue_()

    def _hold(self, route: Route) -> None:
        if self._holding:
            self._routes.append(route)
        else:
            route.continue_()
