"""The runtime is built once for all tests, with their own small pages in it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.support.chromium import launch

from .site import Site, serving

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "frontend" / "runtime" / "build.py"


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The built runtime behind a server."""
    dist = BUILD.parent / "build" / "for-tests"
    command = [sys.executable, BUILD, "--out", dist, "--extra", HERE / "app", "--quick", "--plain-progress"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with serving(dist) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Playwright keeps a loop running in this thread as long as it lives: asynchronous tests of other modules could
    not run any more if it lived for the whole session."""
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all tests of a module: a new one has to compile Python's machine code again, most of a start."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the console and the page complained about. A test that expects some removes them."""
    return []


@pytest.fixture
def page(context: BrowserContext, complaints: list[str]) -> Iterator[Page]:
    """A tab. Its console must stay clean."""
    page = context.new_page()
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    yield page
    page.close()
    assert complaints == []


@pytest.fixture
def visit(site: Site, page: Page) -> Callable[..., Page]:
    """Open the page of a root component and wait until it is drawn."""

    def visit(root: str, **query: str) -> Page:
        page.goto(site.page(root, **query))
        expect(page.locator("html")).to_have_attribute("data-runtime", "ready", timeout=30_000)
        return page

    return visit
