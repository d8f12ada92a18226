"""The admission decision and the status it is told as (REQ-4, REQ-6; D10, D20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.core.admission import REAPER_INTERVAL, refusal, status
from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason

AT = datetime(2026, 9, 22, 17, tzinfo=UTC)
BOUNDARY = datetime(2026, 9, 23, 7, tzinfo=UTC)
LEASE = datetime(2026, 9, 22, 17, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("max_in_flight", "max_claims", "in_flight", "used", "expected"),
    [
        # no limit bites
        (None, 5, 0, 4, None),
        (2, None, 1, None, None),
        (2, 5, 1, 4, None),
        (None, 1, 10_000, 0, None),
        (10_000, None, 9_999, None, None),
        # each limit bites at it and beyond it
        (2, None, 2, None, "in_flight_full"),
        (2, None, 3, None, "in_flight_full"),
        (1, None, 1, None, "in_flight_full"),
        (None, 5, 0, 5, "window_exhausted"),
        (None, 5, 0, 60, "window_exhausted"),
        (None, 1, 0, 1, "window_exhausted"),
        # 0 pauses, whichever limit it is, whatever is in flight or used
        (0, None, 0, None, "paused"),
        (0, None, 7, None, "paused"),
        (None, 0, 0, 0, "paused"),
        (0, 0, 0, 0, "paused"),
        (0, 5, 0, 5, "paused"),
        (2, 0, 2, 0, "paused"),
        # an exhausted window goes before a full flight
        (2, 5, 2, 5, "window_exhausted"),
        (2, 5, 2, 4, "in_flight_full"),
        (2, 5, 1, 5, "window_exhausted"),
    ],
)
def test_the_reason_is_the_first_that_holds_in_order_of_precedence(
    max_in_flight: int | None, max_claims: int | None, in_flight: int, used: int | None, expected: str | None
) -> None:
    found = refusal(max_in_flight=max_in_flight, max_claims_per_window=max_claims, in_flight=in_flight, used=used)
    assert found == expected


LIMIT = st.none() | st.integers(0, 6)


@given(LIMIT, LIMIT, st.integers(0, 8), st.none() | st.integers(0, 8))
def test_more_in_flight_or_more_used_never_admits_what_less_refused(
    max_in_flight: int | None, max_claims: int | None, in_flight: int, used: int | None
) -> None:
    def refused(more_in_flight: int, more_used: int) -> bool:
        return (
            refusal(
                max_in_flight=max_in_flight,
                max_claims_per_window=max_claims,
                in_flight=in_flight + more_in_flight,
                used=None if used is None else used + more_used,
            )
            is not None
        )

    if refused(0, 0):
        assert refused(1, 0)
        assert refused(0, 1)


def test_an_admitted_queue_says_nothing_else() -> None:
    assert status(None, at=AT, window_ends_at=BOUNDARY, live_lease_expires_at=LEASE) == AdmissionStatus(
        AdmissionState.ADMITTED, None, None, None
    )


def test_an_exhausted_window_is_eligible_at_the_boundary_exactly() -> None:
    said = status(DeferralReason.WINDOW_EXHAUSTED, at=AT, window_ends_at=BOUNDARY, live_lease_expires_at=LEASE)
    assert said == AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.WINDOW_EXHAUSTED, BOUNDARY, True)


def test_a_full_flight_hints_at_the_earliest_live_lease_and_the_reapers_interval() -> None:
    said = status(DeferralReason.IN_FLIGHT_FULL, at=AT, window_ends_at=BOUNDARY, live_lease_expires_at=LEASE)
    assert said == AdmissionStatus(
        AdmissionState.DEFERRED, DeferralReason.IN_FLIGHT_FULL, datetime(2026, 9, 22, 17, 5, 30, tzinfo=UTC), False
    )


def test_a_full_flight_of_lapsed_leases_hints_at_the_reapers_interval_from_now() -> None:
    said = status(DeferralReason.IN_FLIGHT_FULL, at=AT, window_ends_at=None, live_lease_expires_at=None)
    assert said == AdmissionStatus(
        AdmissionState.DEFERRED, DeferralReason.IN_FLIGHT_FULL, datetime(2026, 9, 22, 17, 0, 30, tzinfo=UTC), False
    )


@pytest.mark.parametrize("reason", [DeferralReason.PAUSED, DeferralReason.ADMISSION_UNAVAILABLE])
def test_what_no_time_ends_names_no_time(reason: DeferralReason) -> None:
    said = status(reason, at=AT, window_ends_at=BOUNDARY, live_lease_expires_at=LEASE)
    assert said == AdmissionStatus(AdmissionState.DEFERRED, reason, None, None)


def test_the_reaper_runs_every_30_seconds() -> None:
    assert timedelta(seconds=30) == REAPER_INTERVAL
