"""The table of the gallery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from switchboard_ui.gallery import (
    actions,
    board,
    bulk,
    documents,
    operations,
    queue_cards,
    queues,
    schedules,
    statistics,
    tables,
    todo,
    todos,
    trust,
    workers,
)


@dataclass(frozen=True, slots=True)
class Family:
    """`states` makes the elements anew for each rendering, by names that serve as ids.

    `whole_pages`: each state has landmarks of its own, and so a page of its own.
    """

    heading: str
    states: Callable[[], dict[str, Any]]
    whole_pages: bool = False


FAMILIES = {
    "trust": Family("Trust", trust.states),
    "queue_cards": Family("Queues as cards", queue_cards.states),
    "board": Family("Board", board.states),
    "tables": Family("Tables and facts", tables.states),
    "queues": Family("Queues", queues.states),
    "statistics": Family("Charts and figures", statistics.states),
    "workers": Family("Workers", workers.states),
    "schedules": Family("Schedules", schedules.states),
    "operations": Family("Operations", operations.states),
    "actions": Family("Actions", actions.states),
    "bulk": Family("Bulk work", bulk.states),
    "todo": Family("One todo", todo.states),
    "todos": Family("Todos", todos.states, whole_pages=True),
    "documents": Family("Documents", documents.states, whole_pages=True),
}
