"""What PostgreSQL really knows of the work and of itself; what it does not know is null, never 0."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from .shape import Between
from .todo import TodoState

STATE_CAP = 10_000
MOST_KINDS = 1_000
MOST_MINUTES = 1_440


@dataclass(frozen=True, slots=True)
class StateCount:
    """Exact, or at least so many when `capped`."""

    state: TodoState
    count: int
    capped: bool


@dataclass(frozen=True, slots=True)
class Throughput:
    """Attempts of the last hour, but for those of todos purged since. None: they are not all kept any more."""

    claimed: int | None
    completed: int | None
    failed: int | None
    lapsed: int | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """GET /api/stats, of the queues that the viewer may see. `oldest_waiting_at` None: nothing waits."""

    states: tuple[StateCount, ...]
    cap: int
    oldest_waiting_at: datetime | None
    last_hour: Throughput


@dataclass(frozen=True, slots=True)
class SeriesParameters:
    """GET /api/stats/timeseries."""

    minutes: Annotated[int, Between(1, MOST_MINUTES)] = 60


@dataclass(frozen=True, slots=True)
class Minute:
    """Attempts that began (`claimed`) or ended in the minute from `started_at`; waiting from creation to claim, in
    milliseconds. None: not known, since attempts of that time are not all kept; or nothing was claimed to wait."""

    started_at: datetime
    claimed: int | None
    completed: int | None
    failed: int | None
    waited_p50_ms: int | None
    waited_p95_ms: int | None


@dataclass(frozen=True, slots=True)
class Series:
    """Oldest first; the last minute is still running."""

    minutes: tuple[Minute, ...]


@dataclass(frozen=True, slots=True)
class KindCount:
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Kinds:
    """GET /api/kinds, by name. `truncated`: there are more kinds than are listed."""

    kinds: tuple[KindCount, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class TableStorage:
    """`rows_estimated` None: never analyzed."""

    table: str
    rows_estimated: int | None
    total_bytes: int
    index_bytes: int
    dead_rows: int | None
    last_vacuum_at: datetime | None
    last_analyze_at: datetime | None


@dataclass(frozen=True, slots=True)
class Storage:
    """GET /api/storage, for instance operators. `oldest_snapshot_ms` None: no other snapshot is held."""

    server_version: str
    database_bytes: int
    connections: int
    max_connections: int
    oldest_snapshot_ms: int | None
    tables: tuple[TableStorage, ...]
