"""Takes the pictures: `python -m e2e.screenshots [--out DIR] [PAGE...]`."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from io import BytesIO
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from e2e.screenshots.scene import NOW, PASSWORD, VIEWER, play
from e2e.support.world import VIEWER_ZONE
from switchboard.store.embedded import temporary_postgres
from switchboard_ui.core.places import PAGES, PageInfo, PageName
from tests.support.chromium import launch
from tests.support.databases import Databases
from tests.support.servers import running_server

OUT = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
START_MS = 60_000


@dataclass(frozen=True)
class Look:
    """A window: its size in CSS pixels, and the colours that its person prefers."""

    width: int
    height: int
    scheme: str


LOOKS = {"light": Look(1280, 800, "light"), "dark": Look(1280, 800, "dark"), "narrow": Look(320, 640, "light")}

# A page of one row shows the first one that this address lists; then the way to its id.
FIRST_ROW: dict[PageName, tuple[str, Sequence[str | int]]] = {
    # investigations, whose budget is used up, and a todo that has been tried
    PageName.QUEUE: ("/api/queues", ("queues", 3, "admission", "queue_id")),
    PageName.JOB: ("/api/jobs?state=dead&limit=1", ("jobs", 0, "id")),
    PageName.OPERATION: ("/api/operations?limit=1", ("operations", 0, "id")),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="where the pictures go (default: docs/screenshots)")
    parser.add_argument(
        "pages", nargs="*", choices=[[], *(name.value for name in PAGES)], help="all when none is named"
    )
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = [page for page in PAGES.values() if not options.pages or page.name.value in options.pages]
    with temporary_postgres() as postgres, asyncio.Runner() as runner:
        databases = Databases(postgres)
        fresh = databases.fresh()
        url = runner.run(fresh.__aenter__())
        runner.run(play(url))
        with running_server(url, program=("e2e.screenshots.still_server", NOW.isoformat())) as server:
            take(server.url, wanted, options.out)
        runner.run(fresh.__aexit__(None, None, None))


def take(origin: str, pages: Sequence[PageInfo], out: Path) -> None:
    """One picture a page and look, of a browser in which the viewer is signed in."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for name, look in LOOKS.items():
            with _signed_in(browser, origin, look) as context:
                page = context.new_page()
                for info in pages:
                    path = info.path.replace("{id}", str(_first_row(context, origin, info)) if info.of_one_row else "")
                    _show(page, origin + path)
                    file = out / f"{info.name.value.replace('_', '-')}-{name}.png"
                    file.write_bytes(_small(page.screenshot(animations="disabled")))
                    print(file)
        browser.close()


def _signed_in(browser: Browser, origin: str, look: Look) -> BrowserContext:
    context = browser.new_context(
        viewport={"width": look.width, "height": look.height},
        color_scheme=look.scheme,  # type: ignore[arg-type]
        timezone_id=VIEWER_ZONE,
        locale="en-GB",
        reduced_motion="reduce",
    )
    context.clock.set_fixed_time(NOW)
    page = context.new_page()
    page.goto(f"{origin}/sign-in")
    page.get_by_label("Name", exact=True).fill(VIEWER)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/board")
    page.close()
    return context


def _show(page: Page, address: str) -> None:
    """Until everything that the page reads is there."""
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-runtime", "ready", timeout=START_MS)
    expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=START_MS)
    expect(page.locator("#runtime-status")).to_be_empty()


def _first_row(context: BrowserContext, origin: str, info: PageInfo) -> int:
    address, way = FIRST_ROW[info.name]
    answer: Any = context.request.get(origin + address).json()
    return int(reduce(lambda value, step: value[step], way, answer))


def _small(png: bytes) -> bytes:
    """With a palette, where Pillow is at hand: a third of the size, and no difference that an eye sees."""
    try:
        from PIL import Image
    except ImportError:
        return png
    small = BytesIO()
    Image.open(BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    main()
