"""Listings of todos: filter, rows in each state, a choice, pages; each state a page, since their ids are fixed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from reactpy import html

from switchboard_ui.components.choosing import choose_all, choose_row, chosen_line
from switchboard_ui.components.dead_letters_depth import dead_letters_depth
from switchboard_ui.components.filter_form import filter_fields, filter_form
from switchboard_ui.components.filtered_todos import filtered_todos
from switchboard_ui.components.form_field import FieldFault
from switchboard_ui.components.frame import frame
from switchboard_ui.components.operation_action import Target
from switchboard_ui.components.pagination import pagination
from switchboard_ui.components.refused_address import refused_address
from switchboard_ui.components.todos_count import todos_count
from switchboard_ui.components.todos_listing import Source, todos_listing
from switchboard_ui.components.todos_table import todo_cells, todos_table
from switchboard_ui.core.dead_letters_queries import dead_letters_depth_query
from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.outcomes import FailureKind
from switchboard_ui.core.places import PageName, Place
from switchboard_ui.core.selection import Selection
from switchboard_ui.core.todos_queries import newest_todos_query, todos_count_query, todos_query
from switchboard_ui.core.todos_view import TodoRow, todo_row, todo_rows
from switchboard_ui.core.zoned_time import viewer_zone
from switchboard_ui.gallery.still import NOW, VIEWER, read, still_context, unread
from switchboard_wire.admission import AdmissionState, AdmissionStatus, DeferralReason
from switchboard_wire.dead_letters import DlqDepth, QueueDepth
from switchboard_wire.errors import invalid
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operations import OperationKind
from switchboard_wire.reads import JobsCount, JobsPage
from switchboard_wire.todo import TodoState, TodoSummary

TODOS, LETTERS = Place(PageName.JOBS), Place(PageName.DEAD_LETTERS)
FILTER = JobFilter(queue="investigations", states=(TodoState.FAILED, TodoState.DEAD), tags=("eu", "nightly"))
QUERY, COUNT, DEPTH = todos_query(FILTER, None), todos_count_query(FILTER), dead_letters_depth_query()
MANY = JobsCount(10_000, True, 10_000)
FAILED = unread(State.ERROR, FailureKind.SERVER_ERROR)
UNSUPPORTED = unread(State.UNSUPPORTED, FailureKind.ROUTE_ABSENT)
LATER = NOW + timedelta(minutes=5)
PENDING = TodoSummary(
    id=41,
    scope="endpoint:research",
    queue="investigations",
    queue_id=1,
    kind="investigation",
    source="sensor",
    title="Look into the odd reading",
    tags=("eu",),
    state=TodoState.PENDING,
    attempt=0,
    max_attempts=5,
    created_at=NOW - timedelta(hours=1),
    updated_at=NOW - timedelta(hours=1),
    claimed_at=None,
    lease_expires_at=None,
    next_retry_at=None,
    not_before=None,
    finished_at=None,
    claimant=None,
    worker=None,
    error=None,
    admission=AdmissionStatus(AdmissionState.DEFERRED, DeferralReason.WINDOW_EXHAUSTED, NOW, exact=True),
)
PLAIN = replace(PENDING, admission=None)
IN_EACH_STATE = (
    PENDING,
    replace(PLAIN, id=40, state=TodoState.SCHEDULED, not_before=LATER),
    replace(PLAIN, id=39, state=TodoState.CLAIMED, claimant="research", worker="agent-1", lease_expires_at=LATER),
    replace(PLAIN, id=38, state=TodoState.FAILED, next_retry_at=LATER, attempt=2, error="No route to host. " * 20),
    replace(PLAIN, id=37, state=TodoState.DEAD, finished_at=NOW, attempt=5, error="No route to host."),
    replace(PLAIN, id=36, state=TodoState.DONE, finished_at=NOW, title="a-title-with-no-place-to-break" * 3),
    replace(PLAIN, id=35, state=TodoState.CANCELED, finished_at=NOW),
)


def states() -> dict[str, Any]:
    return {
        "not-read-yet": _page(filtered_todos(still_context(), TODOS, FILTER, _source(), _source(newest=True))),
        "listing-not-read-yet": _page(todos_listing(still_context(), TODOS, _source())),
        "filter-in-force": _page(filter_form(still_context(), TODOS, FILTER)),
        "filter-with-a-fault": _page(
            filter_fields(FILTER, ZoneInfo(VIEWER), FieldFault("id", "A todo's number has digits only."))
        ),
        "address-that-cannot-be-used": _page(
            refused_address(TODOS, invalid("colour", "A listing of todos has no such filter."))
        ),
        "listing": _page(todos_listing(still_context((QUERY, read(JobsPage(IN_EACH_STATE, 34)))), TODOS, _source())),
        "listing-that-cannot-be-read": _page(todos_listing(still_context((QUERY, FAILED)), TODOS, _source())),
        "count-not-read-yet": _page(todos_count(still_context(), COUNT, announced=False)),
        "count": _page(todos_count(still_context((COUNT, read(MANY))), COUNT, announced=False)),
        "count-unsupported": _page(todos_count(still_context((COUNT, UNSUPPORTED)), COUNT, announced=False)),
        "depth-not-read-yet": _page(dead_letters_depth(still_context(), LETTERS)),
        "depth-that-cannot-be-read": _page(dead_letters_depth(still_context((DEPTH, FAILED)), LETTERS)),
        "no-dead-letters": _page(dead_letters_depth(still_context((DEPTH, _depth())), LETTERS)),
        "depth": _page(dead_letters_depth(still_context((DEPTH, _depth(("triage", 1_234), ("builds", 2)))), LETTERS)),
        "rows-in-each-state": _page(_table(chosen=False)),
        "rows-chosen-and-gone": _page(_table(chosen=True)),
        "no-rows": _page(todos_table("jobs", "Todos", "", [], "No todo matches.")),
        "the-first-page": _page(pagination(TODOS, "50")),
        "the-last-page": _page(pagination(TODOS.with_cursors(("90", "50")), None)),
    }


def _page(*content: Any) -> Any:
    return frame(PageName.JOBS, "Todos", *content)


def _source(*, newest: bool = False) -> Source:
    target = Target(FILTER, "every todo that matches")
    query = newest_todos_query() if newest else QUERY
    return Source(query, _rows, _next_page, target, (OperationKind.RETRY, OperationKind.PURGE), "No todo matches.")


def _rows(page: JobsPage) -> dict[int, TodoRow]:
    return todo_rows(page.jobs, VIEWER, NOW)


def _next_page(page: JobsPage) -> str:
    return str(page.next_before_id)


def _depth(*queues: tuple[str, int]) -> Observation[DlqDepth]:
    rows = [QueueDepth(each, "endpoint:research", name, count, False, NOW) for each, (name, count) in enumerate(queues)]
    return read(DlqDepth(tuple(rows), sum(count for _, count in queues), False, 10_000, NOW))


def _table(*, chosen: bool) -> Any:
    zone = viewer_zone(VIEWER)
    rows = [todo_row(one, zone, NOW) for one in IN_EACH_STATE]
    selection: Selection[TodoRow] = Selection()
    if chosen:
        rows[-1] = replace(rows[-1], listed=False)
        selection.choose({row.id: row for row in rows[:2]} | {rows[-1].id: rows[-1]})
    context = still_context()
    drawn = [html.fragment({"key": str(row.id)}, todo_cells(row, choose_row(selection, row.id, row))) for row in rows]
    every = choose_all(context, selection, lambda: {row.id: row for row in rows})
    return html.div(
        chosen_line(context, selection, QUERY, "every todo that matches"),
        todos_table("jobs", "Todos: 7 on this page.", every, drawn, "No todo matches."),
    )
