"""What a listener hears, and above all what not (D34)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switchboard_ui.core.announcements import (
    BoardNews,
    TrustNews,
    announcement,
    filter_announcement,
    trust_announcement,
)
from switchboard_ui.core.board_view import BoardView, board_view
from switchboard_ui.core.freshness_view import FreshnessView, reading
from switchboard_ui.core.voice import Voice
from switchboard_wire.admission import AdmissionStatus
from switchboard_wire.policy import Policy
from tests.ui.views.samples import ADMITTED, BERLIN, EXHAUSTED, FULL, NOW, PAUSED, budget, jobs, overview, queues, todo

READING = reading("the board")
FRESH = FreshnessView("fresh", "Up to date as of 08:30:00, 7 s ago.")
STALE = FreshnessView("stale", "Stale: the server cannot be reached. Shown as of 08:30:00. Trying again.", trouble=True)
RESUMED = FreshnessView("stale", "Stale: updates were stopped for a while. Shown as of 08:30:00.")
BY_HAND = FreshnessView("paused", "Updates are paused. Shown as of 08:30:00, 7 s ago.")
SIGNED_OUT = FreshnessView("signed_out", "You are signed out.", ("/sign-in", "Sign in"), trouble=True)
NOTHING = BoardView(None)


def board(*statuses: AdmissionStatus, used: int = 1, pending: int = 3) -> BoardView:
    """Queues named a, b, c … in these states."""
    return board_view(
        queues(
            *(
                overview(name, queue_id=number, policy=budget(100), status=status, used=used, pending=pending)
                for number, (name, status) in enumerate(zip("abcdefg", statuses, strict=False))
            )
        ),
        jobs(todo()),
        BERLIN,
        NOW,
    )


def test_one_queue_that_flips_is_one_sentence_with_its_name_and_reset_time() -> None:
    sentence = announcement(board(ADMITTED, ADMITTED), board(ADMITTED, EXHAUSTED))
    assert sentence == (
        "Queue b: budget used up, resets at Tue 1 Dec 00:00 PST (America/Los_Angeles) · 09:00 your time."
    )


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (ADMITTED, PAUSED, "Queue a: paused."),
        (ADMITTED, FULL, "Queue a: in flight full."),
        (EXHAUSTED, ADMITTED, "Queue a admits claims again."),
        (PAUSED, FULL, "Queue a: in flight full."),
    ],
)
def test_every_change_of_state_is_told(before: AdmissionStatus, after: AdmissionStatus, sentence: str) -> None:
    assert announcement(board(before), board(after)) == sentence


def test_a_burst_is_one_sentence() -> None:
    before, after = board(*[ADMITTED] * 4), board(EXHAUSTED, PAUSED, FULL, PAUSED)
    assert announcement(before, after) == ("4 queues changed: a budget used up, b paused, c in flight full, d paused.")


def test_numbers_alone_are_no_news() -> None:
    assert announcement(board(ADMITTED, used=1), board(ADMITTED, used=99, pending=7)) is None


def test_the_first_data_and_the_loss_of_it_are_no_change() -> None:
    assert announcement(NOTHING, board(EXHAUSTED)) is None
    assert announcement(board(EXHAUSTED), NOTHING) is None


def test_queues_that_come_and_go_are_no_change_of_state() -> None:
    assert announcement(board(ADMITTED), board(ADMITTED, EXHAUSTED)) is None
    assert announcement(board(ADMITTED, EXHAUSTED), board(ADMITTED)) is None


def test_a_queue_without_a_window_has_no_reset_time() -> None:
    def one(status: AdmissionStatus) -> BoardView:
        return board_view(queues(overview("a", policy=Policy(max_in_flight=1), status=status)), None, BERLIN, NOW)

    assert announcement(one(ADMITTED), one(replace(EXHAUSTED, next_eligible_at=None))) == "Queue a: budget used up."


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (FRESH, STALE, "Stale: the server cannot be reached."),
        (READING, STALE, "Stale: the server cannot be reached."),
        (STALE, FRESH, "The board is up to date again."),
        (FRESH, SIGNED_OUT, "You are signed out."),
        (FRESH, BY_HAND, "Updates are paused."),
        (BY_HAND, FRESH, "The board is up to date again."),
        (RESUMED, STALE, "Stale: the server cannot be reached."),
        # nothing new, or on the way back
        (READING, FRESH, None),
        (STALE, STALE, None),
        (STALE, SIGNED_OUT, None),
        (FRESH, RESUMED, None),
        (BY_HAND, BY_HAND, None),
        (BY_HAND, RESUMED, None),
        (RESUMED, FRESH, None),
    ],
)
def test_trust_lost_and_regained_is_told_once(before: FreshnessView, after: FreshnessView, sentence: str) -> None:
    assert trust_announcement(before, after, "the board") == sentence


def test_the_filter_tells_how_many_are_left() -> None:
    view = board(ADMITTED, ADMITTED, ADMITTED)
    assert filter_announcement(view, "a") == "Showing 1 of 3 queues."
    assert filter_announcement(view, "zzz") == "Showing 0 of 3 queues."
    assert filter_announcement(view, " ") == "Showing all 3 queues."
    assert filter_announcement(NOTHING, "a") is None


class Listener:
    """Hears the region's text second by second."""

    def __init__(self) -> None:
        self.voice = Voice()
        self.view, self.trust, self.wanted = NOTHING, READING, ""
        self.voice.follow(BoardNews(lambda: self.view))
        self.voice.follow(TrustNews(lambda: self.trust, "the board"))
        self.second = 0
        self.heard: list[str] = []
        self.region = ""

    def live(self, view: BoardView, trust: FreshnessView = FRESH, wanted: str = "", seconds: int = 1) -> None:
        self.view, self.trust = view, trust
        said = None if wanted == self.wanted else filter_announcement(view, wanted)
        self.wanted = wanted
        if said is not None:
            self.voice.answer(said)
        for _ in range(seconds):
            self.second += 1
            text = self.voice.listen(float(self.second))
            if text and text != self.region:
                self.heard.append(text)
            self.region = text


def test_twelve_unchanged_polls_say_nothing() -> None:
    listener = Listener()
    listener.live(NOTHING, READING)
    for poll in range(12):
        listener.live(board(EXHAUSTED, ADMITTED, used=poll), seconds=5)
    assert listener.heard == []


def test_a_sentence_stays_for_seconds_and_is_then_gone() -> None:
    listener = Listener()
    listener.live(board(ADMITTED))
    listener.live(board(PAUSED))
    assert listener.region == "Queue a: paused."
    listener.live(board(PAUSED), seconds=6)
    assert listener.region == "Queue a: paused."
    listener.live(board(PAUSED))
    assert listener.region == ""
    listener.live(board(PAUSED), seconds=60)
    assert listener.heard == ["Queue a: paused."]


def test_changes_soon_after_each_other_are_told_together() -> None:
    listener = Listener()
    listener.live(board(*[ADMITTED] * 3))
    listener.live(board(PAUSED, ADMITTED, ADMITTED))
    listener.live(board(PAUSED, PAUSED, ADMITTED), seconds=3)
    listener.live(board(PAUSED, PAUSED, PAUSED), seconds=10)
    assert listener.heard == ["Queue a: paused.", "2 queues changed: b paused, c paused."]


def test_what_changed_and_changed_back_meanwhile_is_not_told() -> None:
    listener = Listener()
    listener.live(board(ADMITTED, ADMITTED))
    listener.live(board(PAUSED, ADMITTED))
    listener.live(board(PAUSED, FULL), seconds=5)
    listener.live(board(PAUSED, ADMITTED), seconds=30)
    assert listener.heard == ["Queue a: paused."]


def test_a_change_goes_before_lost_trust_and_neither_is_lost() -> None:
    listener = Listener()
    listener.live(board(ADMITTED))
    listener.live(board(PAUSED), STALE, seconds=15)
    assert listener.heard == ["Queue a: paused.", "Stale: the server cannot be reached."]
    listener.live(board(PAUSED), FRESH, seconds=15)
    assert listener.heard[2:] == ["The board is up to date again."]


def test_a_flapping_network_is_told_at_most_every_ten_seconds() -> None:
    listener = Listener()
    listener.live(board(ADMITTED))
    for _ in range(30):
        listener.live(board(ADMITTED), STALE)
        listener.live(board(ADMITTED), FRESH)
    assert len(listener.heard) <= 7


def test_the_answer_to_ones_own_typing_does_not_wait() -> None:
    listener = Listener()
    listener.live(board(ADMITTED, ADMITTED))
    listener.live(board(PAUSED, ADMITTED))
    listener.live(board(PAUSED, ADMITTED), wanted="a")
    listener.live(board(PAUSED, ADMITTED), wanted="ab")
    assert listener.heard == ["Queue a: paused.", "Showing 1 of 2 queues.", "Showing 0 of 2 queues."]


def test_signing_in_again_is_no_burst_of_changes() -> None:
    listener = Listener()
    listener.live(board(ADMITTED, ADMITTED))
    listener.live(NOTHING, SIGNED_OUT, seconds=20)
    listener.live(board(PAUSED, EXHAUSTED), FRESH, seconds=20)
    assert listener.heard == ["You are signed out.", "The board is up to date again."]
