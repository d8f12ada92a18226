"""Every read of the operators' page: strict queries, owning reads, capabilities."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.core.identity import Human
from switchboard.service.read_budget import ReadDeadline
from switchboard.service.services import Services
from switchboard.service.wall_clock import utc_now
from switchboard_wire.dead_letters import DlqParameters, DlqQuery, decode_dlq_query
from switchboard_wire.envelope import JobsQuery, Observation, decode_jobs_count, decode_jobs_query
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operations import OperationsParameters
from switchboard_wire.operator_actions import OperatorAuditParameters
from switchboard_wire.parameters import decode_parameters
from switchboard_wire.reads import Capabilities, JobsParameters, NoParameters
from switchboard_wire.statistics import SeriesParameters

from .answers import json_answer
from .reads import Reads, reader_headers


def read_routes(services: Services, capabilities: Callable[[], Awaitable[Capabilities]], reads: Reads) -> list[Route]:
    board = services.board

    async def capable(request: Request) -> Response:
        """No permit and no deadline: it tells what is known without reading."""
        human = await reads.human(request)
        decode_parameters(NoParameters, request.url.query)
        observed_at = utc_now()
        answer = await capabilities()
        return json_answer(answer, headers=reader_headers(human.id, Observation(observed_at, utc_now(), 0)))

    async def session(request: Request) -> Response:
        observed_at = utc_now()
        answer = await reads.session(request)
        decode_parameters(NoParameters, request.url.query)
        return json_answer(answer, headers=reader_headers(answer.human.id, Observation(observed_at, utc_now(), 0)))

    async def jobs(human: Human, asked: JobsParameters, deadline: ReadDeadline) -> object:
        return await board.jobs(human, asked.query(), deadline)

    async def jobs_query(human: Human, query: JobsQuery, deadline: ReadDeadline) -> object:
        return await board.jobs(human, query, deadline)

    async def jobs_count(human: Human, job_filter: JobFilter, deadline: ReadDeadline) -> object:
        return await board.count(human, job_filter, deadline)

    async def dlq_query(human: Human, query: DlqQuery, deadline: ReadDeadline) -> object:
        return await services.dead_letters.query(human, query, deadline)

    async def dlq(human: Human, asked: DlqParameters, deadline: ReadDeadline) -> object:
        return await services.dead_letters.query(human, asked.query(), deadline)

    async def operations(human: Human, asked: OperationsParameters, deadline: ReadDeadline) -> object:
        return await services.operations.operations(human, asked.before_id, asked.limit, deadline)

    async def audit(human: Human, asked: OperatorAuditParameters, deadline: ReadDeadline) -> object:
        return await services.operator_audit.audit(human, asked.before_id, asked.limit, deadline)

    return [
        Route("/api/capabilities", capable, methods=["GET"], name="capabilities"),
        Route("/api/session", session, methods=["GET"], name="session"),
        reads.strict("/api/v1/jobs/query", "jobs.query", decode_jobs_query, jobs_query),
        reads.strict("/api/v1/jobs/count", "jobs.count", decode_jobs_count, jobs_count),
        reads.owning("/api/jobs", "jobs", jobs, JobsParameters),
        reads.owning("/api/jobs/{id:int}", "jobs.one", services.details.job),
        reads.owning("/api/queues", "queues", board.queues, cached=True),
        reads.owning("/api/queues/{id:int}", "queues.one", services.details.queue),
        reads.owning("/api/stats", "stats", services.statistics.statistics, cached=True),
        reads.owning(
            "/api/stats/timeseries", "stats.timeseries", services.statistics.series, SeriesParameters, cached=True
        ),
        reads.owning("/api/operations", "operations", operations, OperationsParameters),
        reads.owning("/api/operations/{id:int}", "operations.one", services.operations.operation),
        reads.owning("/api/audit", "audit", audit, OperatorAuditParameters),
        reads.owning("/api/workers", "workers", services.workers.workers, cached=True),
        reads.owning("/api/kinds", "kinds", services.statistics.kinds, cached=True),
        reads.owning("/api/storage", "storage", services.statistics.storage, cached=True),
        reads.strict("/api/v1/dlq/query", "dlq.query", decode_dlq_query, dlq_query),
        reads.owning("/api/dlq", "dlq", dlq, DlqParameters),
        reads.owning("/api/dlq/depth", "dlq.depth", services.dead_letters.depth, cached=True),
        reads.owning("/api/dlq/{id:int}", "dlq.one", services.dead_letters.one),
        reads.owning("/api/schedules", "schedules", services.schedules.list),
    ]
