"""Instants as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from switchboard_ui.core.zoned_time import abbreviation, age_text, clock_time, in_both_zones, in_one_zone, viewer_zone

LOS_ANGELES, BERLIN, UTC_ZONE = ZoneInfo("America/Los_Angeles"), ZoneInfo("Europe/Berlin"), ZoneInfo("UTC")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("instant", "now", "text"),
    [
        ("2026-12-01T08:00Z", "2026-12-01T08:00Z", "00:00"),
        ("2026-12-02T07:59Z", "2026-12-01T08:00Z", "23:59"),
        # today in UTC, tomorrow in the zone
        ("2026-12-01T08:00Z", "2026-12-01T07:59Z", "Tue 1 Dec 00:00"),
        ("2026-11-30T12:00Z", "2026-12-01T12:00Z", "Mon 30 Nov 04:00"),
        ("2027-01-01T08:00Z", "2026-12-31T12:00Z", "Fri 1 Jan 2027 00:00"),
        ("2025-12-01T08:00Z", "2026-12-01T12:00Z", "Mon 1 Dec 2025 00:00"),
    ],
)
def test_the_date_is_told_when_it_is_not_today_in_that_zone(instant: str, now: str, text: str) -> None:
    assert clock_time(at(instant), LOS_ANGELES, at(now)) == text


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        # the last hour of summer time and the first of winter time read the same and are told apart
        ("2026-11-01T08:30Z", "01:30 PDT"),
        ("2026-11-01T09:30Z", "01:30 PST"),
        ("2026-03-08T09:59Z", "01:59 PST"),
        ("2026-03-08T10:00Z", "03:00 PDT"),
    ],
)
def test_changes_of_the_clocks_are_seen_in_the_abbreviation(instant: str, text: str) -> None:
    assert in_one_zone(at(instant), LOS_ANGELES, at(instant)).text == text


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("UTC", "UTC"),
        ("Europe/Berlin", "CET"),
        ("Asia/Kolkata", "IST"),
        ("Asia/Kathmandu", "UTC+05:45"),
        ("America/Sao_Paulo", "UTC-03:00"),
        ("Asia/Dubai", "UTC+04:00"),
        ("Pacific/Marquesas", "UTC-09:30"),
    ],
)
def test_a_zone_that_has_only_a_number_is_named_by_its_offset(zone: str, text: str) -> None:
    assert abbreviation(at("2026-12-01T12:00Z"), ZoneInfo(zone)) == text


def test_the_machine_reads_the_instant_in_utc_with_an_offset() -> None:
    zoned = in_one_zone(at("2026-11-02T00:00:00.250-08:00"), LOS_ANGELES, at("2026-11-02T09:00Z"))
    assert zoned.machine == "2026-11-02T08:00:00.250000Z"
    assert zoned.text == "00:00 PST"


def test_both_zones_carry_the_name_of_the_policys_zone() -> None:
    zoned = in_both_zones(at("2026-11-02T08:00Z"), LOS_ANGELES, BERLIN, at("2026-11-02T08:00Z"))
    assert zoned.machine == "2026-11-02T08:00:00Z"
    assert zoned.text == "00:00 PST (America/Los_Angeles) · 09:00 your time"


def test_each_zone_has_a_date_of_its_own() -> None:
    zoned = in_both_zones(at("2026-11-02T08:00Z"), LOS_ANGELES, ZoneInfo("Pacific/Auckland"), at("2026-11-01T18:00Z"))
    assert zoned.text == "Mon 2 Nov 00:00 PST (America/Los_Angeles) · 21:00 your time"


def test_while_only_one_of_two_zones_has_changed_its_clocks_both_are_told() -> None:
    """Berlin leaves summer time a week before New York: the distance of the two is not fixed."""
    new_york = ZoneInfo("America/New_York")
    before, between = at("2026-10-24T12:00Z"), at("2026-10-26T12:00Z")
    assert in_both_zones(before, new_york, BERLIN, before).text == "08:00 EDT (America/New_York) · 14:00 your time"
    assert in_both_zones(between, new_york, BERLIN, between).text == "08:00 EDT (America/New_York) · 13:00 your time"


def test_equal_clocks_are_told_once_for_as_long_as_they_are_equal() -> None:
    lisbon, london, instant = ZoneInfo("Europe/Lisbon"), ZoneInfo("Europe/London"), at("2026-12-01T12:00Z")
    assert in_both_zones(instant, lisbon, london, instant).text == "12:00 WET (Europe/Lisbon)"
    assert in_both_zones(instant, UTC_ZONE, london, instant).text == "12:00 UTC (UTC)"
    summer = at("2026-07-01T12:00Z")
    assert in_both_zones(summer, UTC_ZONE, london, summer).text == "12:00 UTC (UTC) · 13:00 your time"


@pytest.mark.parametrize("name", ["", "Mars/Base", "/etc/localtime", "../../etc/passwd", "\x00", "Europe"])
def test_a_name_that_is_no_zone_is_read_as_utc(name: str) -> None:
    assert viewer_zone(name).key == "UTC"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0 s ago"),
        (0, "0 s ago"),
        (59.9, "59 s ago"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h 0 min ago"),
        (90_061, "25 h 1 min ago"),
    ],
)
def test_ages_are_cut_and_never_rounded_up(seconds: float, text: str) -> None:
    assert age_text(seconds) == text
