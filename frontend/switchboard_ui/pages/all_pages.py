"""Which component draws which page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switchboard_ui.core.places import PageName
from switchboard_ui.pages.board import board_page
from switchboard_ui.pages.workers import workers_page

DRAWN: Mapping[PageName, Any] = {
    PageName.BOARD: board_page,
    PageName.WORKERS: workers_page,
}
