"""One page of the operations, newest first."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.operations import OperationsPage


def operations_query(before_id: int | None) -> Query[OperationsPage]:
    """`before_id`: exclusive; None for the first page."""
    page = "" if before_id is None else f"?before_id={before_id}"
    return Query(
        scope="operations",
        request=Request("GET", f"/api/operations{page}"),
        decode=lambda response: decode_owning_read(OperationsPage, response),
        floor=Floor.UNCACHED,
        cadence=5.0,
    )
