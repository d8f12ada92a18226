"""The admission decision: pure, and the only definition of it in Python (SPEC-0030 REQ-4, REQ-6; D10, D20)."""

from __future__ import annotations

from datetime import datetime, timedelta

from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason

# The reaper's period is part of the hint for in_flight_full (D20).
REAPER_INTERVAL = timedelta(seconds=30)

ADMITTED = AdmissionStatus(AdmissionState.ADMITTED)


def refusal(
    *, max_in_flight: int | None, max_claims_per_window: int | None, in_flight: int, used: int | None
) -> DeferralReason | None:
    """Why a claim is refused, None when it is admitted.

    `in_flight` leaves out the candidate when it takes over its own lapsed lease. `used` is None exactly when there is
    no window limit. The same rule in SQL is switchboard.admission_refusal; a property test holds the two equal.
    """
    if max_in_flight == 0 or max_claims_per_window == 0:
        return DeferralReason.PAUSED
    if max_claims_per_window is not None and used is not None and used >= max_claims_per_window:
        return DeferralReason.WINDOW_EXHAUSTED
    if max_in_flight is not None and in_flight >= max_in_flight:
        return DeferralReason.IN_FLIGHT_FULL
    return None


def status(
    reason: DeferralReason | None,
    *,
    at: datetime,
    window_ends_at: datetime | None,
    live_lease_expires_at: datetime | None,
) -> AdmissionStatus:
    """The status that tells `reason`, with the next eligible time as REQ-6 defines it."""
    if reason is None:
        return ADMITTED
    next_eligible_at: datetime | None = None
    exact: bool | None = None
    if reason is DeferralReason.WINDOW_EXHAUSTED:
        next_eligible_at, exact = window_ends_at, True
    elif reason is DeferralReason.IN_FLIGHT_FULL:
        next_eligible_at, exact = (live_lease_expires_at or at) + REAPER_INTERVAL, False
    return AdmissionStatus(AdmissionState.DEFERRED, reason, next_eligible_at, exact)
