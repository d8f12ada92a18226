"""What stands around every page, and the pages that are forms."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.frame import frame
from switchboard_ui.components.placeholder import placeholder
from switchboard_ui.components.sign_in import sign_in_form, sign_out_form
from switchboard_ui.core.places import PageName


def states() -> dict[str, Any]:
    return {
        "frame": frame(PageName.WORKERS, "Workers", placeholder(), announced="Queue triage admits claims again."),
        "frame-of-a-page-outside-the-navigation": frame(None, "Plain board", html.p("Nothing waits.")),
        "sign-in": sign_in_form("token", "", False),
        "sign-in-failed": sign_in_form("token", "ada", True),
        "sign-out": sign_out_form("ada", "token"),
    }
