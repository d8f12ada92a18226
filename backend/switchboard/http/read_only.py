"""Read-only mode: whatever is not known to be a read is refused before it reaches a route."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from switchboard_wire.errors import ErrorCode, SwitchboardError

# Reads that come as POST, for their filters are bodies; previews among them.
READS_BY_POST = frozenset(
    {
        "/api/v1/jobs/query",
        "/api/v1/jobs/count",
        "/api/v1/dlq/query",
        "/api/operations/preview",
        "/api/v1/worker/list_todos",
        "/api/v1/worker/get_todo",
        "/api/v1/worker/admission_status",
    }
)


class ReadOnly:
    """Raises read_only. A mutation that is added later is refused without being listed anywhere."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD") and scope["path"] not in READS_BY_POST:
            raise SwitchboardError(ErrorCode.READ_ONLY, "This server is read-only; nothing was changed.")
        await self._app(scope, receive, send)
