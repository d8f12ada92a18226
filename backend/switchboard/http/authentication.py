"""Who calls, from the request: an endpoint's bearer, an operator's bearer, or a browser session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request

from switchboard.core.identity import Caller, Human
from switchboard.service.callers import Callers
from switchboard_wire.errors import ErrorCode, SwitchboardError

SESSION_COOKIE = "switchboard_session"


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A signed-in browser. Every form of its human carries `csrf_token`."""

    human: Human
    csrf_token: str
    token: str


async def endpoint_caller(request: Request, look_up: Callable[[str], Awaitable[Caller | None]]) -> Caller:
    """Raises unauthenticated."""
    bearer = _bearer(request)
    caller = await look_up(bearer) if bearer else None
    if caller is None:
        raise SwitchboardError(
            ErrorCode.UNAUTHENTICATED, "Send an endpoint's credential: Authorization: Bearer sbk_..."
        )
    return caller


async def operator_human(request: Request, callers: Callers) -> Human:
    """The operator API takes bearers only, never cookies. Raises unauthenticated."""
    bearer = _bearer(request)
    human = await callers.human_by_operator_token(bearer) if bearer else None
    if human is None:
        raise SwitchboardError(ErrorCode.UNAUTHENTICATED, "Send an operator token: Authorization: Bearer sbo_...")
    return human


async def browser_session(request: Request, callers: Callers) -> BrowserSession | None:
    token = request.cookies.get(SESSION_COOKIE)
    found = await callers.human_by_session(token) if token else None
    return None if found is None or token is None else BrowserSession(found[0], found[1], token)


async def reading_human(request: Request, callers: Callers) -> Human:
    """For reads: an operator's bearer when one is sent, else the browser session. Raises unauthenticated."""
    if "authorization" in request.headers:
        return await operator_human(request, callers)
    session = await browser_session(request, callers)
    if session is None:
        raise SwitchboardError(ErrorCode.UNAUTHENTICATED, "Sign in, or send an operator token as a bearer.")
    return session.human


def _bearer(request: Request) -> str | None:
    scheme, _, credential = request.headers.get("authorization", "").partition(" ")
    return credential.strip() if scheme.lower() == "bearer" and credential else None
