"""What the board reads: the queues with their admission, and the jobs that wait."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read, decode_strict_read
from switchboard_ui.core.query import Floor, Query, strict_request
from switchboard_ui.ports import Request
from switchboard_wire.job_filter import JobFilter, filter_to_plain
from switchboard_wire.reads import JobsPage, QueuesPage
from switchboard_wire.todo import TodoState

CADENCE_SECONDS = 5.0
SHOWN_JOBS = 200


def queues_query() -> Query[QueuesPage]:
    return Query(
        scope="queues",
        request=Request("GET", "/api/queues"),
        decode=lambda response: decode_owning_read(QueuesPage, response),
        floor=Floor.CACHED,
        cadence=CADENCE_SECONDS,
    )


def waiting_jobs_query() -> Query[JobsPage]:
    """The newest pending jobs over all queues of the viewer."""
    waiting = JobFilter(states=(TodoState.PENDING,))
    return Query(
        scope="jobs",
        request=strict_request("/api/v1/jobs/query", filter_to_plain(waiting), {"limit": SHOWN_JOBS}),
        decode=lambda response: decode_strict_read(JobsPage, response),
        floor=Floor.CACHED,
        cadence=CADENCE_SECONDS,
    )
