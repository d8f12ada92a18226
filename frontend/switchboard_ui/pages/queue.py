"""One queue: what it admits and why not, what it holds, its usage, its budget's history, and stopping it."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.action import Confirmation, action
from switchboard_ui.components.audit_table import audit_table
from switchboard_ui.components.chart import chart
from switchboard_ui.components.facts import facts
from switchboard_ui.components.in_flight_table import in_flight_table
from switchboard_ui.components.one_row import one_row
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.queue_card import queue_status
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.actions import Mutation
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import PageName, Place
from switchboard_ui.core.queue_query import queue_query
from switchboard_ui.core.queue_view import QueueView, queue_view
from switchboard_wire.operator_actions import Drained, QueueChanged
from switchboard_wire.queue_detail import QueueDetail

NOT_YOURS = "You may see this queue and not change it: others manage it."
NO_WINDOW = "Nothing limits its claims per window, so that none are counted."


@component
def queue_page(context: PageContext, place: Place) -> Any:
    tab, clock = context.ports.tab, context.ports.clock

    def view_of(detail: QueueDetail) -> QueueView:
        return queue_view(detail, tab.zone(), clock.wall())

    def draw(view: QueueView, gone: bool) -> Any:
        return html.div(
            facts(_named(view)),
            "" if gone else html.div({"class": "actions"}, *_actions(context, view)),
            html.p({"class": "quiet", "id": "no-window"}, NO_WINDOW)
            if view.usage is None
            else chart("usage", view.usage),
            in_flight_table(view.in_flight),
            audit_table(view.audit),
        )

    return one_row(context, place, queue_query(place.id or 0), "queue", view_of, draw)


def _named(view: QueueView) -> list[tuple[str, Any]]:
    card = view.card
    waiting = Place(PageName.JOBS, parameters=(("queue", card.name), ("state", "pending"))).address
    return [
        ("Name", html.span({"id": "queue-name"}, card.name)),
        ("Owner", card.scope),
        ("Status", html.span({"id": "queue-status"}, queue_status(card))),
        ("Budget", html.span({"id": "queue-budget"}, view.policy)),
        ("Used", card.used or "not counted"),
        ("Resets at", "never" if card.resets is None else zoned(card.resets)),
        ("In flight", card.in_flight),
        ("Waiting", page_link(waiting, card.pending)),
        ("Oldest waiting since", "nothing waits" if view.oldest is None else zoned(view.oldest)),
    ]


def _actions(context: PageContext, view: QueueView) -> list[Any]:
    if not view.manageable:
        return [html.p({"class": "quiet", "id": "not-yours", "key": "not-yours"}, NOT_YOURS)]
    card = view.card

    def button(verb: str, label: str, shape: type[Any], told: Any, blocked: str | None, **more: Any) -> Any:
        mutation = Mutation("POST", f"/api/queues/{card.id}/{verb}", shape, ("queues", "jobs"))
        about = f"queue {card.name}"
        return action(context, f"{verb}-queue", label, mutation, told, about=about, blocked=blocked, key=verb, **more)

    drain = Confirmation(
        f"Drain queue {card.name}?",
        (
            html.p(
                f"Everything that waits in {card.name} is canceled: scheduled, pending and failed todos, "
                f"{card.pending} among them. What workers hold is left to them."
            ),
        ),
        "Drain it",
    )
    return [
        button("pause", "Pause", QueueChanged, lambda _: f"Queue {card.name} is paused.", view.no_pause),
        button("resume", "Resume", QueueChanged, lambda _: f"Queue {card.name} goes on.", view.no_resume),
        button(
            "drain",
            "Drain",
            Drained,
            lambda drained: f"{drained.canceled:,} {'todo' if drained.canceled == 1 else 'todos'} canceled.",
            None,
            confirmation=drain,
            danger=True,
        ),
    ]
