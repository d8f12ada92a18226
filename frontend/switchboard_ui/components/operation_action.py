"""Bulk work on what a filter names: a preview first, a confirmation that names the set, then a durable operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactpy import component, event, html, use_effect, use_ref, use_state

from switchboard_ui.components.dialog import dialog
from switchboard_ui.core.actions import Done, Mutation, Refused
from switchboard_ui.core.bulk_words import VERBS, preview_words, sample_words, todos_text
from switchboard_ui.core.page_context import PageContext
from switchboard_wire.job_filter import JobFilter, filter_to_plain
from switchboard_wire.operations import Operation, OperationKind, OperationPreview

_DANGEROUS = frozenset({OperationKind.CANCEL, OperationKind.PURGE})
_SCOPES = ("operations", "jobs", "queues", "dlq")


@dataclass(frozen=True, slots=True)
class Target:
    """The set that is meant. `words` name it: "the 30 selected todos"."""

    filter: JobFilter
    words: str


@dataclass(frozen=True, slots=True)
class _Previewed:
    """`body` is what was previewed, `key` makes a second submission of it harmless."""

    body: dict[str, Any]
    preview: OperationPreview
    key: str


_CLOSED: Target | None = None
_NOTHING: _Previewed | None = None


@component
def operation_action(
    context: PageContext,
    name: str,
    kind: OperationKind,
    target_of: Callable[[], Target],
    begun: Callable[[Operation], None],
) -> Any:
    """`name` becomes the ids' stem; `target_of` tells at the press of the button what is meant."""
    target, set_target = use_state(_CLOSED)

    def ask(_: Any) -> None:
        set_target(target_of())

    def close() -> None:
        set_target(None)
        context.ports.tab.focus(name)

    if context.read_only:
        return ""
    return html.span(
        {"class": "action"},
        html.button(
            {"type": "button", "id": name, "class": "danger" if kind in _DANGEROUS else None, "onClick": ask},
            f"{VERBS[kind]}…",
        ),
        "" if target is None else _confirmation(context, name, kind, target, close, begun, key="dialog"),
    )


@component
def _confirmation(
    context: PageContext,
    name: str,
    kind: OperationKind,
    target: Target,
    close: Callable[[], None],
    begun: Callable[[Operation], None],
) -> Any:
    """A move asks for the queue before there is anything to preview."""
    previewed, set_previewed = use_state(_NOTHING)
    told, set_told = use_state("")
    asked = use_ref(0)
    sending = use_ref(False)
    to_move = kind is OperationKind.MOVE

    def look(queue: str | None = None) -> None:
        asked.current += 1
        number = asked.current
        body: dict[str, Any] = {"kind": kind.value, "filter": filter_to_plain(target.filter)}
        if target.filter == JobFilter():
            body["all"] = True
        if queue is not None:
            body["queue"] = queue

        def seen(result: Done[OperationPreview] | Refused) -> None:
            if asked.current != number:
                return
            if isinstance(result, Refused):
                set_told(result.text)
                return
            set_previewed(_Previewed(body, result.answer, context.new_key()))
            set_told(preview_words(kind, result.answer))

        set_previewed(None)
        set_told("Counting…")
        context.actions.send(Mutation("POST", "/api/operations/preview", OperationPreview, (), body), seen)

    def begin() -> None:
        if not to_move:
            look()

    use_effect(begin, [])

    @event(prevent_default=True)
    def choose_queue(happened: Any) -> None:
        queue = happened["form"].get("queue", "").strip()
        if queue:
            look(queue)
            return
        set_told("Enter the name of the queue to move to.")
        context.ports.tab.focus(f"{name}-queue")

    def leave(_: Any) -> None:
        close()

    def confirm(_: Any) -> None:
        seen = previewed
        if seen is None or sending.current:
            return

        def submitted(result: Done[Operation] | Refused) -> None:
            sending.current = False
            if isinstance(result, Refused):
                set_told(result.text)
                return
            close()
            begun(result.answer)

        sending.current = True
        set_told("Sending…")
        expected = None if seen.preview.capped else seen.preview.count
        body = {**seen.body, "expected": expected, "key": seen.key}
        context.actions.send(Mutation("POST", "/api/operations", Operation, _SCOPES, body), submitted)

    return drawn_confirmation(
        name,
        kind,
        target,
        told,
        None if previewed is None else previewed.preview,
        choose_queue,
        confirm,
        leave,
    )


def _nothing(_: Any) -> None:
    """The gallery draws the same without anything behind it."""


def drawn_confirmation(
    name: str,
    kind: OperationKind,
    target: Target,
    told: str,
    preview: OperationPreview | None,
    on_queue: Any = _nothing,
    on_yes: Callable[[Any], Any] = _nothing,
    on_no: Callable[[Any], None] = _nothing,
) -> Any:
    """There is something to confirm only once the preview has found what can be changed."""
    buttons: list[Any] = []
    if preview is not None and preview.eligible:
        look = "danger" if kind in _DANGEROUS else "main-action"
        buttons.append(
            html.button(
                {"type": "button", "id": f"{name}-yes", "key": "yes", "class": look, "onClick": on_yes},
                f"{VERBS[kind]} {todos_text(preview.eligible, preview.eligible_capped)}",
            )
        )
    buttons.append(
        html.button({"type": "button", "id": f"{name}-no", "key": "no", "onClick": on_no}, "Leave them as they are")
    )
    return dialog(
        f"{name}-dialog",
        f"{VERBS[kind]} {target.words}?",
        on_no,
        _queue_form(name, on_queue) if kind is OperationKind.MOVE else "",
        html.p({"role": "status", "id": f"{name}-told"}, told),
        html.p({"class": "quiet"}, sample_words(preview)) if preview is not None and preview.sample else "",
        html.div({"class": "actions"}, *buttons),
    )


def _queue_form(name: str, on_submit: Any) -> Any:
    return html.form(
        {"id": f"{name}-where", "class": "field", "novalidate": "", "onSubmit": on_submit},
        html.label({"for": f"{name}-queue"}, "Queue to move to, of the same owner"),
        html.input(
            {"id": f"{name}-queue", "name": "queue", "type": "text", "autocomplete": "off", "spellcheck": "false"}
        ),
        html.button({"type": "submit", "id": f"{name}-look"}, "See what would move"),
    )
