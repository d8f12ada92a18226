"""One database, one server and one browser for all of it; a human with queues of their own for each module."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from e2e.support.board import Board
from e2e.support.witness import Witness
from e2e.support.world import VIEWER_ZONE, Operator, World, world_on
from switchboard.store.embedded import temporary_postgres
from tests.support.chromium import launch
from tests.support.databases import Databases
from tests.support.loop_thread import LoopThread, loop_thread
from tests.support.servers import Server, running_server

expect.set_options(timeout=15_000)  # machines are busy with other work

PROFILE: dict[str, Any] = {
    "timezone_id": VIEWER_ZONE,
    "locale": "en-GB",
    "viewport": {"width": 1280, "height": 900},
}
ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Playwright's synchronous API leaves its loop running in this thread for as long as the browser lives, and no
    # asynchronous test can run meanwhile: these come last.
    here = Path(__file__).parent
    items.sort(key=lambda item: here in item.path.parents)


@pytest.fixture(scope="session")
def loop() -> Iterator[LoopThread]:
    with loop_thread() as running:
        yield running


@pytest.fixture(scope="session")
def runtime() -> None:
    """The page's runtime is built from what is in the checkout; done already when nothing changed."""
    command = [sys.executable, ROOT / "frontend" / "runtime" / "build.py", "--quick", "--plain-progress"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    with temporary_postgres({"max_connections": 200}) as url:
        yield Databases(url)


@pytest.fixture(scope="session")
def world(loop: LoopThread, databases: Databases) -> Iterator[World]:
    with loop.entered(databases.fresh()) as url, world_on(loop, url) as world:
        yield world


@pytest.fixture(scope="session")
def server(runtime: None, world: World) -> Iterator[Server]:
    """A real server. A test that stops or overloads one starts its own."""
    # Time passes in the tab at a test's will but not at the server, where what is shared would outlast whole tests.
    with running_server(world.database_url, {"SWITCHBOARD_CACHE_SECONDS": "0.01"}) as server:
        yield server


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = launch(playwright)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One profile for all tests: another one would compile Python's machine code again, which is most of a start."""
    with browser.new_context(**PROFILE) as context:
        yield context


@pytest.fixture(scope="session")
def clocked_context(browser: Browser) -> Iterator[BrowserContext]:
    """One more, whose pages have a clock that tests move on. It goes by itself too."""
    with browser.new_context(**PROFILE) as context:
        context.clock.install()
        yield context


@pytest.fixture
def witness(server: Server) -> Iterator[Witness]:
    """Fails the test when a page complained, left the origin, or the server's log has a line that nobody expected."""
    witness = Witness(server)
    yield witness
    witness.check()


NewPage = Callable[..., Page]


@pytest.fixture
def new_page(request: pytest.FixtureRequest, witness: Witness, server: Server) -> Iterator[NewPage]:
    """Opens a tab of a browser in which that human, or nobody, is signed in."""
    pages: list[Page] = []

    def new_page(operator: Operator | None, *, clocked: bool = False) -> Page:
        context: BrowserContext = request.getfixturevalue("clocked_context" if clocked else "context")
        context.clear_cookies()
        if operator is not None:
            context.add_cookies([session_cookie(operator, server.url)])
        page = context.new_page()
        witness.watch(page)
        pages.append(page)
        return page

    yield new_page
    for page in pages:
        page.unroute_all(behavior="ignoreErrors")
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear()")
        page.close()


@pytest.fixture
def page(new_page: NewPage, operator: Operator) -> Page:
    """A tab of the module's `operator`, signed in."""
    return new_page(operator)


@pytest.fixture
def clocked_page(new_page: NewPage, operator: Operator) -> Page:
    """The same, with a clock that the test moves on."""
    return new_page(operator, clocked=True)


@pytest.fixture
def anonymous(new_page: NewPage) -> Page:
    """A tab in which nobody is signed in."""
    return new_page(None)


@pytest.fixture
def board(page: Page, server: Server) -> Board:
    """The operator's board with its first data."""
    return Board(page, server.url).open()


@pytest.fixture
def clocked_board(clocked_page: Page, server: Server) -> Board:
    """The same, with a clock that the test moves on."""
    return Board(clocked_page, server.url).open()


def session_cookie(operator: Operator, url: str) -> dict[str, str]:
    return {"name": "switchboard_session", "value": operator.session, "url": url}
