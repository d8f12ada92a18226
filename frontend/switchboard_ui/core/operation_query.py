"""One operation, read for as long as it goes on."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.operations import Operation


def operation_query(operation_id: int) -> Query[Operation]:
    return Query(
        scope=f"operations/{operation_id}",
        request=Request("GET", f"/api/operations/{operation_id}"),
        decode=lambda response: decode_owning_read(Operation, response),
        floor=Floor.UNCACHED,
        cadence=2.0,
        may_be_gone=True,
        route="GET /api/operations/{id}",
    )
