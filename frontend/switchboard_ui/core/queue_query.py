"""What the page of one queue reads."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.queue_detail import QueueDetail


def queue_query(queue_id: int) -> Query[QueueDetail]:
    return Query(
        scope=f"queues/{queue_id}",
        request=Request("GET", f"/api/queues/{queue_id}"),
        decode=lambda response: decode_owning_read(QueueDetail, response),
        floor=Floor.UNCACHED,
        cadence=5.0,
        may_be_gone=True,
        route="GET /api/queues/{id}",
    )
