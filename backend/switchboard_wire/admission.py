"""What admission says, as it travels (SPEC-0030 REQ-6, REQ-7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .policy import Policy


class AdmissionState(StrEnum):
    ADMITTED = "admitted"
    DEFERRED = "deferred"


class DeferralReason(StrEnum):
    """In order of precedence (D10)."""

    ADMISSION_UNAVAILABLE = "admission_unavailable"
    PAUSED = "paused"
    WINDOW_EXHAUSTED = "window_exhausted"
    IN_FLIGHT_FULL = "in_flight_full"


@dataclass(frozen=True, slots=True)
class AdmissionStatus:
    """Whether a queue identity would admit a claim now.

    `next_eligible_at` is the next window boundary for `window_exhausted` (`exact` true), a hint for
    `in_flight_full` (`exact` false, D20), and None otherwise.
    """

    state: AdmissionState
    reason: DeferralReason | None = None
    next_eligible_at: datetime | None = None
    exact: bool | None = None


@dataclass(frozen=True, slots=True)
class ClaimAdmission:
    """Headroom after a committed claim. `used`, `remaining` and `window_resets_at` are None without a window limit."""

    max_in_flight: int | None
    in_flight: int
    max_claims_per_window: int | None
    used: int | None
    remaining: int | None
    window_resets_at: datetime | None


@dataclass(frozen=True, slots=True)
class QueueAdmission:
    """A queue identity with its policy, usage and status. `policy` None with `fault` None: no policy.

    `fault` says in words why a stored policy cannot be evaluated; usage is None then, never 0.
    """

    queue_id: int
    scope: str
    queue: str
    policy: Policy | None
    fault: str | None
    status: AdmissionStatus
    in_flight: int
    used: int | None
    remaining: int | None
    window_started_at: datetime | None
    window_resets_at: datetime | None


@dataclass(frozen=True, slots=True)
class DeferredQueue:
    """One granted queue that turned a claim_next away.

    `pending` counts its pending todos; there are more of them when it is capped.
    """

    queue: str
    reason: DeferralReason
    pending: int
    next_eligible_at: datetime | None
    exact: bool | None
    pending_capped: bool = False
