"""Queues as cards, and the chips of the todos that wait."""

from __future__ import annotations

from typing import Any

from switchboard_ui.components.admission_chip import admission_chip
from switchboard_ui.components.queue_card import queue_card
from switchboard_ui.core.board_view import Chip, QueueCard, WaitingTodo
from switchboard_ui.core.zoned_time import ZonedTime

MIDNIGHT = ZonedTime("2026-12-01T08:00:00Z", "00:00 PST")
BOTH = ZonedTime("2026-12-01T08:00:00Z", "00:00 PST (America/Los_Angeles) · 09:00 your time")

CHIPS = {
    "budget": Chip("deferred · budget", "window_exhausted", "eligible", MIDNIGHT),
    "in-flight": Chip("deferred · in flight", "in_flight_full", "possibly eligible from", MIDNIGHT),
    "paused": Chip("deferred · paused", "paused"),
    "unavailable": Chip("deferred · unavailable", "admission_unavailable"),
}


def todo(number: int, chip: Chip | None = None, attempt: str | None = None, title: str = "") -> WaitingTodo:
    title = title or f"Look into the odd reading at sensor {number}"
    return WaitingTodo(number, title, "investigation", MIDNIGHT, attempt, chip)


def card(number: int, name: str, **more: Any) -> QueueCard:
    values: dict[str, Any] = {
        "id": number,
        "name": name,
        "scope": "endpoint:research",
        "status": "admitted",
        "reason": None,
        "has_policy": True,
        "used": None,
        "in_flight": "0 in flight",
        "resets": None,
        "fault": None,
        "pending": "0 waiting",
        "waiting": (),
        "more": None,
    }
    return QueueCard(**(values | more))


CARDS = {
    "admitted": card(1, "triage", used="12 of 100 used", in_flight="1 of 2 in flight", resets=BOTH),
    "budget-used-up": card(
        2,
        "investigations",
        status="budget used up",
        reason="window_exhausted",
        used="100 of 100 used",
        resets=BOTH,
        pending="2 waiting",
        waiting=(todo(12, CHIPS["budget"], "tried 1 of 5"), todo(11, CHIPS["budget"])),
    ),
    "in-flight-full": card(
        3,
        "builds",
        status="in flight full",
        reason="in_flight_full",
        in_flight="2 of 2 in flight",
        pending="1 waiting",
        waiting=(todo(21, CHIPS["in-flight"], title="Build-the-release-candidate-with-no-place-to-break-" * 3),),
    ),
    "paused": card(
        4, "newsletters", status="paused", reason="paused", pending="1 waiting", waiting=(todo(31, CHIPS["paused"]),)
    ),
    "a-policy-that-cannot-be-evaluated": card(
        5,
        "reports",
        status="unavailable",
        reason="admission_unavailable",
        used="unknown of 100 used",
        fault="the zone Mars/Base is unknown",
        pending="1 waiting",
        waiting=(todo(41, CHIPS["unavailable"]),),
    ),
    "without-a-policy": card(6, "receipts", has_policy=False, pending="1 waiting", waiting=(todo(51),)),
    "waiting-todos-unknown": card(7, "letters", pending="3 waiting", waiting=None),
    "more-than-are-shown": card(
        8,
        "imports",
        pending="10,000 or more waiting",
        waiting=(todo(71),),
        more="Showing the newest 1 of more than 10,000 waiting.",
    ),
}


def states() -> dict[str, Any]:
    return {
        **{f"chip-{name}": admission_chip(chip) for name, chip in CHIPS.items()},
        **{f"queue-{name}": queue_card(one) for name, one in CARDS.items()},
    }
