"""The operator API of admission policies: bearer-authenticated, for humans and their tools (SPEC-0030 REQ-10)."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.service.services import Services
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .answers import json_answer
from .authentication import operator_human
from .bodies import POLICY_BYTES, read_json

PREFIX = "/api/v1/admission"


def operator_routes(services: Services) -> list[Route]:
    async def list_policies(request: Request) -> Response:
        human = await operator_human(request, services.callers)
        return json_answer(await services.policies.list(human))

    async def one_policy(request: Request) -> Response:
        human = await operator_human(request, services.callers)
        scope, queue = _identity(request)
        if request.method == "PUT":
            body = await read_json(request, POLICY_BYTES)
            return json_answer(await services.policies.set(human, scope, queue, body))
        if request.method == "DELETE":
            return json_answer({"cleared": await services.policies.clear(human, scope, queue)})
        return json_answer(await services.policies.show(human, scope, queue))

    return [
        Route(PREFIX, list_policies, methods=["GET"], name="admission.list"),
        Route(PREFIX + "/{identity:path}", one_policy, methods=["GET", "PUT", "DELETE"], name="admission.one"),
    ]


def _identity(request: Request) -> tuple[str, str]:
    """Scope and queue from the path as it was sent: the decoded path cannot tell %2F from a slash (D7)."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    segments = raw.partition(b"?")[0].decode("ascii", "replace")[len(PREFIX) + 1 :].split("/")
    try:
        scope, queue = (unquote(segment, errors="strict") for segment in segments)
    except ValueError:
        # not two segments, or not UTF-8: it names nothing
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such queue that you may manage.") from None
    return scope, queue
