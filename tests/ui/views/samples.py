"""What the server may say, as wire objects with sensible defaults."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from switchboard_ui.core.key_state import Cause
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.outcomes import Failure, FailureKind
from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason, QueueAdmission
from switchboard_wire.operations import Operation, OperationState
from switchboard_wire.policy import Period, Policy, Window
from switchboard_wire.reads import JobsPage, QueueOverview, QueuesPage
from switchboard_wire.schedules import Missed, Schedule
from switchboard_wire.todo import TodoState, TodoSummary

LOS_ANGELES, BERLIN = "America/Los_Angeles", "Europe/Berlin"
NOW = datetime(2026, 12, 1, 7, 30, tzinfo=UTC)
"""23:30 the day before in Los Angeles, 08:30 in Berlin."""
MIDNIGHT = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
"""00:00 in Los Angeles, 09:00 in Berlin."""

ADMITTED = AdmissionStatus(AdmissionState.ADMITTED)
PAUSED = AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.PAUSED)
UNAVAILABLE = AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.ADMISSION_UNAVAILABLE)
EXHAUSTED = AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.WINDOW_EXHAUSTED, MIDNIGHT, exact=True)
FULL = AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.IN_FLIGHT_FULL, MIDNIGHT, exact=False)

DAILY = Window(Period.DAY, LOS_ANGELES, "00:00")


def budget(claims: int, in_flight: int | None = None, zone: str = LOS_ANGELES) -> Policy:
    return Policy(in_flight, claims, Window(Period.DAY, zone, "00:00"))


def overview(
    queue: str = "investigations",
    *,
    queue_id: int = 1,
    policy: Policy | None = None,
    status: AdmissionStatus = ADMITTED,
    in_flight: int = 0,
    used: int | None = None,
    fault: str | None = None,
    resets: datetime | None = None,
    pending: int = 0,
    capped: bool = False,
) -> QueueOverview:
    """One queue; with a window limit it resets at midnight in Los Angeles unless told otherwise."""
    if policy is not None and policy.window is not None and resets is None:
        resets = MIDNIGHT
    admission = QueueAdmission(
        queue_id=queue_id,
        scope="endpoint:research",
        queue=queue,
        policy=policy,
        fault=fault,
        status=status,
        in_flight=in_flight,
        used=used,
        remaining=None,
        window_started_at=None,
        window_resets_at=resets,
    )
    return QueueOverview(admission, pending, capped, manageable=True)


def queues(*overviews: QueueOverview) -> QueuesPage:
    return QueuesPage(overviews)


def todo(number: int = 1, *, queue_id: int = 1, admission: AdmissionStatus | None = None, **more: Any) -> TodoSummary:
    """A pending todo, made at 08:00 in Berlin on the day of NOW."""
    values: dict[str, Any] = {
        "id": number,
        "scope": "endpoint:research",
        "queue": "investigations",
        "queue_id": queue_id,
        "kind": "investigation",
        "source": "test",
        "title": f"Todo {number}",
        "tags": (),
        "state": TodoState.PENDING,
        "attempt": 0,
        "max_attempts": 5,
        "created_at": datetime(2026, 12, 1, 7, 0, tzinfo=UTC),
        "updated_at": datetime(2026, 12, 1, 7, 0, tzinfo=UTC),
        "claimed_at": None,
        "lease_expires_at": None,
        "next_retry_at": None,
        "not_before": None,
        "finished_at": None,
        "claimant": None,
        "worker": None,
        "error": None,
        "admission": admission,
    }
    return TodoSummary(**(values | more))


def jobs(*todos: TodoSummary) -> JobsPage:
    return JobsPage(todos, None)


def schedule(number: int = 7, **more: Any) -> Schedule:
    """One that fires at 11:00 in Berlin on the day of NOW, and never has."""
    values: dict[str, Any] = {
        "id": number,
        "scope": "endpoint:research",
        "queue": "mail",
        "name": "nightly",
        "kind": "sweep",
        "title": "Sweep",
        "source": "schedule",
        "payload": None,
        "tags": (),
        "max_attempts": 5,
        "cron": "0 2 * * *",
        "tz": LOS_ANGELES,
        "missed": Missed.SKIP,
        "paused": False,
        "fault": None,
        "next_fire_at": NOW + timedelta(hours=2, minutes=30),
        "last_fired_at": None,
        "version": 3,
        "created_by": "ada",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Schedule(**(values | more))


def operation(number: int = 7, **more: Any) -> Operation:
    """Ada's, running over the dead todos of a queue, none of which has had its turn."""
    values: dict[str, Any] = {
        "id": number,
        "kind": "retry",
        "filter": {"queue": "mail", "states": ["dead"]},
        "all": False,
        "queue": None,
        "state": OperationState.RUNNING,
        "expected": 30,
        "total": 30,
        "changed": 0,
        "skipped": 0,
        "conflict": 0,
        "gone": 0,
        "human": "ada",
        "created_at": NOW,
        "started_at": NOW,
        "finished_at": None,
        "error": None,
    }
    return Operation(**(values | more))


def seen(state: State, reason: Any = Cause.READ, **more: Any) -> Observation[Any]:
    """An observation with data that was true two seconds before it arrived at instant 100."""
    values: dict[str, Any] = {
        "received_at": 100.0,
        "observed_at": NOW,
        "served_at": NOW,
        "cache_age_ms": 2000,
        "data": "something",
    }
    return Observation(state, reason, **(values | more))


def failed(state: State, kind: FailureKind, **more: Any) -> Observation[Any]:
    return seen(state, kind, failure=Failure(kind, kind.value), **more)


def never_read(state: State = State.LOADING, reason: Any = Cause.FIRST_READ, **more: Any) -> Observation[Any]:
    return Observation(state, reason, **more)
