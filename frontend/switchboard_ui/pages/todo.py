"""One todo: what it is, why it waits, who tried it, and what may be done to it."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.action import Confirmation, action
from switchboard_ui.components.admission_chip import admission_chip
from switchboard_ui.components.attempts_table import attempts_table
from switchboard_ui.components.facts import facts
from switchboard_ui.components.json_block import json_block
from switchboard_ui.components.one_row import one_row
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.actions import Mutation
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import Place
from switchboard_ui.core.todo_view import TodoView, todo_view
from switchboard_ui.core.todos_queries import todo_query
from switchboard_wire.reads import JobDetail
from switchboard_wire.worker import Changed, Claimed

NOT_YOURS = "You may see this todo and not change it: its queue is managed by others."


@component
def todo_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock

    def view_of(detail: JobDetail) -> TodoView:
        return todo_view(detail, tab.zone(), clock.wall())

    def draw(view: TodoView, gone: bool) -> Any:
        return html.div({"class": "todo-page"}, *_whole(context, view, gone))

    return one_row(context, place, todo_query(place.id or 0), "todo", view_of, draw)


def _whole(context: PageContext, view: TodoView, gone: bool) -> list[Any]:
    row = view.row
    state: list[Any] = [html.span({"class": f"state {row.state}", "id": "todo-state"}, row.state)]
    if row.chip is not None:
        state.extend((" ", admission_chip(row.chip)))
    if row.when is not None:
        state.extend((f" {row.when[0]} ", zoned(row.when[1])))
    named = [
        ("Title", row.title),
        ("State", html.span(*state)),
        ("Queue", html.span(row.queue, " ", html.span({"class": "scope"}, row.scope))),
        ("Kind", row.kind),
        ("Source", view.source or "none given"),
        ("Tags", ", ".join(row.tags) or "none"),
        ("Attempts", row.tried),
        ("Held by", row.holder or "nobody"),
        ("Created", zoned(view.created)),
        ("Last changed", zoned(view.updated)),
        ("Idempotency key", view.key or "none"),
    ]
    blocks = [("payload", "Payload", view.payload), ("result", "Result", view.result)]
    return [
        facts(named),
        html.div({"class": "actions", "key": "actions"}, *([] if gone else _actions(context, view))),
        html.section(
            {"key": "error", "aria-labelledby": "error-heading"},
            html.h2({"id": "error-heading"}, "Error"),
            html.pre(
                {"id": "error", "tabindex": "0", "role": "region", "aria-labelledby": "error-heading"}, view.error
            ),
        )
        if view.error is not None
        else "",
        attempts_table(view.attempts),
        *(
            html.p({"class": "quiet", "key": name}, f"{heading}: none.")
            if text is None
            else json_block(context, name, heading, text, key=name)
            for name, heading, text in blocks
        ),
    ]


def _actions(context: PageContext, view: TodoView) -> list[Any]:
    """All three, whatever the state: what is pressed stays where it is and tells what came of it."""
    if not view.manageable:
        return [html.p({"class": "quiet", "id": "not-yours", "key": "not-yours"}, NOT_YOURS)]
    number, about, title = view.row.id, f"todo {view.row.id}", view.row.title

    def button(verb: str, label: str, shape: type[Any], told: str, blocked: str | None, **more: Any) -> Any:
        mutation = Mutation("POST", f"/api/jobs/{number}/{verb}", shape, ("jobs", "queues"))
        return action(context, verb, label, mutation, lambda _: told, about=about, blocked=blocked, key=verb, **more)

    claim = Confirmation(
        f"Claim todo {number}?",
        (
            html.p(
                f"“{title}” is then claimed in the name of the endpoint that it came from, and charged to its budget. "
                "Complete or release it with that endpoint's credential."
            ),
        ),
        "Claim it",
    )
    cancel = Confirmation(
        f"Cancel todo {number}?",
        (html.p(f"“{title}” of queue {view.row.queue} will not be done."),),
        "Cancel it",
    )
    return [
        button("retry", "Retry now", Changed, f"Todo {number} is pending again.", view.no_retry),
        button("claim", "Claim", Claimed, f"Todo {number} is claimed.", view.no_claim, confirmation=claim),
        button(
            "cancel", "Cancel", Changed, f"Todo {number} is canceled.", view.no_cancel, confirmation=cancel, danger=True
        ),
    ]
