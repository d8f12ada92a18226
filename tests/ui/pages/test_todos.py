"""The page of the todos: filter, choice, bulk work, and its pages."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from switchboard_ui.ports import Response
from switchboard_wire.operations import Operation, OperationPreview, OperationState
from switchboard_wire.reads import JobsCount, JobsPage
from switchboard_wire.todo import TodoState
from tests.ui.pages.screen import JSON, Screen, Surroundings, opened
from tests.ui.views.samples import EXHAUSTED, NOW, todo

QUERY, COUNT = "/api/v1/jobs/query", "/api/v1/jobs/count"
PREVIEW, SUBMIT = "/api/operations/preview", "/api/operations"
ABSENT = Response(404, '{"error": {"code": "not_found", "message": ""}}', JSON)


def operation(number: int, state: OperationState, **counts: int) -> Operation:
    values = {"changed": 0, "skipped": 0, "conflict": 0, "gone": 0} | counts
    return Operation(
        id=number,
        kind="retry",
        filter={"ids": [2, 3]},
        all=False,
        queue=None,
        state=state,
        expected=2,
        total=2,
        human="ada",
        created_at=NOW,
        started_at=NOW,
        finished_at=NOW if state is OperationState.DONE else None,
        error=None,
        **values,
    )


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/jobs"
    surroundings.answers[QUERY] = page(3, 2, 1)
    surroundings.answers[COUNT] = JobsCount(3, False, 10_000)
    return surroundings


def page(*numbers: int, more: int | None = None) -> JobsPage:
    return JobsPage(tuple(todo(number) for number in numbers), more)


def bodies(around: Surroundings, path: str) -> list[dict[str, Any]]:
    return [json.loads(request.body or "{}") for request in around.sent if request.path == path]


def rows(screen: Screen) -> list[str]:
    return [part.split('"')[0] for part in screen.html.split('data-todo="')[1:]]


async def test_each_todo_is_a_row_with_what_it_waits_for(around: Surroundings) -> None:
    failed = {"state": TodoState.FAILED, "next_retry_at": NOW + timedelta(minutes=5), "error": "no route\nto host"}
    held = {
        "state": TodoState.CLAIMED,
        "claimant": "agents",
        "worker": "w-1",
        "attempt": 1,
        "lease_expires_at": NOW + timedelta(minutes=1),
    }
    around.answers[QUERY] = JobsPage((todo(9, admission=EXHAUSTED), todo(8, **failed), todo(7, **held)), None)
    async with opened(around) as screen:
        assert rows(screen) == ["9", "8", "7"]
        text = screen.text("jobs")
        assert "pending ◷deferred · budget · eligible 00:00 PST" not in text  # no policy zone is known here
        assert "deferred · budget · eligible 09:00 CET" in text
        assert "failed retried from 08:35:00 CET no route to host" in text
        assert "claimed lease ends 08:31:00 CET held by agents · w-1" in text
        assert "1 of 5" in text


async def test_unknown_todos_are_neither_none_nor_zero(around: Surroundings) -> None:
    around.status = 503
    async with opened(around) as screen:
        assert "There are no todos" not in screen.html
        assert "match, counted" not in screen.html
        assert not screen.has("jobs")


async def test_no_todo_and_no_match_are_different_sentences(around: Surroundings) -> None:
    around.answers[QUERY] = page()
    async with opened(around) as screen:
        assert screen.text("jobs-empty") == "There are no todos yet."
        await screen.go("/jobs?queue=mail")
        assert screen.text("jobs-empty") == "No todo matches."


async def test_the_filter_of_the_address_is_what_is_asked_for(around: Surroundings) -> None:
    around.address = (
        "/jobs?queue=mail&state=failed&state=dead&tag=b&tag=a&created_from=2026-11-30T00:00:00Z&before=9&before=4"
    )
    async with opened(around) as screen:
        (asked,) = bodies(around, QUERY)
        assert asked["filter"] == {
            "queue": "mail",
            "states": ["dead", "failed"],
            "tags": ["a", "b"],
            "created_at_gte": "2026-11-30T00:00:00Z",
        }
        assert asked["page"] == {"before_id": 4, "limit": 50}
        chips = "Only: queue mail ✕List without queue mailfailed or dead ✕List without failed or dead"
        assert screen.text("filter-chips").startswith(chips)
        assert "created from Mon 30 Nov 01:00 CET" in screen.text("filter-chips")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("colour=red", "colour"),
        ("queue=a&queue=b", "queue"),
        ("state=lost", "state"),
        ("id=0", "id"),
        ("id=x", "id"),
        ("created_from=2026-11-30T00:00", "created_from"),
        ("queue=", "queue"),
        ("before=x", "before"),
    ],
)
async def test_an_address_that_asks_for_what_there_is_not_lists_nothing(
    around: Surroundings, query: str, field: str
) -> None:
    around.address = f"/jobs?{query}"
    async with opened(around) as screen:
        assert screen.text("refused-address").startswith(f"This address cannot be used{field}: ")
        assert bodies(around, QUERY) == []


async def test_applying_the_form_goes_to_the_filters_address_on_its_first_page(around: Surroundings) -> None:
    around.address = "/jobs?queue=old&before=9"
    async with opened(around) as screen:
        await screen.submit(
            "filter", queue=" mail ", kind="", tag="a, b,a", id="#7 8", created_from="2026-11-30T08:00", state=["dead"]
        )
        assert around.history == [
            "/jobs?id=7&id=8&queue=mail&state=dead&tag=a&tag=b&created_from=2026-11-30T07%3A00%3A00Z"
        ]
        assert bodies(around, QUERY)[-1]["page"] == {"limit": 50}
        assert around.title == "Todos - Switchboard"


@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"id": "seven"}, "id", "A todo's number has digits only."),
        ({"created_from": "yesterday"}, "created_from", "Enter a date and a time"),
        ({"created_from": "2026-11-30T08:00", "created_to": "2026-11-30T08:00"}, "created_to", "later than"),
        ({"queue": "x" * 201}, "queue", "200"),
    ],
)
async def test_what_a_field_cannot_take_is_said_at_the_field_and_nothing_is_asked_for(
    around: Surroundings, values: dict[str, str], field: str, words: str
) -> None:
    async with opened(around) as screen:
        asked = len(bodies(around, QUERY))
        await screen.submit("filter", **values)
        assert words in screen.text(f"filter-{field}-error")
        assert screen.element(f"filter-{field}")["attributes"]["aria-invalid"] == "true"
        assert around.focused[-1] == f"filter-{field}"
        assert (around.history, len(bodies(around, QUERY))) == ([], asked)


async def test_what_matches_is_counted_when_the_filter_changes_and_on_request_only(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("count").startswith("3 match, counted at 08:30:00 CET")
        await screen.pass_time(40)
        assert len(bodies(around, COUNT)) == 1
        assert len(bodies(around, QUERY)) > 5
        await screen.go("/jobs?before=1")
        assert len(bodies(around, COUNT)) == 1
        around.answers[COUNT] = JobsCount(10_000, True, 10_000)
        await screen.go("/jobs?queue=mail")
        assert len(bodies(around, COUNT)) == 2
        assert screen.text("count").startswith("10,000 or more match")
        await screen.pass_time(1)
        assert screen.text("announcements") == "10,000 or more match."
        await screen.click("count-again")
        await screen.pass_time(3)
        assert len(bodies(around, COUNT)) == 3


async def test_pages_have_addresses_titles_and_a_way_back(around: Surroundings) -> None:
    around.answers[QUERY] = page(9, 8, more=8)
    async with opened(around) as screen:
        assert screen.element("page-next")["attributes"]["href"] == "/jobs?before=8"
        await screen.go("/jobs?before=8")
        assert around.title == "Todos, page 2 - Switchboard"
        assert around.focused[-1] == "jobs-caption"
        assert screen.element("page-previous")["attributes"]["href"] == "/jobs"
        assert "Page 2, more available" in screen.html


async def choose(screen: Screen, *numbers: int) -> None:
    for number in numbers:
        await screen.check(f"choose-{number}")


async def test_a_choice_pauses_the_list_and_says_so(around: Surroundings) -> None:
    async with opened(around) as screen:
        await choose(screen, 3, 2)
        assert screen.text("chosen") == "2 selected; the list is paused meanwhile."
        assert screen.element("freshness")["attributes"]["data-state"] == "paused"
        asked = len(bodies(around, QUERY))
        await screen.pass_time(40)
        assert len(bodies(around, QUERY)) == asked
        await screen.click("choose-none")
        await screen.pass_time(3)
        assert screen.text("chosen") == "None selected. With all todos:"
        assert len(bodies(around, QUERY)) == asked + 1


async def test_what_is_chosen_stays_readable_and_chosen_when_it_leaves_the_list(around: Surroundings) -> None:
    async with opened(around) as screen:
        await choose(screen, 3, 2)
        await screen.click("choose-resume")
        around.answers[QUERY] = page(5, 4, 3, 1)
        await screen.pass_time(6)
        assert rows(screen) == ["5", "4", "3", "2", "1"]
        assert "no longer listed last seen as pending" in screen.text("jobs")
        assert screen.text("chosen") == "2 selected; the list goes on being updated."
        await screen.check("choose-2", False)
        assert rows(screen) == ["5", "4", "3", "1"]


async def test_the_box_for_all_chooses_what_is_on_the_page(around: Surroundings) -> None:
    async with opened(around) as screen:
        await choose(screen, 3)
        assert screen.element("choose-all")["attributes"]["indeterminate"] is True
        await screen.check("choose-all")
        assert screen.text("chosen").startswith("3 selected;")
        assert screen.element("choose-all")["attributes"]["checked"] is True
        assert screen.element("choose-all")["attributes"]["indeterminate"] is False


async def test_choosing_one_row_redraws_its_box_and_no_row(around: Surroundings) -> None:
    async with opened(around) as screen:
        screen.paths.clear()
        await choose(screen, 2)
        assert "tr" not in {tag for _, tag in screen.paths}
        assert [tag for _, tag in screen.paths].count("label") == 2  # its own, and the one for all


async def test_bulk_work_is_previewed_confirmed_by_name_and_followed_to_its_end(around: Surroundings) -> None:
    around.answers[PREVIEW] = OperationPreview(2, False, 1, False, 10_000, (3, 2))
    around.answers[SUBMIT] = operation(7, OperationState.SCANNING)
    around.answers["/api/operations/7"] = operation(7, OperationState.RUNNING, changed=1)
    async with opened(around) as screen:
        await choose(screen, 3, 2)
        await screen.click("bulk-retry")
        assert bodies(around, PREVIEW) == [{"kind": "retry", "filter": {"ids": [2, 3]}}]
        assert screen.text("bulk-retry-dialog-heading") == "Retry the 2 selected todos?"
        told = "2 todos match. 1 of them can be retried; the others are left alone."
        assert screen.text("bulk-retry-told") == told
        assert "The newest: #3, #2." in screen.text("bulk-retry-dialog")
        assert bodies(around, SUBMIT) == []
        assert screen.text("bulk-retry-yes") == "Retry 1 todo"
        await screen.click("bulk-retry-yes")
        (sent,) = bodies(around, SUBMIT)
        assert len(sent.pop("key")) == 32
        assert sent == {"kind": "retry", "filter": {"ids": [2, 3]}, "expected": 2}
        assert not screen.has("bulk-retry-dialog")
        assert screen.text("chosen") == "None selected. With all todos:"
        assert screen.text("operation") == "Operation 7: 1 of 2 done so far."
        around.answers["/api/operations/7"] = operation(7, OperationState.DONE, changed=1, skipped=1)
        await screen.pass_time(4)
        assert screen.text("operation") == "Operation 7 is done. 1 todo retried, 1 left alone."
        asked = around.asked.count("/api/operations/7")
        await screen.pass_time(40)
        assert around.asked.count("/api/operations/7") == asked


async def test_without_a_choice_bulk_work_is_about_all_that_matches_and_says_so(around: Surroundings) -> None:
    around.answers[PREVIEW] = OperationPreview(812, False, 812, False, 10_000, (9, 8))
    async with opened(around) as screen:
        await screen.click("bulk-purge")
        assert screen.text("bulk-purge-dialog-heading") == "Delete all todos?"
        assert bodies(around, PREVIEW)[-1] == {"kind": "purge", "filter": {}, "all": True}
        await screen.click("bulk-purge-no")
        await screen.go("/jobs?queue=mail")
        await screen.click("bulk-cancel")
        assert screen.text("bulk-cancel-dialog-heading") == "Cancel all todos of queue mail?"
        assert bodies(around, PREVIEW)[-1] == {"kind": "cancel", "filter": {"queue": "mail"}}
        assert screen.text("bulk-cancel-told") == "812 todos match. All of them can be canceled."


async def test_a_move_asks_where_to_before_it_counts(around: Surroundings) -> None:
    around.answers[PREVIEW] = OperationPreview(1, False, 1, False, 10_000, (3,))
    async with opened(around) as screen:
        await choose(screen, 3)
        await screen.click("bulk-move")
        assert bodies(around, PREVIEW) == []
        assert not screen.has("bulk-move-yes")
        await screen.submit("bulk-move-where", queue=" ")
        assert screen.text("bulk-move-told") == "Enter the name of the queue to move to."
        await screen.submit("bulk-move-where", queue="later")
        assert bodies(around, PREVIEW) == [{"kind": "move", "filter": {"ids": [3]}, "queue": "later"}]
        assert screen.text("bulk-move-yes") == "Move 1 todo"


async def test_when_nothing_can_be_changed_there_is_nothing_to_confirm(around: Surroundings) -> None:
    around.answers[PREVIEW] = OperationPreview(3, False, 0, False, 10_000, (3, 2, 1))
    async with opened(around) as screen:
        await screen.click("bulk-retry")
        assert screen.text("bulk-retry-told") == "3 todos match. None of them can be retried by you."
        assert not screen.has("bulk-retry-yes")


async def test_a_refused_submission_leaves_the_dialog_with_the_servers_words(around: Surroundings) -> None:
    around.answers[PREVIEW] = OperationPreview(3, False, 3, False, 10_000, (3, 2, 1))
    refusal = '{"error": {"code": "conflict", "message": "This key stands for another operation."}}'
    around.answers[SUBMIT] = Response(409, refusal, JSON)
    async with opened(around) as screen:
        await screen.click("bulk-retry")
        await screen.click("bulk-retry-yes")
        assert screen.text("bulk-retry-told") == "This key stands for another operation."
        assert screen.has("bulk-retry-dialog")


async def test_an_older_server_shows_its_newest_todos_unfiltered_and_says_so(around: Surroundings) -> None:
    around.answers[QUERY] = around.answers[COUNT] = ABSENT
    around.answers["/api/jobs"] = page(3, 2)
    async with opened(around) as screen:
        await screen.settle()
        assert rows(screen) == ["3", "2"]
        assert screen.text("cannot-filter").startswith("This server cannot filter")
        assert screen.text("count") == "This server cannot count what matches."
        assert not screen.has("bulk-retry")
        assert screen.element("freshness")["attributes"]["data-state"] == "fresh"


async def test_an_older_server_never_answers_a_filter_with_an_unfiltered_list(around: Surroundings) -> None:
    around.answers[QUERY] = around.answers[COUNT] = ABSENT
    around.answers["/api/jobs"] = page(3, 2)
    around.address = "/jobs?queue=mail"
    async with opened(around) as screen:
        await screen.pass_time(3)
        assert screen.element("freshness")["attributes"]["data-state"] == "unsupported"
        assert "/api/jobs" not in around.asked
        assert not screen.has("jobs")
        assert not screen.has("jobs-empty")


async def test_a_half_filled_form_outlives_refreshes(around: Surroundings) -> None:
    async with opened(around) as screen:
        screen.paths.clear()
        around.answers[QUERY] = page(4, 3)
        await screen.pass_time(12)
        assert "form" not in {tag for _, tag in screen.paths}
        assert rows(screen) == ["4", "3"]
