"""JobFilter (D27): which jobs a strict read is about. Its normal form is also the tab's query key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from .encode import encode_json, to_plain
from .errors import invalid
from .shape import NOT_NULL, Between, Distinct, Length, decode
from .todo import TodoState

MAX_ID = 2**63 - 1
MAX_PAGE = 1000

Name = Annotated[str, Length(1, 200)]
JobId = Annotated[int, Between(1, MAX_ID)]


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Fields intersect; `states` is any-of, `tags` all-of; creation bounds are half-open. None: not filtered by it."""

    ids: Annotated[tuple[JobId, ...] | None, NOT_NULL, Length(1, 1000), Distinct()] = None
    kind: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    queue: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    states: Annotated[tuple[TodoState, ...] | None, NOT_NULL, Length(1, 7), Distinct()] = None
    tags: Annotated[tuple[Name, ...] | None, NOT_NULL, Length(1, 20), Distinct()] = None
    created_at_gte: Annotated[datetime | None, NOT_NULL] = None
    created_at_lt: Annotated[datetime | None, NOT_NULL] = None


@dataclass(frozen=True, slots=True)
class JobPage:
    """Newest first by id; `before_id` is exclusive."""

    before_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    limit: Annotated[int, Between(1, MAX_PAGE)] = 50


def decode_job_filter(value: Any, path: str = "filter") -> JobFilter:
    """A filter in normal form: ids, states and tags sorted. Raises SwitchboardError(invalid_argument)."""
    raw = decode(JobFilter, value, path)
    if raw.created_at_gte is not None and raw.created_at_lt is not None and raw.created_at_gte >= raw.created_at_lt:
        raise invalid(f"{path}.created_at_lt", "This must be later than created_at_gte.")
    return JobFilter(
        ids=_sorted(raw.ids),
        kind=raw.kind,
        queue=raw.queue,
        states=None if raw.states is None else tuple(state for state in TodoState if state in raw.states),
        tags=_sorted(raw.tags),
        created_at_gte=raw.created_at_gte,
        created_at_lt=raw.created_at_lt,
    )


def _sorted(items: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    return None if items is None else tuple(sorted(items))


def filter_to_plain(job_filter: JobFilter) -> dict[str, Any]:
    """The JSON object that decodes to this filter: absent fields left out."""
    return {name: member for name, member in to_plain(job_filter).items() if member is not None}


def filter_key(job_filter: JobFilter) -> str:
    """Equal filters give equal text."""
    return encode_json(filter_to_plain(job_filter))
