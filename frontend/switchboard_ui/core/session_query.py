"""Who is signed in here, and what a mutation from this tab must carry."""

from __future__ import annotations

from switchboard_ui.core.decoding import decode_owning_read
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.ports import Request
from switchboard_wire.session import Session


def session_query() -> Query[Session]:
    """Renewed by the watchdog alone: a session that ends shows in the answer of any read."""
    return Query(
        scope="session",
        request=Request("GET", "/api/session"),
        decode=lambda response: decode_owning_read(Session, response),
        floor=Floor.CACHED,
        cadence=None,
    )
