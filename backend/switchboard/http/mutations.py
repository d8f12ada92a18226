"""What guards an operator's mutations: who it is, and that a browser really meant it."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.core.identity import Human
from switchboard.service.callers import Callers
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid
from switchboard_wire.job_filter import MAX_ID
from switchboard_wire.shape import decode

from .answers import json_answer
from .authentication import browser_session, operator_human
from .bodies import STRICT_READ_BYTES, read_json
from .disconnects import while_connected
from .origins import guard_origin

CSRF_HEADER = "x-csrf-token"


class Mutations:
    """Builds the routes of operators' mutations, each behind the same guard."""

    def __init__(self, callers: Callers, public_origins: Sequence[str]) -> None:
        self._callers = callers
        self._public_origins = public_origins

    async def human(self, request: Request) -> Human:
        """By an operator's bearer, or by a browser session with its CSRF token in X-CSRF-Token from a page of ours.

        Raises unauthenticated or forbidden.
        """
        guard_origin(request, self._public_origins)
        if "authorization" in request.headers:
            return await operator_human(request, self._callers)
        session = await browser_session(request, self._callers)
        if session is None:
            raise SwitchboardError(ErrorCode.UNAUTHENTICATED, "Sign in, or send an operator token as a bearer.")
        sent = request.headers.get(CSRF_HEADER, "")
        if not hmac.compare_digest(sent.encode(), session.csrf_token.encode()):
            raise SwitchboardError(
                ErrorCode.FORBIDDEN, "Send the session's CSRF token in X-CSRF-Token.", field="X-CSRF-Token"
            )
        return session.human

    def route(
        self,
        method: str,
        path: str,
        name: str,
        act: Callable[..., Coroutine[Any, Any, object]],
        shape: type[Any] | None = None,
    ) -> Route:
        """`act(human, *path parameters in order, ask)`; without a `shape` the body must be empty or {}, and there is no
        `ask`. Path parameters are `{name:int}` ids."""

        async def endpoint(request: Request) -> Response:
            human = await self.human(request)
            ids = [min(value, MAX_ID) for value in request.path_params.values()]  # nothing has the largest id
            body = await read_json(request, STRICT_READ_BYTES, empty_is={})
            if shape is not None:
                return json_answer(await while_connected(request, act(human, *ids, decode(shape, body))))
            if body != {}:
                raise invalid("", "This takes no fields.")
            return json_answer(await while_connected(request, act(human, *ids)))

        return Route(path, endpoint, methods=[method], name=name)
