"""Which database answers (D29), what it speaks, and its limits. Advisory: each answer is checked on its own."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.reads import Capabilities


def capabilities_query() -> Query[Capabilities]:
    return Query(
        scope="capabilities",
        request=Request("GET", "/api/capabilities"),
        decode=lambda response: decode_owning_read(Capabilities, response),
        floor=Floor.CACHED,
        cadence=30.0,
    )
