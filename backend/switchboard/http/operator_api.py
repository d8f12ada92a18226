"""The operator API: policies (SPEC-0030 REQ-10) and single todos, for humans and their tools."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.service.services import Services
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .answers import json_answer
from .authentication import operator_human
from .bodies import POLICY_BYTES, read_json
from .mutations import Mutations
from .write_limits import WriteLimits

PREFIX = "/api/v1/admission"


class _Rest(Convertor[str]):
    """The rest of the path, whatever is in it: Starlette's own ends at a line break."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("rest", _Rest())


def operator_routes(services: Services, mutations: Mutations) -> list[Route]:
    limits = WriteLimits()

    async def list_policies(request: Request) -> Response:
        human = await operator_human(request, services.callers)
        return json_answer(await services.policies.list(human))

    async def one_policy(request: Request) -> Response:
        human = await operator_human(request, services.callers)
        scope, queue = _identity(request)
        if request.method not in ("PUT", "DELETE"):
            return json_answer(await services.policies.show(human, scope, queue))
        try:
            limits.spend(human.id)
        except SwitchboardError:
            await services.policies.require_manageable(human, scope, queue)  # else the same 404 as ever
            raise
        if request.method == "DELETE":
            return json_answer({"cleared": await services.policies.clear(human, scope, queue)})
        body = await read_json(request, POLICY_BYTES)
        return json_answer(await services.policies.set(human, scope, queue, body))

    todos = services.operator_todos
    return [
        mutations.route("POST", "/api/jobs/{id:int}/retry", "jobs.retry", todos.retry_now),
        mutations.route("POST", "/api/jobs/{id:int}/cancel", "jobs.cancel", todos.cancel),
        mutations.route("POST", "/api/jobs/{id:int}/claim", "jobs.claim", todos.claim),
        Route(PREFIX, list_policies, methods=["GET"], name="admission.list"),
        Route(PREFIX + "/{identity:rest}", one_policy, methods=["GET", "PUT", "DELETE"], name="admission.one"),
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
