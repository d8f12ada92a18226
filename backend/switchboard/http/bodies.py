"""Bodies, bounded while they arrive: a limit that is checked afterwards has already been exceeded."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from switchboard_wire.decoder import MAX_NESTING, decode_json
from switchboard_wire.errors import ErrorCode, SwitchboardError

STRICT_READ_BYTES = 64 * 1024
POLICY_BYTES = 16 * 1024
WORKER_BYTES = 1024 * 1024
FORM_BYTES = 16 * 1024
PAYLOAD_NESTING = 64


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body. Raises payload_too_large as soon as the limit is passed, before more is read."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    received = bytearray()
    async for chunk in request.stream():
        if len(received) + len(chunk) > limit:
            raise _too_large(limit)
        received += chunk
    return bytes(received)


async def read_json(request: Request, limit: int, *, max_nesting: int = MAX_NESTING, empty_is: Any = None) -> Any:
    """The body as a plain value. An empty body is `empty_is` when that is given.

    Raises payload_too_large, unsupported_media_type or invalid_argument.
    """
    body = await read_body(request, limit)
    if not body and empty_is is not None:
        return empty_is
    mime = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if mime != "application/json":
        raise SwitchboardError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send JSON, with the header Content-Type: application/json."
        )
    return decode_json(body, max_nesting=max_nesting)


def _too_large(limit: int) -> SwitchboardError:
    return SwitchboardError(
        ErrorCode.PAYLOAD_TOO_LARGE, f"The body is larger than {limit} bytes.", details={"limit": limit}
    )
