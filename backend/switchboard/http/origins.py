"""The Origin guard of reads: no outer CORS layer can undo it, and no forwarded host is believed (reads.md)."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request

from switchboard_wire.errors import ErrorCode, SwitchboardError


def guard_origin(request: Request, public_origins: Sequence[str]) -> None:
    """A present Origin must be one of the configured ones; "null" never is. Raises forbidden."""
    origins = request.headers.getlist("origin")
    if origins and (len(origins) > 1 or origins[0] not in public_origins):
        raise SwitchboardError(ErrorCode.FORBIDDEN, "This origin may not read here.", field="Origin")
