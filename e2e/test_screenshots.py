"""The pictures of the documents can be taken: every kind of page, in every look, of its own width."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from e2e.conftest import ROOT
from e2e.screenshots.__main__ import FIRST_ROW, LOOKS
from switchboard_ui.core.places import PAGES


def width(png: Path) -> int:
    return int.from_bytes(png.read_bytes()[16:20], "big")


def test_a_list_and_each_page_of_one_row_are_taken_in_every_look(runtime: None, tmp_path: Path) -> None:
    pages = ["workers", *(name.value for name, page in PAGES.items() if page.of_one_row)]
    command = [sys.executable, "-m", "e2e.screenshots", "--out", tmp_path, *pages]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    widths = {path.name: width(path) for path in tmp_path.iterdir()}
    assert widths == {f"{page}-{look}.png": LOOKS[look].width for page in pages for look in LOOKS}


def test_it_is_known_where_each_page_of_one_row_finds_a_row() -> None:
    assert {name for name, page in PAGES.items() if page.of_one_row} <= set(FIRST_ROW)


def test_no_picture_is_left_of_a_page_that_is_gone() -> None:
    names = {f"{name.value.replace('_', '-')}-{look}.png" for name in PAGES for look in LOOKS}
    assert {path.name for path in (ROOT / "docs" / "screenshots").iterdir()} <= names
