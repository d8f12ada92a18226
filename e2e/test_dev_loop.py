"""`switchboard dev` on a copy of the checkout: what is saved is what the open tab shows."""

from __future__ import annotations

import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import ROOT

HEADING = 'PageInfo(PageName.WORKERS, "/workers", "Workers", "the workers")'
MARKED = "html[data-same-document]"
STARTED = re.compile(r"sign in as (\S+) with the password (\S+)")


class Loop:
    """The running command and the copy that it watches."""

    def __init__(self, checkout: Path, url: str, process: subprocess.Popen[str]) -> None:
        self.checkout = checkout
        self.url = url
        self._process = process
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def wait_for(self, pattern: str | re.Pattern[str]) -> re.Match[str]:
        """The first match in what it prints from here on."""
        while True:
            line = self._lines.get(timeout=60)
            assert line, "the command has ended"
            if match := re.search(pattern, line):
                return match

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.checkout / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")


@pytest.fixture(scope="module")
def loop(runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    folder = tmp_path_factory.mktemp("checkout")
    left_out = shutil.ignore_patterns("__pycache__", "build", "dist", "node_modules")
    for part in ("backend", "frontend"):
        shutil.copytree(ROOT / part, folder / part, ignore=left_out)
    (folder / "frontend/runtime/node_modules").symlink_to(ROOT / "frontend/runtime/node_modules")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "switchboard.main", "dev", "--port", str(port), "--data", folder / "data"],
        env=os.environ | {"PYTHONPATH": f"{folder / 'backend'}:{folder / 'frontend'}", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    yield Loop(folder, f"http://127.0.0.1:{port}", process)
    process.terminate()
    assert process.wait(30) == 0
    process.stdout.close()


@pytest.fixture(scope="module")
def page(browser: Browser, loop: Loop) -> Iterator[Page]:
    """The workers' page of the demo."""
    started = loop.wait_for(STARTED)
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{loop.url}/sign-in")
        page.get_by_label("Name", exact=True).fill(started[1])
        page.get_by_label("Password").fill(started[2])
        page.keyboard.press("Enter")
        page.wait_for_url("**/board")
        page.goto(f"{loop.url}/workers")
        expect(page.get_by_role("region", name=re.compile("^Workers: "))).to_be_visible(timeout=60_000)
        yield page


def mark(page: Page) -> None:
    """The mark lasts as long as the document."""
    page.evaluate("document.documentElement.dataset.sameDocument = ''")


def test_a_changed_style_is_shown_without_loading_the_page_again(loop: Loop, page: Page) -> None:
    mark(page)
    loop.edit("frontend/static/switchboard.css", "h1 {", "h1 { text-decoration-line: underline;")
    expect(page.get_by_role("heading", level=1)).to_have_css("text-decoration-line", "underline")
    expect(page.locator(MARKED)).to_have_count(1)


def test_changed_python_of_the_page_is_in_the_tab(loop: Loop, page: Page) -> None:
    loop.edit("frontend/switchboard_ui/core/places.py", HEADING, HEADING.replace('"Workers"', '"Who works"'))
    expect(page.get_by_role("heading", level=1)).to_have_text("Who works")
    expect(page.locator("html")).to_have_attribute("data-runtime", "ready")
    expect(page.locator("html")).to_have_attribute("data-runtime-mode", "snapshot")
    expect(page.get_by_role("heading", level=1)).to_have_text("Who works")
    expect(page.get_by_role("heading", level=1)).to_have_css("text-decoration-line", "underline")


def test_what_python_cannot_read_is_told_and_the_page_stays(loop: Loop, page: Page) -> None:
    mark(page)
    loop.edit("frontend/switchboard_ui/components/workers_table.py", "def worker_row(", "def worker row(")
    assert loop.wait_for("SyntaxError")
    assert loop.wait_for("The server goes on as it was.")
    assert page.request.get(f"{loop.url}/dev/changes").ok
    expect(page.locator(MARKED)).to_have_count(1)
    loop.edit("frontend/switchboard_ui/components/workers_table.py", "def worker row(", "def worker_row(")
    expect(page.locator(MARKED)).to_have_count(0)


def test_a_server_that_cannot_start_is_told_and_the_next_change_starts_one(loop: Loop, page: Page) -> None:
    loop.edit("backend/switchboard/http/pages.py", "FORM_COOKIE =", "import nothing_of_this_name\nFORM_COOKIE =")
    assert loop.wait_for("No module named 'nothing_of_this_name'")
    assert loop.wait_for("The next change starts it again.")
    mark(page)
    loop.edit("backend/switchboard/http/pages.py", "import nothing_of_this_name\n", "")
    expect(page.locator(MARKED)).to_have_count(0)
    expect(page.locator("html")).to_have_attribute("data-runtime", "ready")
