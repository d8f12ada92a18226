"""The board as it is shown, in words: a pure function of what was read, the viewer's zone and the time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.zoned_time import ZonedTime, in_both_zones, in_one_zone, viewer_zone
from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason, QueueAdmission
from switchboard_wire.reads import PENDING_COUNT_CAP, JobsPage, QueueOverview, QueuesPage
from switchboard_wire.todo import TodoSummary

SHOWN_PER_QUEUE = 20

STATUS_WORDS = {
    None: "admitted",
    DeferralReason.PAUSED: "paused",
    DeferralReason.WINDOW_EXHAUSTED: "budget used up",
    DeferralReason.IN_FLIGHT_FULL: "in flight full",
    DeferralReason.ADMISSION_UNAVAILABLE: "unavailable",
}
_CHIP_WORDS = {
    DeferralReason.PAUSED: "paused",
    DeferralReason.WINDOW_EXHAUSTED: "budget",
    DeferralReason.IN_FLIGHT_FULL: "in flight",
    DeferralReason.ADMISSION_UNAVAILABLE: "unavailable",
}


@dataclass(frozen=True, slots=True)
class Chip:
    """Why a todo waits, readable alone: `text`, and with a time `until` before it. `reason` is the machine's word."""

    text: str
    reason: str
    until: str = ""
    at: ZonedTime | None = None


@dataclass(frozen=True, slots=True)
class WaitingTodo:
    id: int
    title: str
    kind: str
    created: ZonedTime
    attempt: str | None
    chip: Chip | None


@dataclass(frozen=True, slots=True)
class QueueCard:
    """One queue. Texts are None where there is nothing to tell: no limit, no window. `waiting` None: not known yet."""

    id: int
    name: str
    scope: str
    status: str
    reason: str | None
    has_policy: bool
    used: str | None
    in_flight: str
    resets: ZonedTime | None
    fault: str | None
    pending: str
    waiting: tuple[WaitingTodo, ...] | None
    more: str | None


@dataclass(frozen=True, slots=True)
class BoardView:
    """Queues None: they were never read. Empty: the viewer has none, or, when `narrowed`, none of that name."""

    queues: tuple[QueueCard, ...] | None
    narrowed: bool = False

    def matching(self, text: str) -> BoardView:
        """Only the queues whose name contains the text, in whatever case."""
        wanted = text.strip().casefold()
        if self.queues is None or not wanted:
            return self
        return BoardView(tuple(card for card in self.queues if wanted in card.name.casefold()), narrowed=True)


def board_view(queues: QueuesPage | None, jobs: JobsPage | None, viewer: str, now: datetime) -> BoardView:
    """`viewer` is an IANA zone name; `now` is aware."""
    if queues is None:
        return BoardView(None)
    zone = viewer_zone(viewer)
    waiting: dict[int, list[TodoSummary]] | None = None
    if jobs is not None:
        waiting = {}
        for job in jobs.jobs:
            waiting.setdefault(job.queue_id, []).append(job)
    return BoardView(tuple(queue_card_view(queue, waiting, zone, now) for queue in queues.queues))


def queue_card_view(
    overview: QueueOverview, waiting: dict[int, list[TodoSummary]] | None, viewer: ZoneInfo, now: datetime
) -> QueueCard:
    """`waiting`: the waiting todos by queue, None while they are not known or not wanted."""
    admission = overview.admission
    policy = admission.policy
    policy_zone = None if policy is None or policy.window is None else viewer_zone(policy.window.tz)
    resets = None
    if admission.window_resets_at is not None and policy_zone is not None:
        resets = in_both_zones(admission.window_resets_at, policy_zone, viewer, now)
    shown = None
    if waiting is not None:
        shown = tuple(_todo(job, policy_zone or viewer, viewer, now) for job in waiting.get(admission.queue_id, []))[
            :SHOWN_PER_QUEUE
        ]
    return QueueCard(
        id=admission.queue_id,
        name=admission.queue,
        scope=admission.scope,
        status=STATUS_WORDS[admission.status.reason],
        reason=None if admission.status.reason is None else admission.status.reason.value,
        has_policy=policy is not None or admission.fault is not None,
        used=_used(admission),
        in_flight=_in_flight(admission),
        resets=resets,
        fault=admission.fault,
        pending=f"{overview.pending:,}{' or more' if overview.pending_capped else ''} waiting",
        waiting=shown,
        more=_more(overview, shown),
    )


def _used(admission: QueueAdmission) -> str | None:
    if admission.policy is None or admission.policy.max_claims_per_window is None:
        return None
    used = "unknown" if admission.used is None else f"{admission.used:,}"
    return f"{used} of {admission.policy.max_claims_per_window:,} used"


def _in_flight(admission: QueueAdmission) -> str:
    cap = None if admission.policy is None else admission.policy.max_in_flight
    return f"{admission.in_flight:,} in flight" if cap is None else f"{admission.in_flight:,} of {cap:,} in flight"


def _more(overview: QueueOverview, shown: tuple[WaitingTodo, ...] | None) -> str | None:
    if shown is None or len(shown) >= overview.pending:
        return None
    total = f"more than {PENDING_COUNT_CAP:,}" if overview.pending_capped else f"{overview.pending:,}"
    return f"Showing the newest {len(shown)} of {total} waiting."


def _todo(job: TodoSummary, policy_zone: ZoneInfo, viewer: ZoneInfo, now: datetime) -> WaitingTodo:
    return WaitingTodo(
        id=job.id,
        title=job.title or job.kind,
        kind=job.kind,
        created=in_one_zone(job.created_at, viewer, now),
        attempt=None if job.attempt == 0 else f"tried {job.attempt} of {job.max_attempts}",
        chip=chip_of(job.admission, policy_zone, viewer, now),
    )


def chip_of(status: AdmissionStatus | None, policy_zone: ZoneInfo, viewer: ZoneInfo, now: datetime) -> Chip | None:
    """None unless the todo is deferred. Window boundaries are told in the policy's zone, hints in the viewer's."""
    if status is None or status.state is AdmissionState.ADMITTED or status.reason is None:
        return None
    text, reason, at = f"deferred · {_CHIP_WORDS[status.reason]}", status.reason.value, status.next_eligible_at
    if at is None:
        return Chip(text, reason)
    if status.exact:
        return Chip(text, reason, "eligible", in_one_zone(at, policy_zone, now))
    return Chip(text, reason, "possibly eligible from", in_one_zone(at, viewer, now))
