"""The form of a schedule: what its fields show, what they say, and how another version differs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from switchboard_ui.core.decoding import MAX_NESTING, SAFE_INTEGER
from switchboard_ui.core.schedules_view import MISSED_WORDS
from switchboard_wire.decoder import decode_json
from switchboard_wire.errors import SwitchboardError, invalid
from switchboard_wire.reads import QueuesPage
from switchboard_wire.schedules import Missed, Schedule

LABELS = {
    "queue": "Queue",
    "name": "Name",
    "cron": "Cron expression",
    "tz": "Time zone",
    "missed": "Missed fires",
    "kind": "Kind",
    "title": "Title",
    "tags": "Tags",
    "max_attempts": "Attempts at most",
    "source": "Source",
    "payload": "Payload",
}
"""Of each field, in their order."""

QueueChoices = dict[str, tuple[str, str]]
"""Scope and name of a queue by the value that stands for it in the form."""


def queue_choices(queues: QueuesPage) -> QueueChoices:
    """The queues in which the viewer may make schedules."""
    return {
        str(one.admission.queue_id): (one.admission.scope, one.admission.queue)
        for one in queues.queues
        if one.manageable
    }


def form_values(schedule: Schedule | None, viewer: str) -> dict[str, str]:
    """What the fields show of a schedule, or of a new one; `viewer` is an IANA zone name."""
    if schedule is None:
        blank = dict.fromkeys(LABELS, "")
        return blank | {"tz": viewer, "missed": Missed.SKIP.value, "max_attempts": "5", "source": "schedule"}
    one = schedule
    return {
        "queue": one.queue,
        "name": one.name,
        "cron": one.cron,
        "tz": one.tz,
        "missed": one.missed.value,
        "kind": one.kind,
        "title": one.title,
        "tags": ", ".join(one.tags),
        "max_attempts": str(one.max_attempts),
        "source": one.source,
        "payload": "" if one.payload is None else json.dumps(one.payload, indent=2, ensure_ascii=False),
    }


def template_of_form(form: Mapping[str, str]) -> dict[str, Any]:
    """What the fields say of when it fires and what it makes. Raises SwitchboardError that names the field."""
    texts = ("name", "cron", "tz", "missed", "kind", "title", "source")
    body: dict[str, Any] = {name: form.get(name, "").strip() for name in texts}
    body["tags"] = list(dict.fromkeys(tag.strip() for tag in form.get("tags", "").split(",") if tag.strip()))
    attempts = form.get("max_attempts", "").strip()
    if not (attempts.isascii() and attempts.isdecimal()) or len(attempts) > 9:
        raise invalid("max_attempts", "Enter a whole number from 1 to 100.")
    body["max_attempts"] = int(attempts)
    body["payload"] = _payload(form.get("payload", "").strip())
    return body


def place_of_form(form: Mapping[str, str], choices: QueueChoices) -> dict[str, str]:
    """Scope and queue of a new schedule. Raises SwitchboardError that names the field."""
    chosen = choices.get(form.get("queue", ""))
    if chosen is None:
        raise invalid("queue", "Choose a queue.")
    scope, queue = chosen
    return {"scope": scope, "queue": queue}


def field_of(path: str | None) -> str | None:
    """The form's field that a refusal is about: "tags" for "tags[2]"; None when it is about none of them."""
    name = (path or "").partition("[")[0].partition(".")[0]
    if name == "scope":
        return "queue"
    return name if name in LABELS else None


def differences(seen: Schedule, now: Schedule) -> tuple[tuple[str, str], ...]:
    """Label and present value of what is another than it was seen to be, as the form would show it."""
    before, after = form_values(seen, ""), form_values(now, "")
    return tuple((LABELS[name], _shown(name, after[name])) for name in LABELS if after[name] != before[name])


def _shown(name: str, value: str) -> str:
    return MISSED_WORDS[Missed(value)] if name == "missed" else value or "none"


def _payload(text: str) -> Any:
    if not text:
        return None
    try:
        return decode_json(text, max_nesting=MAX_NESTING, max_integer=SAFE_INTEGER)
    except SwitchboardError as error:
        raise invalid("payload", f"Enter JSON, or nothing. {error.message}") from error
