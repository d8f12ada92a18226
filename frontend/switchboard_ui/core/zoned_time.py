"""Instants as people read them: in the policy's zone and in the viewer's, 24-hour, the date when it is not today."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tzdata  # type: ignore[import-untyped]

from switchboard_wire.instants import format_instant

ZONE_DATA: str = tzdata.IANA_VERSION
"""The IANA release of the zones known here, such as `2026f`."""


@dataclass(frozen=True, slots=True)
class ZonedTime:
    """`machine` is RFC 3339 in UTC, for the datetime attribute; `text` is for people."""

    machine: str
    text: str


def viewer_zone(name: str) -> ZoneInfo:
    """The viewer's zone; UTC when the bundled database does not know the browser's name for it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def clock_time(instant: datetime, zone: ZoneInfo, now: datetime, *, seconds: bool = False) -> str:
    """ "00:00", or "Tue 1 Dec 00:00" when that is not the day it is now in that zone."""
    local, today = instant.astimezone(zone), now.astimezone(zone)
    time = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    if local.date() == today.date():
        return time
    year = "" if local.year == today.year else f" {local.year}"
    return f"{local:%a} {local.day} {local:%b}{year} {time}"


def abbreviation(instant: datetime, zone: ZoneInfo) -> str:
    """ "PST"; where the database has only a number for the zone, "UTC+05:45"."""
    local = instant.astimezone(zone)
    name = local.tzname() or ""
    if name.isalpha():
        return name
    offset = local.strftime("%z")
    return f"UTC{offset[:3]}:{offset[3:5]}"


def in_one_zone(instant: datetime, zone: ZoneInfo, now: datetime) -> ZonedTime:
    """ "00:00 PST"."""
    return ZonedTime(format_instant(instant), f"{clock_time(instant, zone, now)} {abbreviation(instant, zone)}")


def to_the_second(instant: datetime, zone: ZoneInfo, now: datetime) -> ZonedTime:
    """ "00:00:07 PST", for what just happened."""
    text = f"{clock_time(instant, zone, now, seconds=True)} {abbreviation(instant, zone)}"
    return ZonedTime(format_instant(instant), text)


def in_both_zones(
    instant: datetime, policy_zone: ZoneInfo, viewer: ZoneInfo, now: datetime, *, named: bool = True
) -> ZonedTime:
    """ "00:00 PST (America/Los_Angeles) · 08:00 your time"; once when both clocks read the same.

    A viewer in UTC reads "08:00 UTC": a page without scripts knows no other zone of its reader. `named` False: the
    zone's name stands beside it already.
    """
    text = f"{clock_time(instant, policy_zone, now)} {abbreviation(instant, policy_zone)}"
    if named:
        text += f" ({policy_zone.key})"
    if instant.astimezone(policy_zone).replace(tzinfo=None) != instant.astimezone(viewer).replace(tzinfo=None):
        text += f" · {clock_time(instant, viewer, now)} {'UTC' if viewer.key == 'UTC' else 'your time'}"
    return ZonedTime(format_instant(instant), text)


def age_text(seconds: float) -> str:
    """ "2 s ago", "3 min ago", "2 h ago"; cut, never rounded up."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole} s ago"
    if whole < 3600:
        return f"{whole // 60} min ago"
    return f"{whole // 3600} h {whole % 3600 // 60} min ago"
