"""Schedules over the operator API: bearer-authenticated changes, rate-limited like those of policies."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.core.identity import Human
from switchboard.service.services import Services
from switchboard_wire.errors import invalid
from switchboard_wire.job_filter import MAX_ID

from .answers import json_answer
from .authentication import operator_human
from .bodies import STRICT_READ_BYTES, read_json
from .write_limits import WriteLimits

Action = Callable[[Human, int], Coroutine[Any, Any, object]]


def schedule_routes(services: Services) -> list[Route]:
    limits = WriteLimits()

    async def writer(request: Request) -> Human:
        human = await operator_human(request, services.callers)
        limits.spend(human.id)
        return human

    async def create(request: Request) -> Response:
        human = await writer(request)
        return json_answer(await services.schedules.create(human, await read_json(request, STRICT_READ_BYTES)))

    async def one(request: Request) -> Response:
        human = await writer(request)
        schedule_id = _id(request)
        if request.method == "DELETE":
            await services.schedules.delete(human, schedule_id)
            return json_answer({"deleted": True})
        body = await read_json(request, STRICT_READ_BYTES)
        return json_answer(await services.schedules.edit(human, schedule_id, body))

    def action(name: str, act: Action) -> Route:
        async def endpoint(request: Request) -> Response:
            human = await writer(request)
            if await read_json(request, STRICT_READ_BYTES, empty_is={}) != {}:
                raise invalid("", "This takes no fields.")
            return json_answer(await act(human, _id(request)))

        return Route(f"/api/schedules/{{schedule_id:int}}/{name}", endpoint, methods=["POST"], name=f"schedules.{name}")

    return [
        Route("/api/schedules/{schedule_id:int}", one, methods=["PUT", "DELETE"], name="schedules.one"),
        action("trigger", services.schedules.trigger),
        action("pause", services.schedules.pause),
        action("resume", services.schedules.resume),
        Route("/api/schedules", create, methods=["POST"], name="schedules.create"),
    ]


def _id(request: Request) -> int:
    return min(int(request.path_params["schedule_id"]), MAX_ID)
