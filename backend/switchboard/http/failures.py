"""Failures to answers: JSON under /api and for workers, a readable page elsewhere; nothing leaks but what we wrote."""

from __future__ import annotations

import html

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from switchboard.store.errors import DatabaseUnavailable, Deadlock, LockTimeout, StatementTimeout
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .answers import error_answer
from .disconnects import CallerGone

log = structlog.get_logger(__name__)

PROGRAMS = ("/api/", "/webhooks/")
CLIENT_CLOSED = 499  # never reaches the caller, who is gone; it is for the access log


class FailureBoundary:
    """The outermost answer to any exception. An answer that has begun is cut off instead."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except (CallerGone, ClientDisconnect):
            if not started:
                await Response(status_code=CLIENT_CLOSED)(scope, receive, send)
        except Exception as error:
            refusal = _refusal(error, scope["path"])
            if started:
                raise
            await failure_answer(Request(scope), refusal)(scope, receive, send)


def _refusal(error: Exception, path: str) -> SwitchboardError:
    match error:
        case SwitchboardError():
            return error
        case DatabaseUnavailable() | LockTimeout() | StatementTimeout():
            log.warning("database_unavailable", path=path, error=str(error))
            return SwitchboardError(
                ErrorCode.UNAVAILABLE, "The database does not answer now; try again soon.", retry_after=2
            )
        case Deadlock():
            log.warning("deadlock", path=path)
            return SwitchboardError(
                ErrorCode.UNAVAILABLE,
                "This change and another waited for each other; nothing was changed. Try again.",
                retry_after=1,
            )
        case _:
            log.error("internal_error", path=path, exc_info=error)
            return SwitchboardError(ErrorCode.INTERNAL, "Something went wrong in the server; its log has the details.")


def http_exception(request: Request, error: Exception) -> Response:
    """Starlette's own 404 and 405."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        answer = failure_answer(
            request,
            SwitchboardError(ErrorCode.METHOD_NOT_ALLOWED, f"{request.method} is not possible here."),
        )
        answer.headers.update(error.headers or {})
        return answer
    if error.status_code == 404:
        return failure_answer(request, SwitchboardError(ErrorCode.NOT_FOUND, "There is nothing at this address."))
    raise error


def failure_answer(request: Request, error: SwitchboardError) -> Response:
    """JSON for programs, a page for people, by the path and not by what the caller claims to accept."""
    path = request.url.path
    if path == "/api" or path.startswith(PROGRAMS):
        return error_answer(error)
    headers = {"cache-control": "no-store"}
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    title = "Page not found" if error.code is ErrorCode.NOT_FOUND else "This did not work"
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title} - Switchboard</title>"
        '<link rel="stylesheet" href="/static/switchboard.css">'
        '<link rel="icon" href="/static/icon.svg" type="image/svg+xml"></head>'
        f'<body><main class="page"><h1>{title}</h1><p>{html.escape(error.message)}</p>'
        '<p><a href="/board">Go to the board</a></p></main></body></html>',
        error.status,
        headers,
    )
