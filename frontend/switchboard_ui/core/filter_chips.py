"""What a filter demands, part by part: each in words, and the filter without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.zoned_time import in_one_zone
from switchboard_wire.job_filter import JobFilter


@dataclass(frozen=True, slots=True)
class FilterChip:
    text: str
    without: JobFilter


def filter_chips(job_filter: JobFilter, viewer: ZoneInfo, now: datetime) -> tuple[FilterChip, ...]:
    """In the form's order; times on the viewer's clock. A filter of several tags has a chip for each."""
    one = job_filter
    chips: list[FilterChip] = []
    if one.queue is not None:
        chips.append(FilterChip(f"queue {one.queue}", replace(one, queue=None)))
    if one.kind is not None:
        chips.append(FilterChip(f"kind {one.kind}", replace(one, kind=None)))
    if one.states is not None:
        words = [state.value for state in one.states]
        chips.append(FilterChip(" or ".join(words), replace(one, states=None)))
    for tag in one.tags or ():
        rest = tuple(each for each in one.tags or () if each != tag)
        chips.append(FilterChip(f"tag {tag}", replace(one, tags=rest or None)))
    if one.ids is not None:
        text = f"todo {one.ids[0]}" if len(one.ids) == 1 else f"{len(one.ids):,} todos by number"
        chips.append(FilterChip(text, replace(one, ids=None)))
    if one.created_at_gte is not None:
        text = f"created from {in_one_zone(one.created_at_gte, viewer, now).text}"
        chips.append(FilterChip(text, replace(one, created_at_gte=None)))
    if one.created_at_lt is not None:
        text = f"created before {in_one_zone(one.created_at_lt, viewer, now).text}"
        chips.append(FilterChip(text, replace(one, created_at_lt=None)))
    return tuple(chips)
