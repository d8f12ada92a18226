"""One queue in words: its policy, what waits and runs, its usage window by window, and who changed it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.board_view import QueueCard, queue_card_view
from switchboard_ui.core.chart import Chart, Column, heights
from switchboard_ui.core.policy_words import policy_words, stored_words
from switchboard_ui.core.todos_view import TodoRow, todo_row
from switchboard_ui.core.zoned_time import ZonedTime, clock_time, to_the_second, viewer_zone
from switchboard_wire.admission import DeferralReason
from switchboard_wire.operator import AuditRecord
from switchboard_wire.policy import Policy
from switchboard_wire.queue_detail import QueueDetail


@dataclass(frozen=True, slots=True)
class AuditRow:
    at: ZonedTime
    who: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class QueueView:
    """`oldest` None: nothing waits. `usage` None: no limit per window. `no_*`: why it cannot be done, None: it can."""

    card: QueueCard
    policy: str
    oldest: ZonedTime | None
    in_flight: tuple[TodoRow, ...]
    usage: Chart | None
    audit: tuple[AuditRow, ...]
    manageable: bool
    no_pause: str | None
    no_resume: str | None


def queue_view(detail: QueueDetail, viewer: str, now: datetime) -> QueueView:
    """`viewer` is an IANA zone name; `now` is aware."""
    zone = viewer_zone(viewer)
    overview = detail.queue
    admission = overview.admission
    paused = admission.policy is not None and admission.policy.max_in_flight == 0
    return QueueView(
        card=queue_card_view(overview, None, zone, now),
        policy=policy_words(admission.policy) if admission.fault is None else f"not usable: {admission.fault}",
        oldest=None if detail.oldest_waiting_at is None else to_the_second(detail.oldest_waiting_at, zone, now),
        in_flight=tuple(todo_row(todo, zone, now) for todo in detail.in_flight),
        usage=_usage(detail, admission.policy, now),
        audit=tuple(_audit(record, zone, now) for record in detail.audit),
        manageable=overview.manageable,
        no_pause="It is paused already." if paused else None,
        no_resume=None if paused else _why_not_resume(admission.status.reason),
    )


def _why_not_resume(reason: DeferralReason | None) -> str:
    if reason is DeferralReason.PAUSED:
        return "Its limit per window is 0, which resuming does not change."
    return "It is not paused."


def _usage(detail: QueueDetail, policy: Policy | None, now: datetime) -> Chart | None:
    """The windows that had claims. Their times are those of the policy's zone."""
    if policy is None or policy.window is None or policy.max_claims_per_window is None:
        return None
    zone, limit = viewer_zone(policy.window.tz), policy.max_claims_per_window
    windows = detail.usage[::-1]
    most = max([limit, *(window.used for window in windows)])
    columns = tuple(
        Column(
            clock_time(window.started_at, zone, now),
            f"{window.used:,} of {limit:,}" if window.current else f"{window.used:,}",
            height,
            window.current,
        )
        for window, height in zip(windows, heights([float(window.used) for window in windows], most), strict=True)
    )
    return Chart(
        heading="Claims per window",
        summary=_usage_summary(detail, limit, policy.window.tz),
        columns=columns,
        top=f"{most:,}",
        limit=(limit / most if most else 0.0, f"limit {limit:,}"),
    )


def _usage_summary(detail: QueueDetail, limit: int, zone: str) -> str:
    current = next((window.used for window in detail.usage if window.current), None)
    used = detail.queue.admission.used if current is None else current
    now = "The usage of this window is not known." if used is None else f"{used:,} of {limit:,} in this window so far."
    past = [window.used for window in detail.usage if not window.current]
    if not past:
        return f"{now} No earlier window had a claim."
    noun = "earlier window" if len(past) == 1 else "earlier windows"
    return f"{now} {len(past)} {noun} with claims: {min(past):,} to {max(past):,}. Times are those of {zone}."


def _audit(record: AuditRecord, viewer: ZoneInfo, now: datetime) -> AuditRow:
    who = record.human if record.endpoint is None else f"{record.human}, by endpoint {record.endpoint}"
    return AuditRow(to_the_second(record.at, viewer, now), who, stored_words(record.before), stored_words(record.after))
