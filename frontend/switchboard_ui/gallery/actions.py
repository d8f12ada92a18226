"""What an operator does: buttons, what they ask, what they tell."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.action import ActionState, Confirmation, action, drawn_action
from switchboard_ui.components.dialog import dialog
from switchboard_ui.components.update_controls import update_buttons, update_controls
from switchboard_ui.core.actions import Mutation
from switchboard_ui.core.workers_query import workers_query
from switchboard_ui.gallery.still import still_context

ASKED = Confirmation(
    "Purge 3 dead letters?", (html.p("They are gone for good: no retry brings them back."),), "Purge 3", "Keep them"
)
NO_ANSWER = "The server did not answer. It may or may not have happened: look before you repeat it."


def states() -> dict[str, Any]:
    retry: Mutation[str] = Mutation("POST", "/api/jobs/7/retry", str, ("jobs",))
    return {
        "idle": action(still_context(), "retry-7", "Retry", retry, str, about="todo 7"),
        "dangerous": drawn_action("purge", "Purge", ActionState(), danger=True),
        "asking": drawn_action("purge-3", "Purge", ActionState(asking=True), ASKED, danger=True),
        "sending": drawn_action("retry-8", "Retry", ActionState(sending=True)),
        "done": drawn_action("retry-9", "Retry", ActionState(outcome="Todo 9 is pending again.")),
        "refused": drawn_action("retry-10", "Retry", ActionState(outcome="Todo 10 is claimed.", refused=True)),
        "nobody-knows": drawn_action("retry-11", "Retry", ActionState(outcome=NO_ANSWER, refused=True)),
        "dialog": dialog("about", "About this server", lambda _: None, html.p("Switchboard 0.1.0")),
        "updates-run": update_buttons(),
        "updates-are-paused": update_buttons(paused=True),
        "update-controls-of-a-page": update_controls(still_context(), (workers_query(),)),
    }
