"""Which component draws which page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switchboard_ui.core.places import PageName
from switchboard_ui.pages.about import about_page
from switchboard_ui.pages.board import board_page
from switchboard_ui.pages.dead_letters import dead_letters_page
from switchboard_ui.pages.operation import operation_page
from switchboard_ui.pages.operations import operations_page
from switchboard_ui.pages.queue import queue_page
from switchboard_ui.pages.queues import queues_page
from switchboard_ui.pages.schedules import schedules_page
from switchboard_ui.pages.statistics import statistics_page
from switchboard_ui.pages.todo import todo_page
from switchboard_ui.pages.todos import todos_page
from switchboard_ui.pages.workers import workers_page

DRAWN: Mapping[PageName, Any] = {
    PageName.BOARD: board_page,
    PageName.JOBS: todos_page,
    PageName.JOB: todo_page,
    PageName.QUEUES: queues_page,
    PageName.QUEUE: queue_page,
    PageName.DEAD_LETTERS: dead_letters_page,
    PageName.WORKERS: workers_page,
    PageName.SCHEDULES: schedules_page,
    PageName.OPERATIONS: operations_page,
    PageName.OPERATION: operation_page,
    PageName.STATISTICS: statistics_page,
    PageName.ABOUT: about_page,
}
