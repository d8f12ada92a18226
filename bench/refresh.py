"""What a refresh of a listing costs the tab: one that changed nothing, and one that changed a row."""

from __future__ import annotations

from typing import Any

from playwright.async_api import CDPSession, Page, async_playwright

from switchboard.http.authentication import SESSION_COOKIE
from tests.support.chromium import launch_options

from .ground import OWNER, PASSWORD, Ground, ground
from .measure import Effort, Rounds, print_table

ROWS = 50
UNCHANGED, ONE_ROW, IDLE = "nothing changed", "one row changed", "no refresh"
_PER_VISIT = 5
_PATH = "/api/v1/jobs/query"
# One refresh, and a little longer than a read may take to be drawn.
_SETTLE = """() => new Promise((done) => {
  let left = 4;
  const again = () => (left-- ? requestIdleCallback(again, { timeout: 200 }) : done());
  again();
})"""


async def measure(effort: Effort) -> None:
    """Prints one table."""
    results: Rounds[str] = Rounds()
    async with ground() as on, async_playwright() as playwright:
        await on.endpoint("research", ["investigations"], policy=False)
        await on.fill(["research"], ROWS)
        token = await on.services.accounts.sign_in(OWNER, PASSWORD)
        assert token is not None
        browser = await playwright.chromium.launch(**launch_options())
        context = await browser.new_context()
        await context.add_cookies([{"name": SESSION_COOKIE, "value": token, "url": on.server.url}])
        page = await context.new_page()
        await page.goto(f"{on.server.url}/jobs")
        await page.wait_for_selector(f"[data-todo] >> nth={ROWS - 1}", timeout=60_000)
        metrics = await context.new_cdp_session(page)
        await metrics.send("Performance.enable")
        # Updates are paused, so that a read comes when it is asked for and at no other time.
        await page.get_by_role("button", name="Pause updates").click()
        for number in range(effort.visits * _PER_VISIT):
            results.add(IDLE, await _cost(page, metrics, refreshing=False))
            results.add(UNCHANGED, await _cost(page, metrics, refreshing=True))
            await _change_a_row(on, number)
            results.add(ONE_ROW, await _cost(page, metrics, refreshing=True))
        await browser.close()
    _print(results, effort.visits * _PER_VISIT)


async def _change_a_row(on: Ground, number: int) -> None:
    await on.admin.execute(
        "update switchboard.todos set title = $1 where id = (select max(id) - 7 from switchboard.todos)",
        f"Renamed {number}",
    )


async def _cost(page: Page, metrics: CDPSession, *, refreshing: bool) -> float:
    """Milliseconds of the tab's main thread."""
    # The floor between two reads of the listing is 2 s.
    await page.wait_for_timeout(2_200)
    before = await _busy(metrics)
    if refreshing:
        async with page.expect_response(f"**{_PATH}") as answer:
            await page.locator("#refresh").click()
        await (await answer.value).finished()
    else:
        await page.locator("#heading").click()
    await page.evaluate(_SETTLE)
    return await _busy(metrics) - before


async def _busy(metrics: CDPSession) -> float:
    told: dict[str, Any] = await metrics.send("Performance.getMetrics")
    return next(float(one["value"]) for one in told["metrics"] if one["name"] == "TaskDuration") * 1000


def _print(results: Rounds[str], times: int) -> None:
    print_table(
        f"A refresh of {ROWS} todos in the tab",
        ["", "main thread", "95 of 100", "beyond no refresh"],
        [
            [
                name,
                f"{results.median(name):.1f} ms",
                f"{results.percentile(name, 95):.1f} ms",
                f"{results.median(name) - results.median(IDLE):.1f} ms",
            ]
            for name in (IDLE, UNCHANGED, ONE_ROW)
        ],
        f"Medians of {times}: all tasks of the tab's main thread from the press of Refresh now until the tab is idle "
        "again: the press itself, sending, decoding, comparing, drawing, layout. Aim: under 25 ms.",
    )
