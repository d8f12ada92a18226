"""Queues in a table, and what the page of one queue shows."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.audit_table import audit_table
from switchboard_ui.components.in_flight_table import in_flight_table
from switchboard_ui.components.queues_table import queue_row, queues_table
from switchboard_ui.core.policy_words import stored_words
from switchboard_ui.core.queue_view import AuditRow
from switchboard_ui.core.todos_view import todo_row
from switchboard_ui.core.zoned_time import to_the_second, viewer_zone
from switchboard_ui.gallery.queue_cards import CARDS
from switchboard_ui.gallery.still import NOW, VIEWER
from switchboard_ui.gallery.todos import IN_EACH_STATE

STORED = {"max_in_flight": 5, "max_claims_per_window": 100, "window": {"period": "day", "tz": "UTC", "start": "00:00"}}


def states() -> dict[str, Any]:
    zone = viewer_zone(VIEWER)
    held = tuple(todo_row(one, zone, NOW) for one in IN_EACH_STATE[2:3])
    changes = (
        AuditRow(to_the_second(NOW, zone, NOW), "ada, by endpoint research", stored_words(STORED), "no limit"),
        AuditRow(to_the_second(NOW, zone, NOW), "ada", "no limit", stored_words(STORED)),
    )
    rows = [html.fragment({"key": name}, queue_row(card)) for name, card in CARDS.items()]
    return {
        "rows": queues_table(rows, narrowed=False),
        "no-rows": queues_table([], narrowed=False),
        "no-rows-of-that-name": queues_table([], narrowed=True),
        "in-flight": in_flight_table(held),
        "nothing-in-flight": in_flight_table(()),
        "changes": audit_table(changes),
        "no-changes": audit_table(()),
    }
