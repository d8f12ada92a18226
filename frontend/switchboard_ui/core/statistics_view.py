"""What PostgreSQL knows of the work and of itself, in words; what it does not know is said, never 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard_ui.core.chart import Chart, Column, heights
from switchboard_ui.core.duration_words import duration_text
from switchboard_ui.core.zoned_time import ZonedTime, abbreviation, to_the_second, viewer_zone
from switchboard_wire.statistics import MOST_KINDS, Kinds, Minute, Series, Statistics, Storage, TableStorage

UNKNOWN = "unknown"
NOT_KEPT = "unknown: attempts of that time are not all kept any more"


@dataclass(frozen=True, slots=True)
class StatisticsView:
    """Named figures. `oldest` None: nothing waits."""

    states: tuple[tuple[str, str], ...]
    oldest: ZonedTime | None
    last_hour: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class KindsView:
    """`more`: a sentence when not all are listed."""

    kinds: tuple[tuple[str, str], ...]
    more: str | None


@dataclass(frozen=True, slots=True)
class TableRow:
    """Sizes in MiB; `vacuumed` and `analyzed` None: never."""

    table: str
    rows: str
    total: str
    indexes: str
    dead: str
    vacuumed: ZonedTime | None
    analyzed: ZonedTime | None


@dataclass(frozen=True, slots=True)
class StorageView:
    server: tuple[tuple[str, str], ...]
    tables: tuple[TableRow, ...]


def statistics_view(statistics: Statistics, viewer: str, now: datetime) -> StatisticsView:
    """`viewer` is an IANA zone name; `now` is aware."""
    oldest, hour = statistics.oldest_waiting_at, statistics.last_hour
    return StatisticsView(
        states=tuple(
            (one.state.value, f"{one.count:,}{' or more' if one.capped else ''}") for one in statistics.states
        ),
        oldest=None if oldest is None else to_the_second(oldest, viewer_zone(viewer), now),
        last_hour=tuple(
            (name, NOT_KEPT if count is None else f"{count:,}")
            for name, count in (
                ("Claimed", hour.claimed),
                ("Completed", hour.completed),
                ("Failed", hour.failed),
                ("Lapsed", hour.lapsed),
            )
        ),
    )


def kinds_view(kinds: Kinds) -> KindsView:
    more = f"Only the first {MOST_KINDS:,} are listed." if kinds.truncated else None
    return KindsView(tuple((one.kind, f"{one.count:,}") for one in kinds.kinds), more)


def storage_view(storage: Storage, viewer: str, now: datetime) -> StorageView:
    """`viewer` is an IANA zone name; `now` is aware."""
    zone, snapshot = viewer_zone(viewer), storage.oldest_snapshot_ms
    return StorageView(
        (
            ("PostgreSQL", storage.server_version),
            ("Database", _mebibytes(storage.database_bytes)),
            ("Connections", f"{storage.connections:,} of {storage.max_connections:,}"),
            ("Oldest snapshot", "none is held" if snapshot is None else duration_text(snapshot)),
        ),
        tuple(_table(table, zone, now) for table in storage.tables),
    )


def series_charts(series: Series, viewer: str) -> tuple[Chart, ...]:
    """Throughput and waiting over the time of the series. Columns are minutes, on the viewer's clock."""
    zone, minutes = viewer_zone(viewer), series.minutes
    counts = (
        ("Claimed a minute", lambda minute: minute.claimed),
        ("Completed a minute", lambda minute: minute.completed),
        ("Failed a minute", lambda minute: minute.failed),
    )
    waits = (
        ("Waiting, median", lambda minute: minute.waited_p50_ms),
        ("Waiting, 95 of 100", lambda minute: minute.waited_p95_ms),
    )
    return (
        *(_chart(heading, minutes, value, _count, _counted, zone) for heading, value in counts),
        *(_chart(heading, minutes, value, duration_text, _waited, zone) for heading, value in waits),
    )


def _chart(
    heading: str,
    minutes: Sequence[Minute],
    value_of: Callable[[Minute], int | None],
    words: Callable[[int], str],
    unknown_of: Callable[[Minute], str],
    zone: ZoneInfo,
) -> Chart:
    values = [value_of(minute) for minute in minutes]
    known = [value for value in values if value is not None]
    ceiling = max(known, default=0)
    tall = heights([None if value is None else float(value) for value in values], ceiling)
    columns = tuple(
        Column(
            _minute(minute, zone),
            unknown_of(minute) if value is None else words(value),
            height,
            unfinished=minute is minutes[-1],
        )
        for minute, value, height in zip(minutes, values, tall, strict=True)
    )
    return Chart(heading, _summary(minutes, values, words, zone), columns, words(ceiling) if known else "not known")


def _summary(
    minutes: Sequence[Minute], values: Sequence[int | None], words: Callable[[int], str], zone: ZoneInfo
) -> str:
    known = [(value, minute) for value, minute in zip(values, minutes, strict=True) if value is not None]
    if not known:
        return "Nothing is known of this time."
    most, when = max(known, key=lambda pair: pair[0])
    missing = len(values) - len(known)
    gaps = "" if not missing else f" {missing} of {len(values)} minutes have no figure."
    latest = values[-1]
    now = "" if latest is None else f" This minute so far: {words(latest)}."
    return f"Most: {words(most)}, at {_minute(when, zone)}.{now}{gaps}"


def _minute(minute: Minute, zone: ZoneInfo) -> str:
    return f"{minute.started_at.astimezone(zone):%H:%M} {abbreviation(minute.started_at, zone)}"


def _count(value: int) -> str:
    return f"{value:,}"


def _counted(_: Minute) -> str:
    return UNKNOWN


def _waited(minute: Minute) -> str:
    return "nothing was claimed" if minute.claimed == 0 else UNKNOWN


def _mebibytes(count: int) -> str:
    return f"{count / 2**20:,.1f} MiB"


def _table(table: TableStorage, zone: ZoneInfo, now: datetime) -> TableRow:
    return TableRow(
        table.table,
        "never analyzed" if table.rows_estimated is None else f"about {table.rows_estimated:,}",
        _mebibytes(table.total_bytes),
        _mebibytes(table.index_bytes),
        UNKNOWN if table.dead_rows is None else f"{table.dead_rows:,}",
        None if table.last_vacuum_at is None else to_the_second(table.last_vacuum_at, zone, now),
        None if table.last_analyze_at is None else to_the_second(table.last_analyze_at, zone, now),
    )
