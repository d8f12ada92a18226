"""A time with its machine value."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.core.zoned_time import ZonedTime


def zoned(time: ZonedTime) -> Any:
    return html.time({"datetime": time.machine}, time.text)
