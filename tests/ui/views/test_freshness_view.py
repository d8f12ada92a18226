"""How far the figures can be trusted, each state in words of its own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from switchboard_ui.core.events import PauseCause
from switchboard_ui.core.freshness_view import FreshnessView, freshness_view, reading
from switchboard_ui.core.key_state import Cause
from switchboard_ui.core.observation import OVER_CAP, Observation, State
from switchboard_ui.core.outcomes import FailureKind
from tests.ui.views.samples import BERLIN, NOW, failed, never_read, seen

FRESH = seen(State.FRESH)


def view(*observations: Observation[object], now: float = 105.0) -> FreshnessView:
    return freshness_view(observations, "the board", BERLIN, now, NOW)


STATES = {
    "loading": never_read(),
    "fresh": FRESH,
    "stale": failed(State.STALE, FailureKind.NETWORK, next_attempt_at=113.5),
    "paused": seen(State.PAUSED, PauseCause.BY_HAND),
    "unsupported": failed(State.UNSUPPORTED, FailureKind.NOT_JSON, next_attempt_at=165.0),
    "error": failed(State.ERROR, FailureKind.INVALID),
    "signed_out": never_read(State.SIGNED_OUT, FailureKind.SIGNED_OUT),
}


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ("loading", "Reading the board…"),
        ("fresh", "Up to date as of 08:30:00, 7 s ago."),
        (
            "stale",
            "Stale: the server cannot be reached. Shown as of 08:30:00, 7 s ago. Trying again in about 8 s.",
        ),
        ("paused", "Updates are paused. Shown as of 08:30:00, 7 s ago."),
        (
            "unsupported",
            "This server does not support what the page asks for: it answered with something else than data. "
            "Trying again in about 60 s.",
        ),
        ("error", "Not updated: the server refused this read. Shown as of 08:30:00, 7 s ago."),
        ("signed_out", "You are signed out."),
    ],
)
def test_each_state_in_its_own_words(state: str, text: str) -> None:
    shown = view(STATES[state])
    assert (shown.state, shown.text) == (state, text)


def test_no_two_states_share_their_words() -> None:
    firsts = {view(one).text.partition(" ")[0] for one in STATES.values()}
    assert len(firsts) == len(STATES)


@pytest.mark.parametrize("kind", list(FailureKind))
def test_every_failure_has_words_and_none_is_a_code(kind: FailureKind) -> None:
    text = view(failed(State.STALE, kind)).text
    reason = text.removeprefix("Stale: ").partition(".")[0]
    assert len(reason.split()) >= 3, reason
    assert "_" not in reason


@pytest.mark.parametrize("cause", [Cause.CHANGED, Cause.OVERDUE, Cause.RESUMED, Cause.KEPT])
def test_staleness_without_a_failure_says_why_and_is_no_trouble(cause: Cause) -> None:
    shown = view(seen(State.STALE, cause))
    reason = shown.text.removeprefix("Stale: ").partition(".")[0]
    assert len(reason.split()) >= 3, reason
    assert not shown.trouble


def test_only_the_session_that_ended_leads_elsewhere() -> None:
    assert {state: view(one).link for state, one in STATES.items() if view(one).link} == {
        "signed_out": ("/sign-in", "Sign in")
    }


def test_trouble_is_what_keeps_the_figures_from_being_read() -> None:
    assert {state for state, one in STATES.items() if view(one).trouble} == {
        "stale",
        "unsupported",
        "error",
        "signed_out",
    }


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("fresh", "paused"),
        ("paused", "loading"),
        ("loading", "stale"),
        ("stale", "error"),
        ("error", "unsupported"),
        ("unsupported", "signed_out"),
    ],
)
def test_of_two_reads_the_worse_one_speaks(better: str, worse: str) -> None:
    assert view(STATES[better], STATES[worse]).state == worse
    assert view(STATES[worse], STATES[better]).state == worse


def test_of_two_reads_the_older_one_gives_age_and_time() -> None:
    older = seen(State.FRESH, received_at=90.0, cache_age_ms=500, observed_at=NOW - timedelta(seconds=20))
    assert view(FRESH, older).text == "Up to date as of 08:29:40, 15 s ago."
    assert view(older, FRESH).text == view(FRESH, older).text


def test_the_age_counts_from_the_cache_on_and_never_compares_two_clocks() -> None:
    far_off = seen(State.FRESH, observed_at=NOW + timedelta(hours=3), cache_age_ms=61_000)
    assert view(far_off, now=100.0).text == "Up to date as of 11:30:00, 1 min ago."


def test_the_day_is_told_when_it_is_not_today() -> None:
    yesterday = seen(State.FRESH, observed_at=datetime(2026, 11, 30, 22, 59, 59, tzinfo=UTC))
    assert "as of 30 Nov 23:59:59," in view(yesterday).text


def test_a_read_that_never_succeeded_claims_no_data() -> None:
    shown = view(never_read(State.ERROR, FailureKind.NETWORK, failure=failed(State.ERROR, FailureKind.NETWORK).failure))
    assert shown.text == "The board could not be read: the server cannot be reached."
    assert view(OVER_CAP).text == "The board could not be read: too many views are open."


@pytest.mark.parametrize(
    ("at", "text"),
    [(104.0, " Trying again."), (106.4, " Trying again."), (107.5, " Trying again in about 2 s."), (None, "")],
)
def test_what_happens_next_is_told_without_false_precision(at: float | None, text: str) -> None:
    stale = failed(State.STALE, FailureKind.OVERLOADED, next_attempt_at=at)
    assert view(stale).text == f"Stale: the server is overloaded. Shown as of 08:30:00, 7 s ago.{text}"


def test_before_the_first_read_and_in_the_shell_it_says_that_it_reads() -> None:
    assert view(never_read(), never_read()) == reading("the board")
    # one of the two is there: the board is still being read
    assert view(FRESH, never_read()) == reading("the board")
