"""Sees to it that there is a Chromium: an installed one, else Playwright's, else Debian's package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.chromium import INSTALLED

MISSING = (
    "The tests need Chromium: there is none at {path}, Playwright could not fetch its own, and Debian's package could "
    "not be installed. Install Chromium and try again."
)


def main() -> int:
    if INSTALLED.exists() or _playwright_has_one():
        return 0
    print("    none found; fetching Playwright's own", flush=True)
    fetched = subprocess.run(
        [sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"], capture_output=True, check=False
    )
    if fetched.returncode == 0 and _playwright_has_one():
        return 0
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("    not to be had; installing Debian's package (a minute or two)", flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
            subprocess.run(command, capture_output=True, check=False, env=environment)
        if INSTALLED.exists():
            return 0
    print(MISSING.format(path=INSTALLED), file=sys.stderr)
    return 1


def _playwright_has_one() -> bool:
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


if __name__ == "__main__":
    sys.exit(main())
