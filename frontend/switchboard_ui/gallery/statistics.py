"""Charts and figures: known, unknown, unfinished, limited."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from switchboard_ui.components.chart import chart
from switchboard_ui.components.statistics import kinds_table, storage_figures, work_figures
from switchboard_ui.core.chart import Chart, Column
from switchboard_ui.core.statistics_view import kinds_view, series_charts, statistics_view, storage_view
from switchboard_ui.gallery.still import NOW, VIEWER
from switchboard_wire.statistics import (
    KindCount,
    Kinds,
    Minute,
    Series,
    StateCount,
    Statistics,
    Storage,
    TableStorage,
    Throughput,
)
from switchboard_wire.todo import TodoState

LIMITED = Chart(
    "Claims per window",
    "12 of 30 in this window so far. 2 earlier windows with claims: 28 to 30.",
    (Column("Sun 29 Nov 00:00", "28", 28 / 30), Column("00:00", "12 of 30", 12 / 30, unfinished=True)),
    "30",
    (1.0, "limit 30"),
)
KNOWN = Statistics(
    (StateCount(TodoState.PENDING, 10_000, True), StateCount(TodoState.DONE, 12, False)),
    10_000,
    NOW - timedelta(hours=3),
    Throughput(1200, 1180, 15, None),
)
STORAGE = Storage(
    "18.0",
    123_456_789,
    12,
    100,
    None,
    (
        TableStorage("todos", 1_204, 81_920, 16_384, 3, NOW, None),
        TableStorage("attempts", None, 0, 0, None, None, None),
    ),
)


def states() -> dict[str, Any]:
    throughput, _, _, waiting, _ = series_charts(Series(tuple(_minutes())), VIEWER)
    unknown = series_charts(Series(tuple(_minutes(known=False))), VIEWER)[0]
    return {
        "a-limit": chart("limited", LIMITED),
        "throughput-with-a-gap": chart("throughput", throughput),
        "waiting": chart("waiting", waiting),
        "nothing-known": chart("unknown", unknown),
        "figures": work_figures(statistics_view(KNOWN, VIEWER, NOW)),
        "kinds": kinds_table(kinds_view(Kinds((KindCount("investigation", 7),), truncated=True))),
        "storage": storage_figures(storage_view(STORAGE, VIEWER, NOW)),
    }


def _minutes(*, known: bool = True) -> list[Minute]:
    return [
        Minute(NOW + timedelta(minutes=number), number, number, 0, 40 * number or None, 90 * number or None)
        if known and number != 3
        else Minute(NOW + timedelta(minutes=number), None, None, None, None, None)
        for number in range(12)
    ]
