"""Any row of `policies` is evaluated, or is a fault that says what is wrong; it never raises (REQ-9, D18)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.core.known_policy import KnownPolicy, PolicyColumns, as_stored, columns_of, evaluate, validated
from switchboard.core.windows import Interval
from switchboard.core.zones import zone_names
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator import decode_policy
from switchboard_wire.policy import Period, Policy, Weekday, Window

AT = datetime(2026, 9, 22, 17, tzinfo=UTC)
DAY = Window(Period.DAY, "America/Los_Angeles", "00:00")


def row(
    max_in_flight: int | None = None,
    max_claims: int | None = None,
    period: str | None = None,
    tz: str | None = None,
    start: str | None = None,
    weekday: str | None = None,
) -> PolicyColumns:
    return PolicyColumns(7, max_in_flight, max_claims, period, tz, start, weekday)


def test_version_0_is_no_policy() -> None:
    assert evaluate(3, PolicyColumns(0), AT) == KnownPolicy(3, 0)


def test_a_policy_without_a_window_has_no_interval() -> None:
    assert evaluate(3, row(5), AT) == KnownPolicy(3, 7, Policy(5))


def test_a_policy_with_a_window_is_evaluated_at_the_instant() -> None:
    assert evaluate(3, row(None, 100, "day", "America/Los_Angeles", "00:00"), AT) == KnownPolicy(
        3,
        7,
        Policy(None, 100, DAY),
        None,
        "day America/Los_Angeles 00:00",
        Interval(datetime(2026, 9, 22, 7, tzinfo=UTC), datetime(2026, 9, 23, 7, tzinfo=UTC)),
    )


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        (row(), "max_in_flight: "),
        (row(-1), "max_in_flight: "),
        (row(10_001), "max_in_flight: "),
        (row(None, -1, "day", "UTC", "00:00"), "max_claims_per_window: "),
        (row(None, 1_000_001, "day", "UTC", "00:00"), "max_claims_per_window: "),
        (row(None, 5), "window: "),
        (row(5, None, "day", "UTC", "00:00"), "window: "),
        (row(None, 5, "month", "UTC", "00:00"), "window.period: "),
        (row(None, 5, None, "UTC", "00:00"), "window.period: "),
        (row(None, 5, "day", "Mars/Olympus", "00:00"), "window.tz: 'Mars/Olympus' is not a zone"),
        (row(None, 5, "day", "", "00:00"), "window.tz: "),
        (row(None, 5, "day", None, "00:00"), "window.tz: "),
        (row(None, 5, "day", "../../etc/passwd", "00:00"), "window.tz: "),
        (row(None, 5, "day", "america/los_angeles", "00:00"), "window.tz: "),
        (row(None, 5, "day", "UTC", "24:00"), "window.start: "),
        (row(None, 5, "day", "UTC", "9:00"), "window.start: "),
        (row(None, 5, "day", "UTC", None), "window.start: "),
        (row(None, 5, "week", "UTC", "00:00"), "window.weekday: "),
        (row(None, 5, "week", "UTC", "00:00", "Someday"), "window.weekday: "),
        (row(None, 5, "day", "UTC", "00:00", "Mon"), "window.weekday: "),
    ],
)
def test_a_row_that_fails_validation_is_a_fault_that_names_the_field(columns: PolicyColumns, fault: str) -> None:
    known = evaluate(3, columns, AT)
    assert (known.queue_id, known.version, known.policy, known.interval) == (3, 7, None, None)
    assert known.fault is not None
    assert known.fault.startswith(fault)


def test_an_instant_beyond_the_calendar_is_a_fault() -> None:
    known = evaluate(3, row(None, 5, "day", "UTC", "00:00"), datetime(9999, 12, 31, tzinfo=UTC))
    assert known.policy is None
    assert known.fault is not None
    assert known.fault.startswith("window: ")


NUMBERS = st.none() | st.integers(-(2**31), 2**31 - 1) | st.integers(-1, 3)
TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)


@given(
    max_in_flight=NUMBERS,
    max_claims=NUMBERS,
    period=TEXTS | st.sampled_from(list(Period)),
    tz=TEXTS | st.sampled_from(sorted(zone_names())),
    start=TEXTS | st.sampled_from(["00:00", "23:59", "24:00", "00:60", "٠٠:٠٠"]),
    weekday=TEXTS | st.sampled_from(list(Weekday)),
    at=st.datetimes(timezones=st.just(UTC)),
)
def test_whatever_the_columns_hold_it_is_a_policy_or_a_fault(
    max_in_flight: int | None,
    max_claims: int | None,
    period: str | None,
    tz: str | None,
    start: str | None,
    weekday: str | None,
    at: datetime,
) -> None:
    columns = row(max_in_flight, max_claims, period, tz, start, weekday)
    known = evaluate(3, columns, at)
    assert (known.policy is None) == (known.fault is not None)
    if known.policy is not None:
        assert columns_of(known.policy) == {
            "max_in_flight": max_in_flight,
            "max_claims_per_window": max_claims,
            "window_period": period,
            "window_tz": tz,
            "window_start": start,
            "window_weekday": weekday,
        }
        assert (known.interval is None) == (known.definition is None) == (max_claims is None)
        assert known.interval is None or known.interval.start <= at < known.interval.end
    else:
        assert known.fault
        assert known.fault.split(":")[0] in {
            "max_in_flight",
            "max_claims_per_window",
            "window",
            "window.period",
            "window.tz",
            "window.start",
            "window.weekday",
        }


@pytest.mark.parametrize(
    ("window", "field"),
    [
        ({"period": "day", "tz": "Mars/Olympus", "start": "00:00"}, "window.tz"),
        ({"period": "day", "tz": "PST8PDT ", "start": "00:00"}, "window.tz"),
        ({"period": "day", "tz": "UTC", "start": "24:00"}, "window.start"),
        ({"period": "day", "tz": "UTC", "start": "00:60"}, "window.start"),
        ({"period": "day", "tz": "UTC", "start": "0:00"}, "window.start"),
        ({"period": "day", "tz": "UTC", "start": "00:00:00"}, "window.start"),
        ({"period": "hour", "tz": "UTC", "start": ":30"}, "window.start"),
    ],
)
def test_a_policy_is_refused_for_an_unknown_zone_or_an_impossible_start(window: dict[str, str], field: str) -> None:
    with pytest.raises(SwitchboardError) as refusal:
        validated(decode_policy({"max_claims_per_window": 5, "window": window}))
    assert (refusal.value.code, refusal.value.field) == (ErrorCode.INVALID_ARGUMENT, field)


@pytest.mark.parametrize(
    ("columns", "stored"),
    [
        (row(5), {"max_in_flight": 5, "max_claims_per_window": None, "window": None}),
        (
            row(None, 5, "week", "UTC", "09:00", "Mon"),
            {
                "max_in_flight": None,
                "max_claims_per_window": 5,
                "window": {"period": "week", "tz": "UTC", "start": "09:00", "weekday": "Mon"},
            },
        ),
        (
            row(-3, None, None, "Mars/Olympus"),
            {
                "max_in_flight": -3,
                "max_claims_per_window": None,
                "window": {"period": None, "tz": "Mars/Olympus", "start": None, "weekday": None},
            },
        ),
    ],
)
def test_the_audit_keeps_a_stored_policy_as_it_was_valid_or_not(columns: PolicyColumns, stored: object) -> None:
    assert as_stored(columns) == stored
