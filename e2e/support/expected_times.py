"""When a weekly window ends and how both zones write it, worked out without the product's help."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from e2e.support.world import VIEWER_ZONE

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def window_end(window: dict[str, Any]) -> datetime:
    """The next midnight of the window's weekday in its zone."""
    zone = ZoneInfo(window["tz"])
    today = datetime.now(UTC).astimezone(zone).date()
    days = (_WEEKDAYS.index(window["weekday"]) - today.weekday()) % 7 or 7
    day = today + timedelta(days=days)
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def written(instant: datetime, zone: str) -> str:
    """ "Fri 4 Dec 00:00", with the year when it is another one."""
    local, now = instant.astimezone(ZoneInfo(zone)), datetime.now(UTC).astimezone(ZoneInfo(zone))
    year = f" {local.year}" if local.year != now.year else ""
    return f"{local:%a} {local.day} {local:%b}{year} {local:%H:%M}"


def in_policy_zone(window: dict[str, Any]) -> str:
    """ "Fri 4 Dec 00:00 PST"."""
    end = window_end(window)
    return f"{written(end, window['tz'])} {end:%Z}"


def in_both_zones(window: dict[str, Any]) -> str:
    """ "Fri 4 Dec 00:00 PST (America/Los_Angeles) · Fri 4 Dec 09:00 your time"."""
    end = window_end(window)
    return f"{in_policy_zone(window)} ({window['tz']}) · {written(end, VIEWER_ZONE)} your time"
