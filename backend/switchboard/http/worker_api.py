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
from switchboard.store.errors import StaleCaller
from switchboard_wire import worker
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.shape import decode
from switchboard_wire.worker import Verb

from .answers import json_answer
from .authentication import endpoint_caller
from .bodies import PAYLOAD_NESTING, WORKER_BYTES, read_json
from .disconnects import while_connected


@dataclass(frozen=True, slots=True)
class _Action:
    """What a verb takes, and who does it. `checks_caller`: its own statement checks that the caller stands, which
    saves the look-up before it."""

    shape: type[Any]
    run: Callable[[Caller, Any], Coroutine[Any, Any, object]]
    checks_caller: bool = False


def worker_routes(services: Services) -> list[Route]:
    actions = {
        Verb.ENQUEUE: _Action(worker.Enqueue, services.enqueue.enqueue),
        Verb.CLAIM: _Action(worker.Claim, services.claim.claim, checks_caller=True),
        Verb.CLAIM_NEXT: _Action(worker.ClaimNext, services.claim.claim_next, checks_caller=True),
        Verb.COMPLETE: _Action(worker.Complete, services.complete.complete, checks_caller=True),
        Verb.FAIL: _Action(worker.Fail, services.drain.fail, checks_caller=True),
        Verb.RELEASE: _Action(worker.Release, services.drain.release, checks_caller=True),
        Verb.HEARTBEAT: _Action(worker.Heartbeat, services.drain.heartbeat, checks_caller=True),
        Verb.ADMISSION_STATUS: _Action(worker.AskAdmissionStatus, services.todos.admission_status),
        Verb.LIST_TODOS: _Action(worker.ListTodos, services.todos.list_todos),
        Verb.GET_TODO: _Action(worker.GetTodo, services.todos.get_todo),
    }

    def route(verb: Verb, action: _Action) -> Route:
        async def caller_of(request: Request, *, remembered: bool) -> Caller:
            look_up = services.callers.remembered if remembered else services.callers.endpoint
            caller = await endpoint_caller(request, look_up)
            require_verb(caller, verb)
            return caller

        async def endpoint(request: Request) -> Response:
            try:
                caller = await caller_of(request, remembered=action.checks_caller)
                remembered = action.checks_caller
            except SwitchboardError:
                caller, remembered = await caller_of(request, remembered=False), False
            body = await read_json(request, WORKER_BYTES, max_nesting=PAYLOAD_NESTING, empty_is={})
            ask = decode(action.shape, body)
            try:
                return json_answer(await while_connected(request, action.run(caller, ask)))
            except (StaleCaller, SwitchboardError) as error:
                # What the grant refuses, it may have come to allow; any other refusal is the database's.
                forbidden = isinstance(error, SwitchboardError) and error.code is ErrorCode.FORBIDDEN
                if not remembered or not (forbidden or isinstance(error, StaleCaller)):
                    raise
            caller = await caller_of(request, remembered=False)
            return json_answer(await while_connected(request, action.run(caller, ask)))

        return Route(f"/api/v1/worker/{verb.value}", endpoint, methods=["POST"], name=f"worker.{verb.value}")

    return [route(verb, action) for verb, action in actions.items()]
