"""The operator's reads: the strict query of jobs, and the owning reads of queues and capabilities."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.core.identity import Human
from switchboard.service.read_budget import ReadDeadline, whole_read
from switchboard.service.services import Services
from switchboard.service.wall_clock import utc_now
from switchboard_wire.envelope import VERSION, Observation, decode_jobs_query, observation_headers
from switchboard_wire.errors import invalid
from switchboard_wire.reads import Capabilities

from .answers import json_answer
from .authentication import reading_human
from .bodies import STRICT_READ_BYTES, read_json
from .disconnects import while_connected
from .origins import guard_origin


def read_routes(
    services: Services, capabilities: Callable[[], Awaitable[Capabilities]], public_origins: tuple[str, ...]
) -> list[Route]:
    async def admitted(request: Request) -> Human:
        guard_origin(request, public_origins)
        return await reading_human(request, services.callers)

    async def jobs_query(request: Request) -> Response:
        human = await admitted(request)
        async with whole_read(services.read_limits) as deadline:
            query = decode_jobs_query(await read_json(request, STRICT_READ_BYTES))
            observed_at = utc_now()
            page = await while_connected(request, services.board.jobs(human, query, deadline))
            return json_answer({"version": VERSION, "data": page, "observation": _fresh(observed_at)})

    async def queues(request: Request) -> Response:
        human = await admitted(request)
        _refuse_parameters(request)

        async def read(deadline: ReadDeadline) -> object:
            return await services.board.queues(human, deadline)

        return await _owning(request, services, read)

    async def schedules(request: Request) -> Response:
        human = await admitted(request)
        _refuse_parameters(request)

        async def read(_: ReadDeadline) -> object:
            return await services.schedules.list(human)

        return await _owning(request, services, read)

    async def capable(request: Request) -> Response:
        await admitted(request)
        _refuse_parameters(request)
        observed_at = utc_now()
        return json_answer(await capabilities(), headers=observation_headers(_fresh(observed_at)))

    return [
        Route("/api/v1/jobs/query", jobs_query, methods=["POST"], name="jobs.query"),
        Route("/api/queues", queues, methods=["GET"], name="queues"),
        Route("/api/schedules", schedules, methods=["GET"], name="schedules"),
        Route("/api/capabilities", capable, methods=["GET"], name="capabilities"),
    ]


async def _owning(request: Request, services: Services, read: Callable[[ReadDeadline], Awaitable[object]]) -> Response:
    async def run() -> object:
        async with whole_read(services.read_limits) as deadline:
            return await read(deadline)

    observed_at = utc_now()
    payload = await while_connected(request, run())
    return json_answer(payload, headers=observation_headers(_fresh(observed_at)))


def _fresh(observed_at: datetime) -> Observation:
    return Observation(observed_at=observed_at, served_at=utc_now(), cache_age_ms=0)


def _refuse_parameters(request: Request) -> None:
    for name in request.query_params:
        raise invalid(name, "This parameter is unknown.")
