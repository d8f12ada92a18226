"""Workers in words: who is there, as far as evidence shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.row_store import RowId
from switchboard_ui.core.zoned_time import ZonedTime, to_the_second, viewer_zone
from switchboard_wire.workers import MOST_WORKERS, Workers, WorkerState, WorkerView

STATE_WORDS = {WorkerState.LIVE: "live", WorkerState.SILENT: "silent"}


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """`state` is the word, `kind` the machine's; `lease` None: it holds none."""

    name: str
    endpoint: str
    kind: str
    state: str
    seen: ZonedTime
    in_flight: str
    lease: ZonedTime | None


@dataclass(frozen=True, slots=True)
class WorkersSummary:
    """`more`: a sentence when not all are listed."""

    live: int
    silent: int
    more: str | None

    @property
    def text(self) -> str:
        return f"{self.live:,} live, {self.silent:,} silent"


def worker_rows(workers: Workers, viewer: str, now: datetime) -> dict[RowId, WorkerRow]:
    """By endpoint and name. `viewer` is an IANA zone name; `now` is aware."""
    zone = viewer_zone(viewer)
    return {f"{worker.endpoint}/{worker.name}": _row(worker, zone, now) for worker in workers.workers}


def workers_summary(workers: Workers) -> WorkersSummary:
    live = sum(worker.state is WorkerState.LIVE for worker in workers.workers)
    more = f"Only the first {MOST_WORKERS:,} are listed." if workers.truncated else None
    return WorkersSummary(live, len(workers.workers) - live, more)


def _row(worker: WorkerView, zone: ZoneInfo, now: datetime) -> WorkerRow:
    return WorkerRow(
        name=worker.name,
        endpoint=worker.endpoint,
        kind=worker.state.value,
        state=STATE_WORDS[worker.state],
        seen=to_the_second(worker.last_seen_at, zone, now),
        in_flight=f"{worker.in_flight:,}",
        lease=None if worker.lease_expires_at is None else to_the_second(worker.lease_expires_at, zone, now),
    )
