"""Instants are RFC 3339 with an offset, and in UTC once decoded."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_wire.instants import format_instant, parse_instant


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-01T08:00:00Z", datetime(2026, 11, 1, 8, tzinfo=UTC)),
        ("2026-11-01t08:00:00z", datetime(2026, 11, 1, 8, tzinfo=UTC)),
        ("2026-11-01T01:00:00-07:00", datetime(2026, 11, 1, 8, tzinfo=UTC)),
        ("2026-11-01T01:00:00-08:00", datetime(2026, 11, 1, 9, tzinfo=UTC)),
        ("2026-11-01T13:45:00+05:45", datetime(2026, 11, 1, 8, tzinfo=UTC)),
        ("2026-11-01T08:00:00-00:00", datetime(2026, 11, 1, 8, tzinfo=UTC)),
        ("2026-11-01T08:00:00.5Z", datetime(2026, 11, 1, 8, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-11-01T08:00:00.000001Z", datetime(2026, 11, 1, 8, 0, 0, 1, tzinfo=UTC)),
        ("2026-11-01T08:00:00.123456789Z", datetime(2026, 11, 1, 8, 0, 0, 123_456, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999Z", datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
        ("2028-02-29T00:00:00Z", datetime(2028, 2, 29, tzinfo=UTC)),
    ],
)
def test_an_instant_is_read_as_utc(text: str, expected: datetime) -> None:
    assert parse_instant(text) == expected
    assert parse_instant(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-11-01",
        "2026-11-01T08:00:00",
        "2026-11-01T08:00Z",
        "2026-11-01 08:00:00Z",
        "2026-11-01T08:00:00 Z",
        "2026-11-01T08:00:00Z ",
        "2026-11-01T08:00:00Z\n",
        "2026-11-01T08:00:00,5Z",
        "2026-11-01T08:00:00.Z",
        "2026-11-01T08:00:00.1234567890Z",
        "2026-11-01T08:00:00+0100",
        "2026-11-01T08:00:00+01",
        "20261101T080000Z",
        "2026-W44-7T08:00:00Z",
        "2026-305T08:00:00Z",
        "-2026-11-01T08:00:00Z",
        "12026-11-01T08:00:00Z",
        "２０２６-11-01T08:00:00Z",
        "2026-11-01T08:00:00America/Los_Angeles",
        # of the right form, but there is no such time
        "2026-13-01T08:00:00Z",
        "2026-00-01T08:00:00Z",
        "2026-02-29T08:00:00Z",
        "2026-11-31T08:00:00Z",
        "2026-11-01T24:00:00Z",
        "2026-11-01T08:60:00Z",
        "2026-11-01T08:00:60Z",
        "0000-01-01T00:00:00Z",
        "2026-11-01T08:00:00+24:00",
        "2026-11-01T08:00:00-23:60",
        "2026-11-01T08:00:00+01:60",
        "2026-11-01T08:00:00+00:99",
        # outside the years that an answer could give back in UTC
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
    ],
)
def test_anything_else_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError) as refusal:
        parse_instant(text)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("instant", "expected"),
    [
        (datetime(2026, 11, 1, 8, tzinfo=UTC), "2026-11-01T08:00:00Z"),
        (datetime(2026, 11, 1, 8, 0, 0, 1, tzinfo=UTC), "2026-11-01T08:00:00.000001Z"),
        (datetime(2026, 11, 1, 1, tzinfo=timezone(timedelta(hours=-7))), "2026-11-01T08:00:00Z"),
    ],
)
def test_an_instant_is_written_in_utc(instant: datetime, expected: str) -> None:
    assert format_instant(instant) == expected


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_is_written_is_read_back(instant: datetime) -> None:
    assert parse_instant(format_instant(instant)) == instant


@given(st.text())
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    with suppress(ValueError):
        assert parse_instant(text).tzinfo is UTC
