"""The depth of the dead letters in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from switchboard_ui.core.zoned_time import ZonedTime, to_the_second, viewer_zone
from switchboard_wire.dead_letters import DlqDepth


@dataclass(frozen=True, slots=True)
class DepthRow:
    queue_id: int
    queue: str
    scope: str
    count: str
    oldest: ZonedTime | None


@dataclass(frozen=True, slots=True)
class DepthView:
    """`rows`: the queues that have any."""

    text: str
    rows: tuple[DepthRow, ...]


def depth_view(depth: DlqDepth, viewer: str, now: datetime) -> DepthView:
    """`viewer` is an IANA zone name; `now` is aware."""
    zone = viewer_zone(viewer)
    rows = tuple(
        DepthRow(
            one.queue_id,
            one.queue,
            one.scope,
            _count(one.count, one.capped),
            None if one.oldest_dlq_at is None else to_the_second(one.oldest_dlq_at, zone, now),
        )
        for one in depth.queues
        if one.count
    )
    if not depth.total:
        return DepthView("No dead letters.", rows)
    letters = "dead letter" if depth.total == 1 and not depth.capped else "dead letters"
    queues = "1 queue" if len(rows) == 1 else f"{len(rows):,} queues"
    return DepthView(f"{_count(depth.total, depth.capped)} {letters} in {queues}", rows)


def _count(count: int, capped: bool) -> str:
    return f"{count:,}{' or more' if capped else ''}"
