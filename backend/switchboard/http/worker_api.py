"""POST /api/v1/worker/<verb>: one route a verb, bearer-authenticated JSON (D3)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.core.identity import Caller
from switchboard.service.grants import require_verb
from switchboard.service.services import Services
from switchboard_wire import worker
from switchboard_wire.shape import decode
from switchboard_wire.worker import Verb

from .answers import json_answer
from .authentication import endpoint_caller
from .bodies import PAYLOAD_NESTING, WORKER_BYTES, read_json
from .disconnects import while_connected


@dataclass(frozen=True, slots=True)
class _Action:
    """What a verb takes, and who does it."""

    shape: type[Any]
    run: Callable[[Caller, Any], Coroutine[Any, Any, object]]


def worker_routes(services: Services) -> list[Route]:
    actions = {
        Verb.ENQUEUE: _Action(worker.Enqueue, services.enqueue.enqueue),
        Verb.CLAIM: _Action(worker.Claim, services.claim.claim),
        Verb.CLAIM_NEXT: _Action(worker.ClaimNext, services.claim.claim_next),
        Verb.COMPLETE: _Action(worker.Complete, services.drain.complete),
        Verb.FAIL: _Action(worker.Fail, services.drain.fail),
        Verb.RELEASE: _Action(worker.Release, services.drain.release),
        Verb.HEARTBEAT: _Action(worker.Heartbeat, services.drain.heartbeat),
        Verb.ADMISSION_STATUS: _Action(worker.AskAdmissionStatus, services.todos.admission_status),
        Verb.LIST_TODOS: _Action(worker.ListTodos, services.todos.list_todos),
        Verb.GET_TODO: _Action(worker.GetTodo, services.todos.get_todo),
    }

    def route(verb: Verb, action: _Action) -> Route:
        async def endpoint(request: Request) -> Response:
            caller = await endpoint_caller(request, services.callers)
            require_verb(caller, verb)
            body = await read_json(request, WORKER_BYTES, max_nesting=PAYLOAD_NESTING, empty_is={})
            ask = decode(action.shape, body)
            return json_answer(await while_connected(request, action.run(caller, ask)))

        return Route(f"/api/v1/worker/{verb.value}", endpoint, methods=["POST"], name=f"worker.{verb.value}")

    return [route(verb, action) for verb, action in actions.items()]
