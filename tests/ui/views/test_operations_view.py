"""Operations in words: the set by name, and no figure that is not known."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from switchboard_ui.core.operations_view import OperationRow, Progress, operation_row
from switchboard_wire.operations import Operation, OperationState
from tests.ui.views.samples import BERLIN, NOW, operation


def row(one: Operation) -> OperationRow:
    return operation_row(one, ZoneInfo(BERLIN), NOW)


def test_what_is_done_to_which_set_is_a_sentence() -> None:
    one = row(operation(filter={"queue": "mail", "states": ["dead"]}))
    assert (one.what, one.named_set) == ("Retry", "dead todos of queue mail")
    assert one.now_matching == (("queue", "mail"), ("state", "dead"))
    assert row(operation(kind="move", queue="later")).what == "Move to queue later"
    assert row(operation(kind="purge")).what == "Delete"


def test_a_later_releases_kind_and_filter_are_not_made_up() -> None:
    one = row(operation(kind="archive", filter={"mood": "blue"}))
    assert (one.what, one.named_set, one.now_matching) == ("archive", "a set that this page has no words for", None)


def test_all_means_what_its_human_manages() -> None:
    assert row(operation(filter={}, all=True)).named_set == "all todos that ada manages"


def test_more_numbers_than_an_address_can_hold_have_no_link() -> None:
    assert row(operation(filter={"ids": list(range(1, 1001))})).now_matching is None


@pytest.mark.parametrize(
    ("more", "progress"),
    [
        ({"state": OperationState.SCANNING, "total": None}, Progress(0, None, "collecting the set")),
        ({"state": OperationState.CANCELED, "total": None}, Progress(0, None, "the set was not collected")),
        (
            {"total": 2_000, "changed": 800, "skipped": 10, "conflict": 1, "gone": 1},
            Progress(812, 2_000, "812 of 2,000"),
        ),
        ({"state": OperationState.DONE, "total": 0}, Progress(0, 0, "0 of 0")),
    ],
)
def test_progress_is_a_share_only_of_what_is_known(more: dict[str, object], progress: Progress) -> None:
    assert row(operation(**more)).progress == progress


def test_it_is_active_until_it_has_ended() -> None:
    assert {state.value for state in OperationState if row(operation(state=state)).active} == {
        "scanning",
        "running",
        "canceling",
    }


def test_an_expectation_that_was_capped_is_no_number() -> None:
    assert row(operation(expected=None)).expected == "more than are counted"
    assert row(operation(expected=0)).expected == "0"
