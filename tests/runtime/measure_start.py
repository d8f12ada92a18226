"""Measures a start of the runtime: `python -m tests.runtime.measure_start DIST [ROOT] [--rounds N]`.

For each way of starting, with nothing cached and then again: milliseconds from navigation to the first render, and
milliseconds of processor time of all of Chromium's processes until a second after it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from tests.runtime.site import Site, serving
from tests.support.chromium import launch

VISITS = ("cold", "second", "third", "fourth")
MARK = "performance.getEntriesByName('switchboard:first-render')[0].startTime"


def processor_time(browser: Browser) -> float:
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(process["cpuTime"] for process in processes) * 1000


def visit(browser: Browser, page: Page, address: str, mode: str) -> tuple[float, float]:
    before = processor_time(browser)
    page.goto(address)
    page.wait_for_selector(f"html[data-runtime=ready][data-runtime-mode={mode}]", state="attached")
    took = page.evaluate(MARK)
    page.wait_for_timeout(1000)  # allow-sleep: what the tab goes on to do for a second is part of what it costs
    return took, processor_time(browser) - before


def measure(site: Site, root: str, rounds: int) -> None:
    results: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    with sync_playwright() as playwright:
        for _ in range(rounds):
            for mode in ("snapshot", "plain"):
                browser = launch(playwright)
                page = browser.new_page()
                page.goto(f"{site.origin}/echo")
                address = site.page(root, **({"mode": "plain"} if mode == "plain" else {}))
                for name in VISITS:
                    results[mode, name].append(visit(browser, page, address, mode))
                browser.close()
    print(f"{'start':9} {'visit':7} {'first render':>13} {'processor':>10}   (ms, median of {rounds})")
    for (mode, name), values in results.items():
        took, spent = (median(column) for column in zip(*values, strict=True))
        print(f"{mode:9} {name:7} {took:13.0f} {spent:10.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path)
    parser.add_argument("root", nargs="?", default="switchboard_ui.pages.root:root")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with serving(options.dist) as site:
        measure(site, options.root, options.rounds)


if __name__ == "__main__":
    main()
