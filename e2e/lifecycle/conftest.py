"""A browser that keeps pages for Back, which Playwright switches off by default."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright

from e2e.support.world import VIEWER_ZONE
from tests.support.chromium import launch


@pytest.fixture(scope="session")
def keeping_browser(playwright: Playwright) -> Iterator[Browser]:
    browser = launch(playwright, ignore_default_args=["--disable-back-forward-cache"])
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def context(keeping_browser: Browser) -> Iterator[BrowserContext]:
    """In place of the other one, so that every fixture above it is this browser's."""
    context = keeping_browser.new_context(timezone_id=VIEWER_ZONE, locale="en-GB")
    yield context
    context.close()
