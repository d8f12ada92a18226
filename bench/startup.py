"""How the page starts: what it fetches, when it is first drawn by the tab, and what that costs the tab."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, async_playwright

from switchboard.http.authentication import SESSION_COOKIE
from tests.support.chromium import launch_options

from .ground import OWNER, PASSWORD, Ground, ground
from .measure import Effort, Rounds, print_table, rotated

WAITING = 60
MODES = {"snapshot": "/board", "plain": "/board?runtime=plain"}
# The browser keeps compiled code from the second visit on, so that the third is as warm as it gets.
COLD, WARM, VISITS = "cold", "warm", 3
Key = tuple[str, str, str]

# Times in milliseconds from the start of the navigation.
_TIMES = """() => ({
  boot: performance.getEntriesByName("switchboard:boot")[0].startTime,
  drawn: performance.getEntriesByName("switchboard:first-render")[0].startTime,
  mode: document.documentElement.dataset.runtimeMode,
})"""


@dataclass(frozen=True, slots=True)
class Visit:
    """One load of the page. Times in milliseconds, `received` in bytes over the wire."""

    received: int
    requests: int
    boot: float
    drawn: float
    cpu: float


async def measure(effort: Effort) -> None:
    """Prints one table."""
    results: Rounds[Key] = Rounds()
    async with ground() as on:
        await _lay_out(on)
        token = await on.services.accounts.sign_in(OWNER, PASSWORD)
        assert token is not None
        for number in range(effort.visits):
            for mode in rotated(list(MODES), number):
                async with _fresh_browser() as context:
                    await context.add_cookies([{"name": SESSION_COOKIE, "value": token, "url": on.server.url}])
                    visits = [await _visit(context, on.server.url, mode) for _ in range(VISITS)]
                for state, visit in ((COLD, visits[0]), (WARM, visits[-1])):
                    for name in Visit.__slots__:
                        results.add((mode, state, name), getattr(visit, name))
    _print(results, effort.visits)


async def _lay_out(on: Ground) -> None:
    await on.endpoint("research", ["investigations"], policy=True)
    await on.endpoint("builder", ["builds", "nightly"], policy=True)
    await on.endpoint("mailer", ["newsletters", "receipts"], policy=False)
    await on.fill(["research", "builder", "mailer"], WAITING)


@asynccontextmanager
async def _fresh_browser() -> AsyncIterator[BrowserContext]:
    """A browser that has never been anywhere, with its caches on disk as people have them."""
    with tempfile.TemporaryDirectory() as profile:
        async with async_playwright() as playwright:
            context = await playwright.chromium.launch_persistent_context(profile, **launch_options())
            try:
                yield context
            finally:
                await context.close()


async def _visit(context: BrowserContext, url: str, mode: str) -> Visit:
    assert context.browser is not None
    browser = await context.browser.new_browser_cdp_session()
    page = await context.new_page()
    network = await context.new_cdp_session(page)
    received: list[int] = []
    network.on("Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"])))
    await network.send("Network.enable")
    before = await _renderers(browser)
    await page.goto(f"{url}{MODES[mode]}", wait_until="domcontentloaded")
    if not await page.locator("script[type=module]").count():
        raise RuntimeError("the page's runtime is not built: make runtime")
    await page.wait_for_selector("html[data-runtime=ready], html[data-runtime=failed]", timeout=60_000)
    after = await _renderers(browser)
    if await page.locator("html[data-runtime=failed]").count():
        raise RuntimeError(f"the page did not start: {await page.locator('#runtime-status').inner_text()}")
    times: dict[str, Any] = await page.evaluate(_TIMES)
    if times["mode"] != mode:
        raise RuntimeError(f"the page started as {times['mode']}, not as {mode}")
    await page.close()
    await browser.detach()
    return Visit(
        sum(received),
        sum(1 for length in received if length),
        times["boot"],
        times["drawn"],
        sum(seconds - before.get(process, 0.0) for process, seconds in after.items()) * 1000,
    )


async def _renderers(browser: CDPSession) -> dict[int, float]:
    """Seconds of CPU of each process that draws pages; an idle one adds nothing to a difference."""
    told = await browser.send("SystemInfo.getProcessInfo")
    return {one["id"]: one["cpuTime"] for one in told["processInfo"] if one["type"] == "renderer"}


def _print(results: Rounds[Key], visits: int) -> None:
    rows: list[list[str] | None] = []
    for state in (COLD, WARM):
        for mode in MODES:
            rows.append(
                [
                    f"{state}, {mode}",
                    f"{results.median((mode, state, 'received')) / 1e6:.2f} MB",
                    f"{results.median((mode, state, 'requests')):.0f}",
                    f"{results.median((mode, state, 'boot')):,.0f} ms",
                    f"{results.median((mode, state, 'drawn')):,.0f} ms",
                    f"{results.median((mode, state, 'cpu')):,.0f} ms",
                ]
            )
        ratio = results.ratio(("snapshot", state, "drawn"), ("plain", state, "drawn"))
        cpu = results.ratio(("snapshot", state, "cpu"), ("plain", state, "cpu"))
        rows.append([f"{state}, snapshot to plain", "", "", "", f"x {ratio:.2f}", f"x {cpu:.2f}"])
        rows.append(None)
    print_table(
        "The board's start in Chromium, signed in",
        ["", "over the wire", "answers", "boot script runs", "first drawn by the tab", "CPU of the tab"],
        rows,
        f"Medians of {visits}. Cold: the first visit of a fresh profile; warm: its third. Times from the start of the "
        "navigation. Answers with a body over the network; from the cache none is counted. CPU of the tab's process "
        "until it is drawn, compiling threads included.",
    )
