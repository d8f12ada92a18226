"""Workers as far as evidence shows: GET /api/workers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MOST_WORKERS = 1_000


class WorkerState(StrEnum):
    """`live`: it holds a lease that runs, or was seen within the last minute. Nobody knows more of a silent one."""

    LIVE = "live"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker as its claims name it. `in_flight` counts claims, lapsed ones too; `lease_expires_at` is the last of
    their leases, None where it holds none."""

    endpoint: str
    name: str
    state: WorkerState
    last_seen_at: datetime
    in_flight: int
    lease_expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Workers:
    """By endpoint and name. `truncated`: there are more than are listed."""

    workers: tuple[WorkerView, ...]
    truncated: bool
