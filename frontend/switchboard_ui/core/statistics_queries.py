"""What the page of the statistics reads."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.statistics import Kinds, Series, Statistics, Storage

MINUTES = 60


def statistics_query() -> Query[Statistics]:
    return Query(
        scope="stats",
        request=Request("GET", "/api/stats"),
        decode=lambda response: decode_owning_read(Statistics, response),
        floor=Floor.CACHED,
        cadence=5.0,
    )


def series_query() -> Query[Series]:
    """The last hour, minute by minute."""
    return Query(
        scope="stats/timeseries",
        request=Request("GET", f"/api/stats/timeseries?minutes={MINUTES}"),
        decode=lambda response: decode_owning_read(Series, response),
        floor=Floor.CACHED,
        cadence=15.0,
    )


def kinds_query() -> Query[Kinds]:
    return Query(
        scope="kinds",
        request=Request("GET", "/api/kinds"),
        decode=lambda response: decode_owning_read(Kinds, response),
        floor=Floor.CACHED,
        cadence=30.0,
    )


def storage_query() -> Query[Storage]:
    """For instance operators: anybody else is refused."""
    return Query(
        scope="storage",
        request=Request("GET", "/api/storage"),
        decode=lambda response: decode_owning_read(Storage, response),
        floor=Floor.CACHED,
        cadence=30.0,
    )
