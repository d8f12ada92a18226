"""The closed vocabulary of refusals and the one JSON shape they travel in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class ErrorCode(StrEnum):
    INVALID_ARGUMENT = "invalid_argument"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    READ_ONLY = "read_only"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    DEFERRED = "deferred"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    RATE_LIMITED = "rate_limited"
    INTERNAL = "internal"
    UNAVAILABLE = "unavailable"
    READ_DEADLINE_EXCEEDED = "read_deadline_exceeded"
    READ_STATEMENT_TIMEOUT = "read_statement_timeout"
    READ_LOCK_TIMEOUT = "read_lock_timeout"


HTTP_STATUS: Mapping[ErrorCode, int] = {
    ErrorCode.INVALID_ARGUMENT: 400,
    ErrorCode.UNAUTHENTICATED: 401,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.READ_ONLY: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.CONFLICT: 409,
    ErrorCode.DEFERRED: 409,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.INTERNAL: 500,
    ErrorCode.UNAVAILABLE: 503,
    ErrorCode.READ_DEADLINE_EXCEEDED: 503,
    ErrorCode.READ_STATEMENT_TIMEOUT: 503,
    ErrorCode.READ_LOCK_TIMEOUT: 503,
}


class SwitchboardError(Exception):
    """A refusal that the caller may read.

    `field` is the path of the offending input ("window.tz", "filter.ids[3]"); `details` are further members of
    the error object, JSON-able (for `deferred`: queue, reason, next_eligible_at, exact). `retry_after` is in
    whole seconds.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        field: str | None = None,
        details: Mapping[str, object] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.details = dict(details or {})
        self.retry_after = retry_after

    @property
    def status(self) -> int:
        return HTTP_STATUS[self.code]

    def body(self) -> dict[str, object]:
        """`{"error": {"code", "message", "field"?, ...details}}`."""
        error: dict[str, object] = {"code": self.code.value, "message": self.message}
        if self.field is not None:
            error["field"] = self.field
        return {"error": error | self.details}


def invalid(field: str, message: str) -> SwitchboardError:
    """An `invalid_argument` that names its field; "" stands for the whole body."""
    return SwitchboardError(ErrorCode.INVALID_ARGUMENT, message, field=field or "body")
