"""A dialog that makes a schedule, or replaces one that was seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reactpy import component, event, html, use_effect, use_ref, use_state

from switchboard_ui.components.dialog import dialog
from switchboard_ui.components.facts import facts
from switchboard_ui.components.form_field import FieldFault, form_field
from switchboard_ui.core.actions import Done, Mutation, Refused
from switchboard_ui.core.board_queries import queues_query
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.schedule_form import (
    LABELS,
    QueueChoices,
    differences,
    field_of,
    form_values,
    place_of_form,
    queue_choices,
    template_of_form,
)
from switchboard_ui.core.schedules_query import SCHEDULES, schedules_query
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.reads import QueuesPage
from switchboard_wire.schedules import Missed, Schedule, ScheduleList

STEM = "schedule"
_HINTS = {
    "queue": "Of those that you manage.",
    "name": "Unique in its queue.",
    "cron": "Minute, hour, day of month, month, day of week: 0 9 * * Mon-Fri.",
    "tz": "The cron expression is wall-clock time there: Europe/Berlin.",
    "missed": "What becomes of a fire that no server was there for within 60 s.",
    "kind": "Of the todos that it makes.",
    "title": "Of the todos that it makes.",
    "tags": "With commas between them.",
    "max_attempts": "1 to 100.",
    "source": "Which the todos name as theirs.",
    "payload": "JSON. Empty: null.",
}
_MISSED = {
    Missed.SKIP.value: "Skip it",
    Missed.FIRE_ONCE.value: "Make it up once, however late",
}
_NO_FAULT: FieldFault | None = None
_NO_CHOICES: QueueChoices | None = None
_NO_SCHEDULE: Schedule | None = None


@component
def schedule_form(
    context: PageContext, seen: Schedule | None, close: Callable[[], None], saved: Callable[[Schedule], None]
) -> Any:
    """`seen` None: a new one. `saved` is told what stands then; `close` when it is left without."""
    fault, set_fault = use_state(_NO_FAULT)
    told, set_told = use_state("")
    choices, set_choices = use_state(_NO_CHOICES)
    # What stands in place of what was seen, once the server has refused to replace what nobody saw.
    newer, set_newer = use_state(_NO_SCHEDULE)
    offered, shown = use_ref(choices), use_ref(newer)
    overtaken = use_ref(False)
    busy = use_ref(False)
    values, _ = use_state(lambda: form_values(seen, context.ports.tab.zone()))

    def follow() -> Callable[[], None]:
        def take_queues(observation: Observation[QueuesPage]) -> None:
            found = None if observation.data is None else queue_choices(observation.data)
            if found is not None and found != offered.current:
                offered.current = found
                set_choices(found)

        def take_schedules(observation: Observation[ScheduleList]) -> None:
            now = _with_id_of(seen, observation.data)
            if seen is None or now is None or now.version == seen.version or not overtaken.current:
                return
            if now != shown.current:
                if shown.current is None:
                    # It answers the save; later changes of others disturb nobody.
                    context.ports.tab.focus(f"{STEM}-newer")
                shown.current = now
                set_newer(now)

        if seen is None:
            return context.reads.subscribe(queues_query(), take_queues)
        return context.reads.subscribe(schedules_query(), take_schedules)

    use_effect(follow, [])

    def refuse(text: str, field: str | None) -> None:
        set_fault(None if field is None else FieldFault(field, text))
        set_told(text if field is None else "")
        # The words for the whole stand beside the button.
        context.ports.tab.focus(f"{STEM}-{field or 'save'}")

    @event(prevent_default=True)
    def submitted(happened: Any) -> None:
        if busy.current:
            return
        form: Mapping[str, str] = happened["form"]
        try:
            body = template_of_form(form)
            if seen is None:
                body |= place_of_form(form, choices or {})
            else:
                body["version"] = (newer or seen).version
        except SwitchboardError as error:
            refuse(error.message, field_of(error.field))
            return
        busy.current = True
        set_fault(None)
        set_told("Saving…")
        method, path = ("POST", "/api/schedules") if seen is None else ("PUT", f"/api/schedules/{seen.id}")
        context.actions.send(Mutation(method, path, Schedule, (SCHEDULES,), body), done)

    def done(result: Done[Schedule] | Refused) -> None:
        busy.current = False
        if isinstance(result, Done):
            saved(result.answer)
            return
        if result.field == "version":
            overtaken.current = True
            context.reads.refresh(schedules_query().key)
        refuse(result.text, field_of(result.field))

    def leave(_: Any) -> None:
        close()

    return drawn_schedule_form(seen, values, choices, fault, told, newer, submitted, leave)


def _nothing(_: Any) -> None:
    """The shell and the gallery draw the same without anything behind it."""


def new_schedule(on_press: Callable[[Any], None] = _nothing) -> Any:
    """The button that opens the form of a new one."""
    return html.button({"type": "button", "id": "new-schedule", "onClick": on_press}, "New schedule…")


def drawn_schedule_form(
    seen: Schedule | None,
    values: Mapping[str, str],
    choices: QueueChoices | None = None,
    fault: FieldFault | None = None,
    told: str = "",
    newer: Schedule | None = None,
    on_submit: Any = _nothing,
    on_leave: Callable[[Any], None] = _nothing,
    *,
    stem: str = STEM,
) -> Any:
    """`values` are what the fields show at first; `choices` None: the queues are not known. `stem` begins each id."""
    heading = "New schedule" if seen is None else f"Edit schedule {seen.name}"
    return dialog(
        f"{stem}-dialog",
        heading,
        on_leave,
        html.form(
            {
                "id": stem,
                "class": "dialog-form",
                "aria-labelledby": f"{stem}-dialog-heading",
                "novalidate": "",
                "onSubmit": on_submit,
            },
            *(
                form_field(
                    f"{stem}-{name}",
                    label,
                    _HINTS[name],
                    fault.text if fault is not None and fault.field == name else None,
                    values[name],
                    name=name,
                    lines=4 if name == "payload" else 1,
                    options=_options(name, choices),
                )
                for name, label in LABELS.items()
                if name != "queue" or seen is None
            ),
            "" if seen is None or newer is None else _overtaken(f"{stem}-newer", seen, newer),
            html.p({"id": f"{stem}-told", "class": "told", "role": "status"}, told),
            html.div(
                {"class": "actions"},
                html.button(
                    {"type": "submit", "id": f"{stem}-save", "class": "main-action"},
                    "Make the schedule" if seen is None else "Save the schedule",
                ),
                html.button({"type": "button", "id": f"{stem}-leave", "onClick": on_leave}, "Leave without saving"),
            ),
        ),
    )


def _options(name: str, choices: QueueChoices | None) -> Mapping[str, str] | None:
    if name == "missed":
        return _MISSED
    if name != "queue":
        return None
    if choices is None:
        return {"": "The queues are not known yet"}
    if not choices:
        return {"": "You manage no queue"}
    return {"": "Choose a queue"} | {each: f"{queue} ({scope})" for each, (scope, queue) in choices.items()}


def _with_id_of(seen: Schedule | None, listed: ScheduleList | None) -> Schedule | None:
    if seen is None or listed is None:
        return None
    return next((one for one in listed.schedules if one.id == seen.id), None)


def _overtaken(name: str, seen: Schedule, newer: Schedule) -> Any:
    differing = differences(seen, newer)
    return html.div(
        {"class": "problem", "id": name, "role": "group", "aria-labelledby": f"{name}-heading"},
        html.h3({"id": f"{name}-heading"}, "Somebody else has changed it"),
        html.p("What stands now:") if differing else html.p("Nothing that this form shows is another."),
        facts(differing) if differing else "",
        html.p("Saving again replaces that by what you entered."),
    )
