"""How a read can end: decoded data, or one of a closed list of failures with one consequence each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum, auto
from typing import Any, Generic, TypeVar

from switchboard_ui.core.retry_after import retry_after_seconds
from switchboard_ui.ports import Response

T = TypeVar("T")
_LONGEST_TEXT = 500
_OLDEST_MS = 1000 * 86400 * 366 * 100


@dataclass(frozen=True, slots=True)
class Decoded(Generic[T]):
    """A validated answer. Both instants are the server's; `cache_age_ms` is its age in the cache when served."""

    data: T
    observed_at: datetime
    served_at: datetime
    cache_age_ms: int

    def __post_init__(self) -> None:
        if not 0 <= self.cache_age_ms <= _OLDEST_MS:
            raise ProtocolError("cache_age_ms is negative or absurd")


class Consequence(Enum):
    """What a failure does to the key, and to others of the backend."""

    RETRY = auto()
    """Demand stays; next attempt after backoff and any Retry-After."""
    REPROBE_ROUTE = auto()
    """The route is absent: no key asks for it before the reprobe time, unless told to."""
    REPROBE_KEY = auto()
    """The same for this key alone."""
    STOP = auto()
    """No further attempt until the operator asks."""
    SIGN_OUT = auto()
    """No read at all until the credentials change or the operator asks."""


class FailureKind(StrEnum):
    """The closed vocabulary of failures; the value is what a view words."""

    NETWORK = "network"
    DEADLINE = "deadline"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    REDIRECTED = "redirected"
    NOT_JSON = "not_json"
    ROUTE_ABSENT = "route_absent"
    WRONG_VERSION = "wrong_version"
    MALFORMED = "malformed"
    GONE = "gone"
    INVALID = "invalid"
    FORBIDDEN = "forbidden"
    SIGNED_OUT = "signed_out"

    @property
    def consequence(self) -> Consequence:
        return _CONSEQUENCES[self]

    @property
    def unsupported(self) -> bool:
        """The answer is not of the protocol, whatever it is."""
        return self in _UNSUPPORTED


_CONSEQUENCES = {
    FailureKind.NETWORK: Consequence.RETRY,
    FailureKind.DEADLINE: Consequence.RETRY,
    FailureKind.OVERLOADED: Consequence.RETRY,
    FailureKind.SERVER_ERROR: Consequence.RETRY,
    FailureKind.REDIRECTED: Consequence.REPROBE_ROUTE,
    FailureKind.NOT_JSON: Consequence.REPROBE_ROUTE,
    FailureKind.ROUTE_ABSENT: Consequence.REPROBE_ROUTE,
    FailureKind.WRONG_VERSION: Consequence.REPROBE_ROUTE,
    # One bad row (an id above 2^53-1, say) speaks about this answer, not about the route.
    FailureKind.MALFORMED: Consequence.REPROBE_KEY,
    FailureKind.GONE: Consequence.REPROBE_KEY,
    FailureKind.INVALID: Consequence.STOP,
    FailureKind.FORBIDDEN: Consequence.STOP,
    FailureKind.SIGNED_OUT: Consequence.SIGN_OUT,
}
_UNSUPPORTED = frozenset(
    {
        FailureKind.REDIRECTED,
        FailureKind.NOT_JSON,
        FailureKind.ROUTE_ABSENT,
        FailureKind.WRONG_VERSION,
        FailureKind.MALFORMED,
    }
)
_BY_STATUS = {
    401: FailureKind.SIGNED_OUT,
    403: FailureKind.FORBIDDEN,
    404: FailureKind.ROUTE_ABSENT,
    405: FailureKind.ROUTE_ABSENT,
    408: FailureKind.NETWORK,
    429: FailureKind.OVERLOADED,
    501: FailureKind.ROUTE_ABSENT,
    503: FailureKind.OVERLOADED,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed read. `code`, `message` and `field` are the server's own words where it gave any.

    `retry_after` is in seconds, as the server said it. Raises ValueError when it is negative or not finite.
    """

    kind: FailureKind
    code: str
    message: str = ""
    field: str | None = None
    retry_after: float | None = None

    def __post_init__(self) -> None:
        if self.retry_after is not None and not (math.isfinite(self.retry_after) and self.retry_after >= 0):
            raise ValueError(f"retry_after must be finite and not negative, not {self.retry_after!r}")


class ProtocolError(Exception):
    """An answer that is not what the protocol promises; `wrong_version` when its version says so itself."""

    def __init__(self, message: str, *, wrong_version: bool = False) -> None:
        super().__init__(message)
        self.wrong_version = wrong_version


def classify(response: Response, decode: Callable[[Response], T], *, may_be_gone: bool = False) -> T | Failure:
    """What a whole answer means. Only a JSON answer with status 200 that `decode` accepts is a success.

    `may_be_gone`: a structured 404 with the code "not_found" means a missing row, not a missing route.
    """
    if response.redirected:
        return Failure(FailureKind.REDIRECTED, "redirected")
    if 200 <= response.status < 300:
        return _success(response, decode)
    code, message, field = _structured_error(response)
    kind = _kind_of_status(response.status)
    if kind is FailureKind.ROUTE_ABSENT and may_be_gone and response.status == 404 and code == "not_found":
        kind = FailureKind.GONE
    wait = retry_after_seconds(response.headers) if kind is FailureKind.OVERLOADED else None
    return Failure(kind, code or f"http_{response.status}", message, field, wait)


def network_failure(code: str = "no_answer") -> Failure:
    """No whole answer arrived."""
    return Failure(FailureKind.NETWORK, code)


def deadline_failure() -> Failure:
    """The client deadline passed before the answer was decoded and validated."""
    return Failure(FailureKind.DEADLINE, "client_deadline_exceeded")


def _success(response: Response, decode: Callable[[Response], T]) -> T | Failure:
    if response.status != 200:
        # 204 or 206 hold no whole payload.
        return Failure(FailureKind.MALFORMED, f"http_{response.status}")
    if not _is_json(response):
        return Failure(FailureKind.NOT_JSON, "not_json")
    try:
        return decode(response)
    except ProtocolError as error:
        kind = FailureKind.WRONG_VERSION if error.wrong_version else FailureKind.MALFORMED
        return Failure(kind, kind.value, str(error)[:_LONGEST_TEXT])
    except Exception as error:
        # A decoder that trips over an answer must cost this key one answer, never the scheduler.
        return Failure(FailureKind.MALFORMED, "malformed", type(error).__name__)


def _kind_of_status(status: int) -> FailureKind:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 400 <= status < 500:
        return FailureKind.INVALID
    if 500 <= status < 600:
        return FailureKind.SERVER_ERROR
    # 0 (opaque), 1xx and 3xx: nothing that a read can have been answered with.
    return FailureKind.NETWORK if status == 0 else FailureKind.MALFORMED


def _is_json(response: Response) -> bool:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _structured_error(response: Response) -> tuple[str, str, str | None]:
    """(code, message, field) of the error body, empty when it has none."""
    if not _is_json(response):
        return "", "", None
    try:
        body: Any = json.loads(response.text)
    except (ValueError, RecursionError):
        return "", "", None
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return "", "", None
    field = error.get("field")
    return _text(error.get("code")), _text(error.get("message")), _text(field) if isinstance(field, str) else None


def _text(value: object) -> str:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else ""
