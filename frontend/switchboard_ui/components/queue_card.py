"""One queue of the board: its header with the figures, and the todos that wait."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.admission_chip import admission_chip
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.board_view import QueueCard, WaitingTodo


@component
def queue_card(card: QueueCard) -> Any:
    heading = f"queue-{card.id}"
    return html.section(
        {"class": "queue", "aria-labelledby": heading, "data-queue": card.name, "data-scope": card.scope},
        html.header(
            {"class": "queue-head"},
            html.h2(
                {"id": heading},
                page_link(f"/queues/{card.id}", card.name),
                " ",
                html.span({"class": "scope"}, card.scope),
            ),
            queue_status(card),
            html.ul({"class": "figures"}, *_figures(card)),
            () if card.fault is None else html.p({"class": "fault"}, "The policy cannot be evaluated: ", card.fault),
        ),
        _waiting(card),
    )


def queue_status(card: QueueCard) -> Any:
    """What the queue does with a claim now, in words with a mark."""
    if not card.has_policy:
        return html.p({"class": "status none", "data-status": "admitted"}, "no policy")
    return html.p(
        {"class": f"status {card.reason or 'admitted'}", "data-status": card.reason or "admitted"},
        html.span({"aria-hidden": "true", "class": "mark"}, "●" if card.reason is None else "■"),
        card.status,
    )


def _figures(card: QueueCard) -> list[Any]:
    figures: list[tuple[str, Any]] = []
    if card.used is not None:
        figures.append(("used", html.span(card.used)))
    figures.append(("in-flight", html.span(card.in_flight)))
    figures.append(("pending", html.span(card.pending)))
    if card.resets is not None:
        figures.append(("resets", html.span("resets at ", zoned(card.resets))))
    return [html.li({"key": name, "class": name, "data-figure": name}, text) for name, text in figures]


def _waiting(card: QueueCard) -> Any:
    if card.waiting is None:
        return html.p({"class": "quiet"}, "The waiting todos are not known yet.")
    if not card.waiting and card.more is None:
        return html.p({"class": "quiet"}, "Nothing waits.")
    return html.div(
        html.ul({"class": "todos", "aria-label": f"Waiting in {card.name}"}, *(_todo(todo) for todo in card.waiting)),
        () if card.more is None else html.p({"class": "quiet"}, card.more),
    )


def _todo(todo: WaitingTodo) -> Any:
    return html.li(
        {"key": str(todo.id), "class": "todo", "data-todo": str(todo.id)},
        html.span({"class": "title"}, todo.title),
        html.span({"class": "about quiet"}, f"#{todo.id} · {todo.kind} · since ", zoned(todo.created)),
        () if todo.attempt is None else html.span({"class": "attempt quiet"}, todo.attempt),
        () if todo.chip is None else admission_chip(todo.chip),
    )
