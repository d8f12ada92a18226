"""The operator API of policies: what GET, PUT and DELETE on /api/v1/admission carry (SPEC-0030 REQ-10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from .admission import QueueAdmission
from .errors import invalid
from .policy import MAX_CLAIMS_PER_WINDOW_BOUND, MAX_IN_FLIGHT_BOUND, Period, Policy, Weekday, Window
from .shape import Between, Length, decode


class AuditAction(StrEnum):
    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One change of a policy: who, when, before and after. `endpoint` is set when an agent made it.

    `before` and `after` are policies as they were stored, valid today or not: max_in_flight, max_claims_per_window,
    window; None: no policy.
    """

    at: datetime
    action: AuditAction
    human: str
    endpoint: str | None
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class PolicyView:
    """A manageable queue identity with its policy's audit fields and history, newest first."""

    admission: QueueAdmission
    created_by: str | None
    updated_by: str | None
    created_at: datetime | None
    updated_at: datetime | None
    audit: tuple[AuditRecord, ...]


@dataclass(frozen=True, slots=True)
class PolicyList:
    queues: tuple[QueueAdmission, ...]


@dataclass(frozen=True, slots=True)
class _WindowBody:
    period: Period
    tz: Annotated[str, Length(1, 200)]
    start: Annotated[str, Length(1, 20)]
    weekday: Weekday | None = None


@dataclass(frozen=True, slots=True)
class _PolicyBody:
    max_in_flight: Annotated[int | None, Between(0, MAX_IN_FLIGHT_BOUND)] = None
    max_claims_per_window: Annotated[int | None, Between(0, MAX_CLAIMS_PER_WINDOW_BOUND)] = None
    window: _WindowBody | None = None


def decode_policy(value: object) -> Policy:
    """A whole policy as far as its shape goes (D11); zone and start are judged by `core`, which knows the zones.

    Raises SwitchboardError(invalid_argument) that names the field.
    """
    body = decode(_PolicyBody, value)
    if body.max_in_flight is None and body.max_claims_per_window is None:
        raise invalid("max_in_flight", "Set at least one of max_in_flight and max_claims_per_window.")
    if body.max_claims_per_window is not None and body.window is None:
        raise invalid("window", "A limit per window needs a window.")
    if body.max_claims_per_window is None and body.window is not None:
        raise invalid("window", "A window needs max_claims_per_window.")
    window = body.window
    if window is None:
        return Policy(max_in_flight=body.max_in_flight)
    if window.period is Period.WEEK and window.weekday is None:
        raise invalid("window.weekday", "A weekly window needs a weekday, Mon to Sun.")
    if window.period is not Period.WEEK and window.weekday is not None:
        raise invalid("window.weekday", "Only a weekly window has a weekday.")
    return Policy(
        max_in_flight=body.max_in_flight,
        max_claims_per_window=body.max_claims_per_window,
        window=Window(window.period, window.tz, window.start, window.weekday),
    )
