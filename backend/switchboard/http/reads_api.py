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
from switchboard_wire.envelope import JobsQuery, Observation, decode_jobs_count, decode_jobs_query, observation_headers
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.parameters import decode_parameters
from switchboard_wire.reads import Capabilities, JobsParameters, NoParameters

from .answers import json_answer
from .reads import Reads


def read_routes(services: Services, capabilities: Callable[[], Awaitable[Capabilities]], reads: Reads) -> list[Route]:
    board = services.board

    async def capable(request: Request) -> Response:
        """No permit and no deadline: it tells what is known without reading."""
        await reads.human(request)
        decode_parameters(NoParameters, request.url.query)
        observed_at = utc_now()
        answer = await capabilities()
        return json_answer(answer, headers=observation_headers(Observation(observed_at, utc_now(), 0)))

    async def jobs(human: Human, asked: JobsParameters, deadline: ReadDeadline) -> object:
        return await board.jobs(human, asked.query(), deadline)

    async def jobs_query(human: Human, query: JobsQuery, deadline: ReadDeadline) -> object:
        return await board.jobs(human, query, deadline)

    async def jobs_count(human: Human, job_filter: JobFilter, deadline: ReadDeadline) -> object:
        return await board.count(human, job_filter, deadline)

    return [
        Route("/api/capabilities", capable, methods=["GET"], name="capabilities"),
        reads.strict("/api/v1/jobs/query", "jobs.query", decode_jobs_query, jobs_query),
        reads.strict("/api/v1/jobs/count", "jobs.count", decode_jobs_count, jobs_count),
        reads.owning("/api/jobs", "jobs", jobs, JobsParameters),
        reads.owning("/api/queues", "queues", board.queues, cached=True),
        reads.owning("/api/schedules", "schedules", services.schedules.list),
    ]
