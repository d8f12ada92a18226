"""Every text of the board."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from switchboard_ui.core.board_view import SHOWN_PER_QUEUE, BoardView, Chip, QueueCard, board_view
from switchboard_ui.core.zoned_time import ZonedTime
from switchboard_wire.admission import AdmissionStatus
from switchboard_wire.policy import Policy
from switchboard_wire.reads import PENDING_COUNT_CAP, JobsPage, QueueOverview
from tests.ui.views.samples import (
    ADMITTED,
    BERLIN,
    EXHAUSTED,
    FULL,
    LOS_ANGELES,
    NOW,
    PAUSED,
    UNAVAILABLE,
    budget,
    jobs,
    overview,
    queues,
    todo,
)

MIDNIGHT = "2026-12-01T08:00:00Z"
NAMES = ["Builds", "straße", "triage"]


def card(one: QueueOverview, listed: JobsPage | None = None, viewer: str = BERLIN) -> QueueCard:
    view = board_view(queues(one), listed, viewer, NOW)
    assert view.queues is not None
    return view.queues[0]


def chip_of(admission: AdmissionStatus, viewer: str = BERLIN) -> Chip:
    shown = card(overview(policy=budget(100), pending=1), jobs(todo(admission=admission)), viewer).waiting
    assert shown is not None
    assert shown[0].chip is not None
    return shown[0].chip


def test_an_exhausted_budget_reads_as_in_the_specification() -> None:
    shown = card(overview(policy=budget(100), status=EXHAUSTED, used=100, pending=12))
    assert shown.used == "100 of 100 used"
    assert shown.status == "budget used up"
    assert shown.reason == "window_exhausted"
    assert shown.pending == "12 waiting"
    assert shown.resets == ZonedTime(MIDNIGHT, "Tue 1 Dec 00:00 PST (America/Los_Angeles) · 09:00 your time")


def test_a_cap_is_shown_against_what_is_in_flight() -> None:
    shown = card(overview(policy=Policy(max_in_flight=3), in_flight=2))
    assert shown.in_flight == "2 of 3 in flight"
    assert (shown.used, shown.resets) == (None, None)
    assert (shown.status, shown.reason) == ("admitted", None)


def test_without_a_policy_there_is_a_count_but_no_limit() -> None:
    shown = card(overview(in_flight=4))
    assert not shown.has_policy
    assert shown.in_flight == "4 in flight"
    assert (shown.used, shown.resets, shown.fault) == (None, None, None)


def test_what_is_unknown_is_never_shown_as_zero() -> None:
    shown = card(overview(policy=budget(100), status=UNAVAILABLE, used=None))
    assert shown.used == "unknown of 100 used"


def test_a_policy_that_cannot_be_read_has_no_figures_but_its_fault() -> None:
    shown = card(overview(policy=None, fault="the zone Mars/Base is unknown", status=UNAVAILABLE, used=None))
    assert shown.has_policy
    assert shown.used is None
    assert (shown.status, shown.reason) == ("unavailable", "admission_unavailable")
    assert shown.fault == "the zone Mars/Base is unknown"


def test_a_limit_of_zero_is_paused_and_shown_as_it_is() -> None:
    shown = card(overview(policy=budget(0, in_flight=0), status=PAUSED, used=0))
    assert (shown.used, shown.in_flight, shown.status) == ("0 of 0 used", "0 of 0 in flight", "paused")


def test_large_numbers_are_grouped() -> None:
    shown = card(overview(policy=budget(1_000_000, 10_000), used=999_999, in_flight=1234, pending=9999))
    assert shown.used == "999,999 of 1,000,000 used"
    assert shown.in_flight == "1,234 of 10,000 in flight"
    assert shown.pending == "9,999 waiting"


@pytest.mark.parametrize(
    ("policy_zone", "viewer", "text"),
    [
        (LOS_ANGELES, LOS_ANGELES, "Tue 1 Dec 00:00 PST (America/Los_Angeles)"),
        # another zone whose clock reads the same
        (LOS_ANGELES, "America/Tijuana", "Tue 1 Dec 00:00 PST (America/Los_Angeles)"),
        (LOS_ANGELES, "UTC", "Tue 1 Dec 00:00 PST (America/Los_Angeles) · 08:00 UTC"),
        ("Asia/Kathmandu", "Asia/Kathmandu", "13:45 UTC+05:45 (Asia/Kathmandu)"),
    ],
)
def test_the_reset_is_told_once_when_both_clocks_read_the_same(policy_zone: str, viewer: str, text: str) -> None:
    shown = card(overview(policy=budget(5, zone=policy_zone), used=1), viewer=viewer)
    assert shown.resets is not None
    assert shown.resets.text == text


def test_a_window_without_a_known_boundary_tells_none() -> None:
    one = overview(policy=budget(5), used=1)
    assert card(replace(one, admission=replace(one.admission, window_resets_at=None))).resets is None


def test_the_chip_of_a_budget_says_when_exactly_in_the_policys_zone() -> None:
    chip = chip_of(EXHAUSTED)
    assert (chip.text, chip.until, chip.reason) == ("deferred · budget", "eligible", "window_exhausted")
    assert chip.at == ZonedTime(MIDNIGHT, "Tue 1 Dec 00:00 PST")


def test_the_chip_of_a_budget_has_no_date_on_the_same_day() -> None:
    view = board_view(
        queues(overview(policy=budget(100), pending=1)),
        jobs(todo(admission=EXHAUSTED)),
        BERLIN,
        datetime(2026, 12, 1, 9, 0, tzinfo=UTC),
    )
    assert view.queues is not None
    assert view.queues[0].waiting is not None
    assert view.queues[0].waiting[0].chip == Chip(
        "deferred · budget", "window_exhausted", "eligible", ZonedTime(MIDNIGHT, "00:00 PST")
    )


def test_the_chip_of_a_full_queue_promises_nothing_and_reads_in_the_viewers_zone() -> None:
    chip = chip_of(FULL)
    assert (chip.text, chip.until) == ("deferred · in flight", "possibly eligible from")
    assert chip.at == ZonedTime(MIDNIGHT, "09:00 CET")


@pytest.mark.parametrize(("status", "text"), [(PAUSED, "deferred · paused"), (UNAVAILABLE, "deferred · unavailable")])
def test_a_chip_without_a_time_has_none(status: AdmissionStatus, text: str) -> None:
    chip = chip_of(status)
    assert (chip.text, chip.until, chip.at) == (text, "", None)


def test_an_admitted_todo_has_no_chip() -> None:
    for admission in (None, ADMITTED):
        shown = card(overview(pending=1), jobs(todo(admission=admission))).waiting
        assert shown is not None
        assert shown[0].chip is None


def test_a_todo_is_named_by_its_title_else_by_its_kind() -> None:
    shown = card(overview(pending=2), jobs(todo(7, title="Look"), todo(8, title="", kind="triage"))).waiting
    assert shown is not None
    assert [(one.id, one.title, one.kind) for one in shown] == [(7, "Look", "investigation"), (8, "triage", "triage")]
    assert shown[0].created == ZonedTime("2026-12-01T07:00:00Z", "08:00 CET")


def test_attempts_are_told_from_the_first_on() -> None:
    shown = card(overview(pending=2), jobs(todo(1), todo(2, attempt=2))).waiting
    assert shown is not None
    assert [one.attempt for one in shown] == [None, "tried 2 of 5"]


def test_todos_stand_under_their_own_queue() -> None:
    view = board_view(
        queues(overview("a", queue_id=1), overview("a", queue_id=2)),
        jobs(todo(5, queue_id=2), todo(4, queue_id=1), todo(3, queue_id=2)),
        BERLIN,
        NOW,
    )
    assert view.queues is not None
    assert [[one.id for one in shown.waiting or ()] for shown in view.queues] == [[4], [5, 3]]


def test_without_the_jobs_what_waits_is_not_known_rather_than_nothing() -> None:
    shown = card(overview(pending=3))
    assert (shown.waiting, shown.more) == (None, None)


def test_a_part_of_the_list_says_that_it_is_a_part() -> None:
    listed = jobs(*(todo(number) for number in range(30, 0, -1)))
    shown = card(overview(pending=30), listed)
    assert shown.waiting is not None
    assert len(shown.waiting) == SHOWN_PER_QUEUE
    assert shown.more == "Showing the newest 20 of 30 waiting."
    assert card(overview(pending=2), jobs(todo(2), todo(1))).more is None


def test_todos_beyond_the_listed_ones_are_not_forgotten() -> None:
    """The read of jobs ends before this queue's: the count still tells of them."""
    shown = card(overview(pending=3), jobs())
    assert shown.waiting == ()
    assert shown.more == "Showing the newest 0 of 3 waiting."


def test_a_capped_count_says_so() -> None:
    shown = card(overview(pending=PENDING_COUNT_CAP, capped=True), jobs(todo()))
    assert shown.pending == "10,000 or more waiting"
    assert shown.more == "Showing the newest 1 of more than 10,000 waiting."


def test_nothing_read_is_not_nothing_there() -> None:
    assert board_view(None, jobs(todo()), BERLIN, NOW) == BoardView(None)
    assert board_view(queues(), None, BERLIN, NOW) == BoardView(())


def test_the_same_answer_gives_the_same_view() -> None:
    def read() -> BoardView:
        return board_view(queues(overview(policy=budget(9), used=1)), jobs(todo()), BERLIN, NOW)

    assert read() == read()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", NAMES),
        ("   ", NAMES),
        ("i", ["Builds", "triage"]),
        (" BUILD ", ["Builds"]),
        ("STRASSE", ["straße"]),
        ("nothing", []),
    ],
)
def test_the_filter_matches_parts_of_names_in_any_case(text: str, names: list[str]) -> None:
    view = board_view(
        queues(*(overview(name, queue_id=number) for number, name in enumerate(NAMES))), None, BERLIN, NOW
    )
    matching = view.matching(text)
    assert [one.name for one in matching.queues or ()] == names
    assert matching.narrowed == bool(text.strip())


def test_a_filter_over_nothing_read_is_still_nothing_read() -> None:
    assert BoardView(None).matching("a") == BoardView(None)


def test_an_unknown_zone_of_the_browser_falls_back_to_utc() -> None:
    shown = card(overview(policy=budget(5), used=1), viewer="Mars/Base").resets
    assert shown is not None
    assert shown.text.endswith(" · 08:00 UTC")
