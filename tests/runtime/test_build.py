"""The build itself."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import BUILD, HERE
from .site import Site, serving


def build(out: Path, extra: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, BUILD, "--out", out, "--extra", extra, "--quick", "--plain-progress"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_nothing_is_done_twice(site: Site) -> None:
    before = {path: path.stat().st_mtime_ns for path in site.dist.rglob("*")}
    done = build(site.dist, HERE / "app")
    assert done.stdout == f"runtime: up to date in {site.dist}\n"
    assert {path: path.stat().st_mtime_ns for path in site.dist.rglob("*")} == before


def test_a_module_that_needs_what_the_tab_lacks_is_named(site: Site, tmp_path: Path) -> None:
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "needy.py").write_text("import pydantic\n")
    done = build(tmp_path / "out", tmp_path / "extra")
    assert done.returncode == 1
    assert "needy" in done.stderr
    assert "No module named 'pydantic'" in done.stderr
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_the_gallery_of_development_is_in_no_bundle(site: Site) -> None:
    with zipfile.ZipFile(site.dist / site.manifest["files"]["python.zip"]["name"]) as bundle:
        ours = {name.rpartition("/")[0] for name in bundle.namelist() if name.startswith("switchboard_ui/")}
    assert "switchboard_ui/components" in ours
    assert "switchboard_ui/gallery" not in ours


def test_the_lock_names_no_address_and_hashes_everything() -> None:
    lock = json.loads((BUILD.parent / "package-lock.json").read_text())
    packages = [entry for path, entry in lock["packages"].items() if path]
    assert {"pyodide", "preact"} <= {path.rpartition("/")[2] for path in lock["packages"]}
    assert all(entry["integrity"].startswith("sha512-") for entry in packages)
    assert not any("resolved" in entry for entry in packages)


@pytest.mark.slow
def test_the_same_sources_make_the_same_files(site: Site, tmp_path: Path) -> None:
    done = build(tmp_path, HERE / "app")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "manifest.json").read_text()) == site.manifest


@pytest.mark.slow
def test_an_image_larger_than_the_memory_at_start_is_restored(
    site: Site, tmp_path: Path, page: Page, visit: Callable[..., Page]
) -> None:
    (tmp_path / "extra").mkdir()
    for module in (HERE / "app").glob("*.py"):
        (tmp_path / "extra" / module.name).write_text(module.read_text())
    (tmp_path / "extra" / "ballast.py").write_text("BALLAST = bytes(range(256)) * 60_000\n")
    done = build(tmp_path / "out", tmp_path / "extra")
    assert done.returncode == 0, done.stderr
    with serving(tmp_path / "out") as larger:
        page.goto(larger.page("drawing"))
        expect(page.locator("html")).to_have_attribute("data-runtime", "ready")
        expect(page.locator("html")).to_have_attribute("data-runtime-mode", "snapshot")
