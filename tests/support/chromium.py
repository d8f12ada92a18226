"""One way to start Chromium for all suites: the installed one where there is one, else Playwright's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Playwright

INSTALLED = Path("/usr/bin/chromium")
# No sandbox: it needs rights that a container lacks. The others keep it from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def launch_options() -> dict[str, Any]:
    """What `chromium.launch` needs, for the synchronous and the asynchronous API alike."""
    options: dict[str, Any] = {"args": list(ARGUMENTS)}
    if INSTALLED.exists():
        options["executable_path"] = str(INSTALLED)
    return options


def launch(playwright: Playwright, **options: Any) -> Browser:
    """Start a headless Chromium; `options` go on top of ours."""
    return playwright.chromium.launch(**{**launch_options(), **options})
