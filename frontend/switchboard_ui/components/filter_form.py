"""The filter of a listing of todos: named fields, and what the filter demands as chips that can be taken off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from reactpy import component, event, html, use_state

from switchboard_ui.components.form_field import FieldFault
from switchboard_ui.components.page_link import page_link
from switchboard_ui.core.filter_chips import filter_chips
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.todo_filter import filter_of_form, form_time, parameters_of
from switchboard_ui.core.zoned_time import viewer_zone
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.todo import TodoState

_LABELS = {
    "queue": ("Queue", "its whole name"),
    "kind": ("Kind", "as enqueued"),
    "tag": ("Tags", "all of: a, b"),
    "id": ("Numbers", "of todos: 7 8"),
    "created_from": ("Created from", "on your clock"),
    "created_to": ("Created before", "on your clock"),
}


_UTC = ZoneInfo("UTC")
_NO_FAULT: FieldFault | None = None


def _nothing(_: Any) -> None:
    """The shell renders the same form before there is anything behind it."""


def filter_fields(
    job_filter: JobFilter = JobFilter(),  # noqa: B008 - frozen
    viewer: ZoneInfo = _UTC,
    fault: FieldFault | None = None,
    on_submit: Callable[[Any], None] = _nothing,
    *,
    states: bool = True,
) -> Any:
    """`states` False: the listing is of todos in one state. The fields hold what the person typed until a filter that
    says otherwise is in force."""
    values = {
        "queue": job_filter.queue or "",
        "kind": job_filter.kind or "",
        "tag": ", ".join(job_filter.tags or ()),
        "id": " ".join(str(each) for each in job_filter.ids or ()),
        "created_from": form_time(job_filter.created_at_gte, viewer),
        "created_to": form_time(job_filter.created_at_lt, viewer),
    }

    @event(prevent_default=True)
    def submitted(happened: Any) -> None:
        on_submit(happened)

    return html.form(
        {"id": "filter", "class": "filter", "aria-label": "Filter", "novalidate": "", "onSubmit": submitted},
        html.div({"class": "filter-fields"}, *(_field(name, values[name], fault) for name in values)),
        html.div(
            {"class": "filter-end"},
            _states(job_filter.states or (), fault) if states else "",
            html.button({"type": "submit", "id": "filter-apply"}, "Apply filter"),
        ),
    )


@component
def filter_form(context: PageContext, place: Place, job_filter: JobFilter, *, states: bool = True) -> Any:
    """Applying it goes to the address of the filter, on its first page."""
    fault, set_fault = use_state(_NO_FAULT)
    zone = viewer_zone(context.ports.tab.zone())

    def apply(happened: Any) -> None:
        try:
            wanted = filter_of_form(happened["form"], happened["formLists"], zone)
        except SwitchboardError as error:
            name = error.field or ""
            set_fault(FieldFault(name, error.message))
            context.ports.tab.focus(f"filter-{name}")
            return
        set_fault(None)
        context.go(_address(place, wanted))

    chips = filter_chips(job_filter, zone, context.ports.clock.wall())
    return html.section(
        {"class": "filter-bar", "aria-label": "What is listed"},
        filter_fields(job_filter, zone, fault, apply, states=states),
        html.p({"class": "chips", "id": "filter-chips"}, *_chips(place, chips)) if chips else "",
    )


def _chips(place: Place, chips: tuple[Any, ...]) -> list[Any]:
    parts: list[Any] = [html.span({"key": "label"}, "Only: ")]
    for chip in chips:
        parts.append(
            html.span(
                {"class": "chip part", "key": chip.text},
                chip.text,
                " ",
                page_link(
                    _address(place, chip.without),
                    html.span({"aria-hidden": "true", "class": "cross mark"}, "✕"),
                    html.span({"class": "unseen"}, f"List without {chip.text}"),
                    **{"class": "off"},
                ),
            )
        )
    if len(chips) > 1:
        parts.append(page_link(place.path, "No filter", key="none"))
    return parts


def _address(place: Place, wanted: JobFilter) -> str:
    return place.with_parameters(parameters_of(wanted)).address


def _field(name: str, value: str, fault: FieldFault | None) -> Any:
    label, hint = _LABELS[name]
    wrong = fault is not None and fault.field == name
    identifier = f"filter-{name}"
    return html.div(
        {"class": "field", "key": name},
        html.label({"for": identifier}, label, " ", html.span({"class": "hint", "id": f"{identifier}-hint"}, hint)),
        html.p({"class": "error", "id": f"{identifier}-error"}, html.span({"class": "unseen"}, "Error: "), fault.text)
        if wrong and fault is not None
        else "",
        html.input(
            {
                "id": identifier,
                "name": name,
                "type": "datetime-local" if name.startswith("created") else "text",
                "value": value,
                "autocomplete": "off",
                "spellcheck": "false",
                "aria-describedby": f"{identifier}-error" if wrong else None,
                "aria-invalid": "true" if wrong else None,
            }
        ),
    )


def _states(chosen: tuple[TodoState, ...], fault: FieldFault | None) -> Any:
    return html.fieldset(
        {"class": "states", "id": "filter-state"},
        html.legend("States"),
        html.p({"class": "error"}, fault.text) if fault is not None and fault.field == "state" else "",
        *(
            html.label(
                {"class": "choice", "key": state.value},
                html.input({"type": "checkbox", "name": "state", "value": state.value, "checked": state in chosen}),
                state.value,
            )
            for state in TodoState
        ),
    )
