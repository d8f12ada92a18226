"""One todo: its attempts and its JSON."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from reactpy import html

from switchboard_ui.components.attempts_table import attempts_table
from switchboard_ui.components.json_block import json_block
from switchboard_ui.components.one_row import one_row
from switchboard_ui.core.observation import State
from switchboard_ui.core.outcomes import FailureKind
from switchboard_ui.core.places import PageName, Place
from switchboard_ui.core.todo_view import attempt_row
from switchboard_ui.core.todos_queries import todo_query
from switchboard_ui.core.zoned_time import viewer_zone
from switchboard_ui.gallery.still import NOW, VIEWER, still_context, unread
from switchboard_wire.worker import Attempt

ATTEMPTS = (
    Attempt(1, "research", "agent-1", NOW - timedelta(hours=2), NOW - timedelta(hours=1), "lapsed", 3_600_000),
    Attempt(2, "research", None, NOW, None, None, None),
)
PAYLOAD = '{\n  "sensor": 7,\n  "note": "a-text-with-no-place-to-break-' + "x" * 300 + '"\n}'


PLACE, QUERY = Place(PageName.JOB, 7), todo_query(7)


def _drawn(view: str, gone: bool) -> Any:
    return html.p(view)


def states() -> dict[str, Any]:
    zone = viewer_zone(VIEWER)
    return {
        "nobody-tried": attempts_table(()),
        "attempts": attempts_table(tuple(attempt_row(one, zone, NOW) for one in ATTEMPTS)),
        "gone-before-it-was-read": one_row(
            still_context((QUERY, unread(State.ERROR, FailureKind.GONE))), PLACE, QUERY, "todo", str, _drawn
        ),
        "json": json_block(still_context(), "payload", "Payload", PAYLOAD),
    }
