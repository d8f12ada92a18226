"""Form posts, bounded like every other body."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid

from .bodies import FORM_BYTES, read_body

MAX_FIELDS = 50


async def read_form(request: Request) -> dict[str, str]:
    """The fields by name. Raises payload_too_large, unsupported_media_type or invalid_argument."""
    body = await read_body(request, FORM_BYTES)
    mime = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if mime != "application/x-www-form-urlencoded":
        raise SwitchboardError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "This address takes form posts only.")
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError as error:
        raise invalid("", "The form is not readable.") from error
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise invalid("", "A field of the form is given twice.")
    return fields
