"""A full tab over a minute, counted at the server: floors, two at a time, and nobody starves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from .site import Site

MINUTE_MS, STEP_MS = 60_000, 250


class Traffic:
    """Requests for keys, as the tab sends them, against the tab's own clock."""

    def __init__(self, page: Page) -> None:
        self.sent: dict[int, list[int]] = {}
        self.now_ms = 0
        self._open: set[Request] = set()
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        self._page = page

    def run(self, milliseconds: int) -> None:
        """The tab's clock goes on in steps; the network takes no time of it."""
        for _ in range(milliseconds // STEP_MS):
            self._page.clock.run_for(STEP_MS)
            self.now_ms += STEP_MS
            while self._open:
                self._page.evaluate("() => 0")

    def _ended(self, request: Request) -> None:
        self._open.discard(request)

    def _begun(self, request: Request) -> None:
        if "/read/" in request.url:
            self._open.add(request)
            self.sent.setdefault(int(request.url.rpartition("/")[2]), []).append(self.now_ms)


def stop_the_clock(page: Page) -> None:
    """From here on it moves only as the test says."""
    page.clock.pause_at(page.evaluate("() => Date.now()") / 1000 + 1)


@pytest.fixture
def traffic(page: Page) -> Traffic:
    page.clock.install()
    return Traffic(page)


@pytest.mark.parametrize("root", ["idle", "pressed"])
def test_sixteen_keys_stay_within_their_floors_for_a_minute(
    root: str, page: Page, site: Site, traffic: Traffic, visit: Callable[..., Page]
) -> None:
    visit(f"sixteen:{root}")
    stop_the_clock(page)
    for _ in range(200):
        traffic.run(STEP_MS)
        if page.locator("#read").text_content() == "16 read":
            break
    expect(page.locator("#read")).to_have_text("16 read")
    first = {number: len(times) for number, times in traffic.sent.items()}
    assert sorted(first) == list(range(16)), "the 17th key is refused and never read"
    traffic.run(MINUTE_MS)
    for number, times in traffic.sent.items():
        within_the_minute = len(times) - first[number]
        # a cached key at most every 5 s, any other at most every 2 s; and none waits much longer than that
        most, least = (13, 10) if number % 2 == 0 else (31, 20)
        assert least <= within_the_minute <= most, f"key {number} was read {within_the_minute} times"


def test_while_two_reads_hang_no_third_leaves_and_the_deadline_frees_both(
    page: Page, traffic: Traffic, visit: Callable[..., Page]
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/read/*", hold)
    visit("sixteen:idle")
    stop_the_clock(page)
    page.clock.run_for(15_000)
    assert len(held) == 2
    # their deadline is 20 s after they left
    page.clock.run_for(6_000)
    page.evaluate("() => 0")
    assert len(held) == 4
    assert sorted(traffic.sent) == [0, 1, 2, 3]
