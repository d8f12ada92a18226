"""The pages of the operations: what goes on, what was done, and stopping one."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_ui.ports import Response
from switchboard_wire.operations import OperationsPage, OperationState
from tests.ui.pages.screen import JSON, Surroundings, opened
from tests.ui.views.samples import NOW, operation

PATH = "/api/operations"
GONE = Response(404, '{"error": {"code": "not_found", "message": "There is no such operation."}}', JSON)


def page(*operations: Any, more: int | None = None) -> OperationsPage:
    return OperationsPage(operations, more)


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/operations"
    surroundings.answers[PATH] = page(operation(changed=10, skipped=2))
    return surroundings


async def test_each_operation_is_a_row_with_its_set_in_words_and_its_progress(around: Surroundings) -> None:
    async with opened(around) as screen:
        table = screen.text("operations")
        assert "Operation 7Retry dead todos of queue mailrunning" in table
        assert "12 of 3010200ada08:30:00 CET" in table
        assert '<progress value="12" max="30" aria-labelledby="progress-7"></progress>' in screen.html
        assert 'href="/operations/7"' in screen.html


async def test_a_set_that_is_being_collected_has_no_bar(around: Surroundings) -> None:
    around.answers[PATH] = page(operation(state=OperationState.SCANNING, total=None))
    async with opened(around) as screen:
        assert screen.text("progress-7") == "collecting the set"
        assert "<progress" not in screen.html


async def test_none_is_said_and_unknown_ones_are_not_none(around: Surroundings) -> None:
    around.hanging = PATH
    async with opened(around) as screen:
        assert 'aria-busy="true"' in screen.html
    around.hanging = ""
    around.answers[PATH] = page()
    async with opened(around) as screen:
        assert screen.text("operations-empty") == "No operation has been submitted."


async def test_pages_follow_each_other_by_addresses(around: Surroundings) -> None:
    around.answers[PATH] = page(operation(9), operation(8), more=8)
    async with opened(around) as screen:
        assert screen.element("page-next")["attributes"]["href"] == "/operations?before=8"
        around.answers[PATH] = page(operation(7))
        await screen.go("/operations?before=8")
        assert around.asked[-1] == f"{PATH}?before_id=8"
        assert screen.text("operations-caption") == "Operations: 1 on this page, the newest first."
        assert around.title == "Operations, page 2 - Switchboard"
        assert around.focused[-1] == "operations-caption"


async def test_an_address_that_is_no_place_in_the_listing_lists_nothing(around: Surroundings) -> None:
    around.address = "/operations?before=latest"
    async with opened(around) as screen:
        assert "This is no place in the listing." in screen.text("refused-address")
        assert PATH not in around.asked


async def test_a_refresh_that_brings_nothing_new_redraws_nothing_but_the_age(around: Surroundings) -> None:
    async with opened(around) as screen:
        updates = screen.updates
        await screen.pass_time(12)
        assert around.asked.count(PATH) >= 3
        assert screen.updates - updates <= 12  # one sentence a second


async def test_progress_redraws_its_row_alone(around: Surroundings) -> None:
    around.answers[PATH] = page(operation(8), operation(7))
    async with opened(around) as screen:
        around.answers[PATH] = page(operation(8, changed=5), operation(7))
        screen.paths.clear()
        await screen.pass_time(6)
        assert len([path for path, tag in screen.paths if tag == "tr"]) == 1
        assert screen.text("progress-8") == "5 of 30"


async def test_cancelling_asks_names_the_set_and_tells(around: Surroundings) -> None:
    around.answers[f"{PATH}/7/cancel"] = operation(state=OperationState.CANCELING)
    async with opened(around) as screen:
        await screen.click("cancel-7")
        assert screen.text("cancel-7-dialog-heading") == "Cancel operation 7?"
        assert screen.text("cancel-7-dialog").startswith(
            "Cancel operation 7?Retry: dead todos of queue mail.Done so far: 12 of 30."
        )
        await screen.click("cancel-7-yes")
        assert screen.text("cancel-7-outcome") == "Operation 7 is being canceled."
        around.answers[PATH] = page(operation(state=OperationState.CANCELED, finished_at=NOW))
        await screen.pass_time(6)
        # The button that was pressed stays, and the focus with it.
        assert screen.element("cancel-7")["attributes"]["aria-disabled"] == "true"
        await screen.click("cancel-7")
        assert screen.text("cancel-7-outcome") == "Operation 7 has ended."
        assert [request.path for request in around.sent if request.csrf_token] == [f"{PATH}/7/cancel"]


async def test_what_has_ended_and_what_others_began_offer_no_cancel(around: Surroundings) -> None:
    around.answers[PATH] = page(operation(8, human="bob"), operation(7, state=OperationState.DONE, finished_at=NOW))
    async with opened(around) as screen:
        assert not screen.has("cancel-8")
        assert not screen.has("cancel-7")


async def test_one_operation_tells_all_its_facts(around: Surroundings) -> None:
    around.address = "/operations/7"
    around.answers[f"{PATH}/7"] = operation(
        state=OperationState.FAILED, changed=3, conflict=1, finished_at=NOW, error="The database went away."
    )
    async with opened(around) as screen:
        assert screen.text("heading") == "Operation 7"
        assert screen.text("operation-state") == "failed"
        for name, value in (
            ("What", "Retry"),
            ("Expected", "30"),
            ("Changed", "3"),
            ("Left alone", "0"),
            ("In conflict", "1"),
            ("Error", "The database went away."),
        ):
            assert f"<dt>{name}</dt><dd>{value}</dd>" in screen.html
        assert 'href="/jobs?queue=mail&amp;state=dead"' in screen.html
        assert not screen.has("cancel-7")


async def test_an_operation_that_never_was_is_said(around: Surroundings) -> None:
    around.address = "/operations/7"
    around.answers[f"{PATH}/7"] = GONE
    async with opened(around) as screen:
        assert screen.text("no-longer-found") == "There is no such operation that you may see."
