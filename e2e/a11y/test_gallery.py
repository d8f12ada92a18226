"""What holds for every state of every component: axe, reflow, spacing, sizes. No scripts are needed for any of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from e2e.a11y.test_every_page import CUT_OFF, NARROW, OVERFLOWING, PLAINLY, SMALL_TARGETS, SPACED, WIDE
from e2e.support.axe import problems
from e2e.support.world import World
from switchboard_ui.gallery.families import FAMILIES
from switchboard_ui.gallery.pages import GALLERY
from tests.support.servers import Server, running_server

PAGES = [
    GALLERY,
    *(f"{GALLERY}/{name}" for name in FAMILIES),
    *(
        f"{GALLERY}/{name}/{state}"
        for name, family in FAMILIES.items()
        if family.whole_pages
        for state in family.states()
    ),
]
LOOKS: dict[str, tuple[str, ViewportSize]] = {
    "light": ("light", WIDE),
    "dark": ("dark", WIDE),
    "narrow": ("light", NARROW),
}


@pytest.fixture(scope="module")
def developing(world: World) -> Iterator[Server]:
    with running_server(world.database_url, {"SWITCHBOARD_DEVELOPMENT": "1"}) as server:
        yield server


@pytest.fixture(scope="module", params=PAGES)
def shown(request: pytest.FixtureRequest, browser: Browser, developing: Server) -> Iterator[Page]:
    with browser.new_page() as page:
        page.goto(developing.url + request.param)
        # Checks pass over what is closed.
        page.evaluate("document.querySelectorAll('details').forEach((node) => (node.open = true))")
        yield page


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing(shown: Page, look: str) -> None:
    scheme, size = LOOKS[look]
    shown.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    shown.set_viewport_size(size)
    assert problems(shown) == []


def test_nothing_scrolls_sideways_or_is_cut_off(shown: Page) -> None:
    for size in (NARROW, WIDE):
        shown.set_viewport_size(size)
        assert shown.evaluate(OVERFLOWING) == []
        shown.evaluate(SPACED)
        try:
            assert shown.evaluate(OVERFLOWING) == []
            assert shown.evaluate(CUT_OFF) == []
        finally:
            shown.evaluate(PLAINLY)


def test_targets_are_large_enough(shown: Page) -> None:
    for size in (NARROW, WIDE):
        shown.set_viewport_size(size)
        assert shown.evaluate(SMALL_TARGETS) == []
