"""Sees to it that there is a Chromium (an installed one, else Playwright's, else Debian's) and a PgBouncer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.chromium import INSTALLED
from tests.support.pgbouncer import PROGRAM

MISSING = (
    "The tests need Chromium: there is none at {path}, Playwright could not fetch its own, and Debian's package could "
    "not be installed. Install Chromium and try again."
)


def main() -> int:
    if PROGRAM is None and not _debian_has("pgbouncer"):
        print("    no PgBouncer, and none to be had: tests of pooling will be skipped", flush=True)
    if INSTALLED.exists() or _playwright_has_one():
        return 0
    print("    no Chromium found; fetching Playwright's own", flush=True)
    fetched = subprocess.run(
        [sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"], capture_output=True, check=False
    )
    if fetched.returncode == 0 and _playwright_has_one():
        return 0
    if _debian_has("chromium") and INSTALLED.exists():
        return 0
    print(MISSING.format(path=INSTALLED), file=sys.stderr)
    return 1


def _debian_has(package: str) -> bool:
    """Installs it, where that is ours to do."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    print(f"    installing Debian's package {package} (a minute or two)", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], capture_output=True, check=False, env=environment)
    done = subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        capture_output=True,
        check=False,
        env=environment,
    )
    return done.returncode == 0


def _playwright_has_one() -> bool:
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


if __name__ == "__main__":
    sys.exit(main())
