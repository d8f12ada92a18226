"""Who asks, as GET /api/session tells it."""

from __future__ import annotations

from dataclasses import dataclass

READER_HEADER = "Observed-For"
"""On every read: the id of the human it was answered for. A tab that sees another one forgets what it showed."""


@dataclass(frozen=True, slots=True)
class SessionHuman:
    """`operator`: an instance operator, who reads everything (D6)."""

    id: int
    name: str
    operator: bool


@dataclass(frozen=True, slots=True)
class Session:
    """`csrf_token` goes into X-CSRF-Token of each mutation from a page; None for a bearer, who needs none."""

    human: SessionHuman
    csrf_token: str | None
