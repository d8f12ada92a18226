"""What the page of the dead letters reads."""

from __future__ import annotations

from typing import Any

from switchboard_ui.core.decoding import decode_owning_read, decode_strict_read
from switchboard_ui.core.places import BEFORE, Place
from switchboard_ui.core.query import Floor, Query, strict_request
from switchboard_ui.ports import Request
from switchboard_wire.dead_letters import DlqCursor, DlqDepth, DlqPageAnswer
from switchboard_wire.errors import invalid
from switchboard_wire.instants import format_instant, parse_instant
from switchboard_wire.job_filter import JobFilter, filter_to_plain

CADENCE_SECONDS = 5.0
PAGE_SIZE = 50


def dead_letters_query(job_filter: JobFilter, before: DlqCursor | None) -> Query[DlqPageAnswer]:
    """One page of the dead letters that match; who died last comes first. The filter has no states."""
    page: dict[str, Any] = {"limit": PAGE_SIZE}
    if before is not None:
        page |= {"before_dlq_at": format_instant(before.before_dlq_at), "before_id": before.before_id}
    return Query(
        scope="dlq",
        request=strict_request("/api/v1/dlq/query", filter_to_plain(job_filter), page),
        decode=lambda response: decode_strict_read(DlqPageAnswer, response),
        floor=Floor.UNCACHED,
        cadence=CADENCE_SECONDS,
    )


def newest_dead_letters_query() -> Query[DlqPageAnswer]:
    """Those from a server without the strict read: without any filter, since it would ignore one."""
    return Query(
        scope="dlq",
        request=Request("GET", "/api/dlq"),
        decode=lambda response: decode_owning_read(DlqPageAnswer, response),
        floor=Floor.CACHED,
        cadence=CADENCE_SECONDS,
    )


def dead_letters_depth_query() -> Query[DlqDepth]:
    return Query(
        scope="dlq/depth",
        request=Request("GET", "/api/dlq/depth"),
        decode=lambda response: decode_owning_read(DlqDepth, response),
        floor=Floor.CACHED,
        cadence=CADENCE_SECONDS,
    )


def before_of(place: Place) -> DlqCursor | None:
    """Where this page of the listing begins. Raises SwitchboardError(invalid_argument)."""
    if not place.cursors:
        return None
    died, _, number = place.cursors[-1].partition("~")
    if not (number.isascii() and number.isdecimal() and len(number) <= 19):
        raise invalid(BEFORE, "This is no place in the listing.")
    try:
        return DlqCursor(parse_instant(died), int(number))
    except ValueError as error:
        raise invalid(BEFORE, "This is no place in the listing.") from error


def cursor_text(cursor: DlqCursor | None) -> str | None:
    """As an address holds it."""
    return None if cursor is None else f"{format_instant(cursor.before_dlq_at)}~{cursor.before_id}"
