"""Tables of data and lists of facts, full, empty, unknown."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.data_table import Column, cell, data_table, number
from switchboard_ui.components.facts import facts
from switchboard_ui.components.live_rows import Listing, live_rows
from switchboard_ui.components.observed import observed
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.placeholder import placeholder
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.workers_query import workers_query
from switchboard_ui.gallery.queue_cards import BOTH, MIDNIGHT
from switchboard_ui.gallery.still import still_context

COLUMNS = (Column("Queue"), Column("Last claim"), Column("Claims", numeric=True))
QUERIES = (workers_query(),)


def states() -> dict[str, Any]:
    rows = [_row("investigations", 1204), _row("a-queue-with-a-name-that-has-no-place-to-break" * 2, 7)]
    return {
        "rows": data_table("claims", "Claims by queue", COLUMNS, rows),
        "no-rows": data_table("none", "Claims by queue", COLUMNS, [], empty="No queue has been claimed from yet."),
        "facts": facts(
            (
                ("Queue", page_link("/board", "investigations")),
                ("Resets at", zoned(BOTH)),
                ("Claimed by", None),
                ("Error", html.code("Traceback: a-line-with-no-place-to-break-" * 4)),
            )
        ),
        "placeholder": placeholder(),
        "listing-not-read-yet": live_rows(still_context(), QUERIES, lambda _: Listing(None), _draw, _known_row),
        "listing-with-rows": live_rows(
            still_context(), QUERIES, lambda _: Listing({1: "triage", 2: "builds"}), _draw, _known_row
        ),
        "view-of-a-read": observed(still_context(), QUERIES, lambda _: "not read yet", html.p),
    }


def _draw(_: Any, rows: list[Any] | None) -> Any:
    return placeholder() if rows is None else data_table("listed", "Queues in a listing", COLUMNS, rows)


def _known_row(name: str) -> Any:
    return _row(name, 3)


def _row(name: str, claims: int) -> Any:
    return html.tr({"key": name}, html.th({"scope": "row"}, name), cell(zoned(MIDNIGHT)), number(f"{claims:,}"))
