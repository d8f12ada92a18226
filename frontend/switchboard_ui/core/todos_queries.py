"""What the pages of todos read."""

from __future__ import annotations

from typing import Any

from switchboard_ui.core.decoding import decode_owning_read, decode_strict_read
from switchboard_ui.core.query import Floor, Query, strict_request
from switchboard_ui.ports import Request
from switchboard_wire.job_filter import JobFilter, filter_to_plain
from switchboard_wire.reads import JobDetail, JobsCount, JobsPage

CADENCE_SECONDS = 5.0
PAGE_SIZE = 50


def todos_query(job_filter: JobFilter, before_id: int | None) -> Query[JobsPage]:
    """One page of the todos that match, newest first."""
    page: dict[str, Any] = {"limit": PAGE_SIZE}
    if before_id is not None:
        page["before_id"] = before_id
    return Query(
        scope="jobs",
        request=strict_request("/api/v1/jobs/query", filter_to_plain(job_filter), page),
        decode=lambda response: decode_strict_read(JobsPage, response),
        floor=Floor.UNCACHED,
        cadence=CADENCE_SECONDS,
    )


def newest_todos_query() -> Query[JobsPage]:
    """The newest todos from a server without the strict read: without any filter, since it would ignore one."""
    return Query(
        scope="jobs",
        request=Request("GET", "/api/jobs"),
        decode=lambda response: decode_owning_read(JobsPage, response),
        floor=Floor.CACHED,
        cadence=CADENCE_SECONDS,
    )


def todos_count_query(job_filter: JobFilter) -> Query[JobsCount]:
    """How many match: read when it is asked for, and never by itself again."""
    return Query(
        scope="jobs",
        request=strict_request("/api/v1/jobs/count", filter_to_plain(job_filter)),
        decode=lambda response: decode_strict_read(JobsCount, response),
        floor=Floor.UNCACHED,
        cadence=None,
        manual=True,
    )


def todo_query(todo_id: int) -> Query[JobDetail]:
    return Query(
        scope=f"jobs/{todo_id}",
        request=Request("GET", f"/api/jobs/{todo_id}"),
        decode=lambda response: decode_owning_read(JobDetail, response),
        floor=Floor.UNCACHED,
        cadence=CADENCE_SECONDS,
        may_be_gone=True,
        route="GET /api/jobs/{id}",
    )
