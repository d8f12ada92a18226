"""The work in figures, and the storage that holds it."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.data_table import Column, cell, data_table, number
from switchboard_ui.components.facts import facts
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.places import PageName, Place
from switchboard_ui.core.statistics_view import KindsView, StatisticsView, StorageView
from switchboard_ui.core.zoned_time import ZonedTime

_TABLE = (
    Column("Table"),
    Column("Rows", numeric=True),
    Column("Size", numeric=True),
    Column("Indexes", numeric=True),
    Column("Dead rows", numeric=True),
    Column("Last vacuum"),
    Column("Last analyze"),
)


def work_figures(view: StatisticsView) -> Any:
    states = [(state, page_link(_listed("state", state), count)) for state, count in view.states]
    oldest = "nothing waits" if view.oldest is None else zoned(view.oldest)
    return html.div(
        html.h2({"id": "states"}, "Todos by state"),
        facts([*states, ("Oldest waiting since", oldest)]),
        html.h2({"id": "last-hour"}, "Attempts of the last hour"),
        facts(view.last_hour),
    )


def kinds_table(view: KindsView) -> Any:
    rows = [
        html.tr(
            {"key": kind},
            html.th({"scope": "row"}, page_link(_listed("kind", kind), kind)),
            number(count),
        )
        for kind, count in view.kinds
    ]
    columns = (Column("Kind"), Column("Todos", numeric=True))
    return html.div(
        data_table("kinds", "Todos by kind", columns, rows, empty="There are no todos of any kind."),
        "" if view.more is None else html.p({"class": "quiet"}, view.more),
    )


def storage_figures(view: StorageView) -> Any:
    rows = [
        html.tr(
            {"key": row.table},
            html.th({"scope": "row"}, row.table),
            number(row.rows),
            number(row.total),
            number(row.indexes),
            number(row.dead),
            cell(*_when(row.vacuumed)),
            cell(*_when(row.analyzed)),
        )
        for row in view.tables
    ]
    return html.div(
        html.h2({"id": "storage"}, "Storage"),
        facts(view.server),
        data_table("tables", "Tables, rows as PostgreSQL estimates them", _TABLE, rows),
    )


def _when(time: ZonedTime | None) -> list[Any]:
    return ["never"] if time is None else [zoned(time)]


def _listed(name: str, value: str) -> str:
    return Place(PageName.JOBS, parameters=((name, value),)).address
