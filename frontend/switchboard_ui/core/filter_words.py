"""The set that a filter names, in words: "dead todos of queue mail, tagged a and b"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.zoned_time import in_one_zone
from switchboard_wire.job_filter import JobFilter

_NAMED_IDS = 5


def filter_words(job_filter: JobFilter, viewer: ZoneInfo, now: datetime) -> str:
    """A noun phrase; "all todos" for a filter that demands nothing. Times are on the viewer's clock."""
    one = job_filter
    if one == JobFilter():
        return "all todos"
    words = _subject(one)
    if of := [f"{name} {value}" for name, value in (("queue", one.queue), ("kind", one.kind)) if value is not None]:
        words += f" of {_list(of, 'and')}"
    if one.tags is not None:
        words += f", tagged {_list(one.tags, 'and')}"
    begin, end = (
        None if at is None else in_one_zone(at, viewer, now).text for at in (one.created_at_gte, one.created_at_lt)
    )
    if begin is not None:
        words += f", created from {begin}" + ("" if end is None else f" and before {end}")
    elif end is not None:
        words += f", created before {end}"
    return words


def every_todo(job_filter: JobFilter, viewer: ZoneInfo, now: datetime) -> str:
    """ "all todos", "all dead todos of queue mail": the whole set, as a confirmation names it."""
    words = filter_words(job_filter, viewer, now)
    return words if job_filter == JobFilter() else f"all {words}"


def _subject(one: JobFilter) -> str:
    states = "" if one.states is None else _list([state.value for state in one.states], "or") + " "
    if one.ids is None:
        return f"{states}todos"
    if len(one.ids) > _NAMED_IDS:
        return f"{states}todos among {len(one.ids):,} given by number"
    noun = "todo" if len(one.ids) == 1 else "todos"
    return f"{states}{noun} {_list([f'#{each}' for each in one.ids], 'and')}"


def _list(items: Sequence[str], joint: str) -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} {joint} {items[-1]}"
