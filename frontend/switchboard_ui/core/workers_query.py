"""What the page of the workers reads."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.workers import Workers


def workers_query() -> Query[Workers]:
    return Query(
        scope="workers",
        request=Request("GET", "/api/workers"),
        decode=lambda response: decode_owning_read(Workers, response),
        floor=Floor.CACHED,
        cadence=5.0,
    )
