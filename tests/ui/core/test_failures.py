"""What follows a failed read: backoff, cooldown, stops, reprobes, and what is shown meanwhile."""

from __future__ import annotations

import pytest

from switchboard_ui.core import events as on
from switchboard_ui.core.effects import Abort, Mark, Publish
from switchboard_ui.core.outcomes import Failure, FailureKind
from switchboard_ui.core.query import Floor
from switchboard_ui.core.scheduler_settings import SchedulerSettings

from .rig import (
    ABSENT,
    FORBIDDEN,
    GONE,
    INVALID,
    MALFORMED,
    NETWORK,
    OVERLOADED,
    SIGNED_OUT,
    Rig,
    decoded,
    key,
    only,
    terms,
)

SERVER_ERROR = Failure(FailureKind.SERVER_ERROR, "http_500")
DEADLINE_503 = Failure(FailureKind.OVERLOADED, "read_deadline_exceeded", retry_after=5.0)


# -- the client deadline


def test_a_read_that_hangs_is_aborted_at_20_seconds_and_its_demand_kept() -> None:
    rig = Rig()
    rig.register("jobs")
    attempt = rig.flying[key("jobs")].attempt
    rig.wait(19.999)
    assert rig.in_flight() == ["jobs"]
    effects = rig.wait(0.001)
    assert only(effects, Abort) == [Abort(attempt)]
    assert rig.brief("jobs") == ("error", "deadline", None)
    assert rig.see("jobs").next_attempt_at == 22.0
    rig.wait(3.0)
    assert rig.sent_at("jobs") == [0.0, 22.0]


def test_a_result_that_comes_at_the_deadline_or_later_is_not_published_even_if_the_timer_is_late() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(5.0)
    rig.refresh("jobs")
    attempt = rig.flying[key("jobs")].attempt
    rig.now, rig.armed = 25.0, None
    effects = rig.scheduler.step(on.Arrived(attempt, decoded("late")), rig.now)
    assert only(effects, Publish) == []
    assert only(effects, Abort) == [Abort(attempt)]
    assert rig.brief("jobs") == ("stale", "deadline", "jobs-1")
    # Nor did it count as a success: the demand is still there, and nothing was observed anew.
    assert rig.see("jobs").received_at == 0.0
    assert rig.see("jobs").failures == 1


def test_a_late_result_of_an_expired_attempt_neither_shows_nor_clears_nor_renews_anything() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(5.0)
    rig.refresh("jobs")
    old = rig.flying[key("jobs")].attempt
    rig.wait(20.0)
    before = rig.see("jobs")
    assert rig.do(on.Arrived(old, decoded("late"))) == []
    assert rig.see("jobs") == before
    rig.wait_for("jobs")
    assert rig.do(on.Arrived(old, decoded("later still"))) == []
    assert rig.in_flight() == ["jobs"]
    assert rig.do(on.Failed(old, NETWORK)) == []
    rig.answer("jobs", "jobs-2")
    assert rig.brief("jobs") == ("fresh", "read", "jobs-2")


# -- backoff


def test_failures_back_off_exponentially_to_60_seconds() -> None:
    rig = Rig(random=lambda: 0.999999999)
    rig.register("jobs")
    rig.fail("jobs", NETWORK)
    waits = []
    for _ in range(8):
        failed_at = rig.now
        waits.append(round(rig.wait_for("jobs") - failed_at, 3))
        rig.fail("jobs", NETWORK)
    assert waits == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


def test_jitter_takes_up_to_half_of_a_backoff_away_and_never_adds_to_it() -> None:
    rig = Rig(random=lambda: 0.0)
    rig.register("jobs")
    rig.fail("jobs", NETWORK)
    waits = []
    for _ in range(8):
        failed_at = rig.now
        waits.append(round(rig.wait_for("jobs") - failed_at, 3))
        rig.fail("jobs", NETWORK)
    # The floor of 2 s holds where the backoff is shorter.
    assert waits == [2.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_thousand_failures_in_a_row_are_still_60_seconds_apart() -> None:
    rig = Rig(random=lambda: 0.5)
    rig.register("jobs")
    for _ in range(1100):
        rig.wait_for("jobs")
        rig.fail("jobs", NETWORK)
    assert rig.see("jobs").next_attempt_at == pytest.approx(rig.now + 45.0)
    assert rig.see("jobs").failures == 1100


def test_a_success_ends_the_backoff() -> None:
    rig = Rig()
    rig.register("jobs")
    for _ in range(5):
        rig.wait_for("jobs")
        rig.fail("jobs", NETWORK)
    rig.wait_for("jobs")
    rig.answer("jobs")
    assert rig.see("jobs").failures == 0
    assert rig.see("jobs").failure is None
    rig.wait(10.0)
    rig.refresh("jobs")
    rig.fail("jobs", NETWORK)
    assert rig.see("jobs").next_attempt_at == rig.now + 2.0


@pytest.mark.parametrize("failure", [NETWORK, SERVER_ERROR, OVERLOADED, DEADLINE_503])
def test_neither_marks_nor_the_operator_nor_focus_shorten_a_backoff(failure: Failure) -> None:
    rig = Rig()
    rig.register("jobs")
    for _ in range(5):
        rig.wait_for("jobs")
        rig.fail("jobs", failure)
    due = rig.see("jobs").next_attempt_at
    assert due == rig.now + 24.0
    rig.dirty("jobs")
    rig.refresh("jobs")
    rig.do(on.Hidden())
    rig.do(on.Visible())
    rig.do(on.Online())
    assert rig.wait_for("jobs") == due


@pytest.mark.parametrize("failure", [NETWORK, SERVER_ERROR, OVERLOADED])
def test_data_once_shown_stays_as_stale_with_the_failure_and_the_next_attempt(failure: Failure) -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    rig.refresh("jobs")
    rig.fail("jobs", failure)
    assert rig.brief("jobs") == ("stale", failure.kind, "jobs-1")
    seen = rig.see("jobs")
    assert (seen.failure, seen.failures, seen.received_at) == (failure, 1, 0.0)
    assert seen.next_attempt_at is not None
    assert seen.next_attempt_at > rig.now


def test_a_filter_that_exceeds_the_deadline_again_and_again_says_so_all_the_time() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(10.0)
    rig.dirty("jobs")
    for times in range(1, 7):
        rig.wait_for("jobs")
        assert rig.see("jobs").state == "stale"
        rig.fail("jobs", DEADLINE_503)
        seen = rig.see("jobs")
        assert (seen.state, seen.reason, seen.data) == ("stale", "overloaded", "jobs-1")
        assert seen.failure is not None
        assert (seen.failure.code, seen.failures) == ("read_deadline_exceeded", times)


# -- Retry-After


def test_retry_after_holds_every_key_of_the_backend() -> None:
    rig = Rig()
    rig.loaded("queues", "workers", cadence=5.0)
    rig.register("jobs")
    rig.fail("jobs", OVERLOADED)
    rig.dirty("queues")
    rig.refresh("workers")
    rig.register("new")
    rig.wait(9.99)
    assert len(rig.sent) == 3
    assert rig.brief("new") == ("loading", "first_read", None)
    assert rig.see("new").next_attempt_at == 10.0
    rig.wait(0.02)
    assert rig.sent[3:] == [(10.0, "new"), (10.0, "queues")]


def test_after_a_cooldown_the_keys_go_on_in_the_order_in_which_they_waited() -> None:
    rig = Rig()
    rig.loaded("a", "b", "c")
    rig.wait(3.0)
    rig.register("jobs")
    rig.fail("jobs", OVERLOADED)
    for name in ("c", "a", "b"):
        rig.wait(0.2)
        rig.dirty(name)
    rig.wait(10.0)
    assert [name for _, name in rig.sent[-2:]] == ["c", "a"]


def test_a_shorter_retry_after_does_not_end_a_longer_one() -> None:
    rig = Rig()
    rig.register("a", "b")
    rig.fail("a", Failure(FailureKind.OVERLOADED, "x", retry_after=30.0))
    rig.wait(1.0)
    rig.fail("b", Failure(FailureKind.OVERLOADED, "x", retry_after=1.0))
    rig.wait(28.9)
    assert len(rig.sent) == 2
    rig.wait(0.2)
    assert [at for at, _ in rig.sent[2:]] == [30.0, 30.0]


def test_a_success_in_between_does_not_end_a_cooldown() -> None:
    rig = Rig()
    rig.register("a", "b")
    rig.fail("a", OVERLOADED)
    rig.answer("b")
    rig.refresh("b")
    rig.wait(9.9)
    assert len(rig.sent) == 2


@pytest.mark.parametrize(
    ("said", "waited"), [(86400.0, 300.0), (300.0, 300.0), (1e9, 300.0), (0.0, 2.0), (0.4, 2.0), (7.0, 7.0)]
)
def test_retry_after_is_cut_to_five_minutes_and_never_shortens_the_floor(said: float, waited: float) -> None:
    rig = Rig()
    rig.register("jobs")
    rig.fail("jobs", Failure(FailureKind.OVERLOADED, "x", retry_after=said))
    assert rig.wait_for("jobs") == waited


def test_overload_without_a_hint_backs_off_this_key_only() -> None:
    rig = Rig()
    rig.loaded("queues")
    rig.register("jobs")
    rig.fail("jobs", Failure(FailureKind.OVERLOADED, "read_lock_timeout"))
    rig.dirty("queues")
    rig.wait(2.0)
    assert rig.sent_at("queues") == [0.0, 2.0]


@pytest.mark.parametrize("nonsense", [-1.0, float("nan"), float("inf")])
def test_a_failure_holds_no_impossible_wait(nonsense: float) -> None:
    with pytest.raises(ValueError, match="retry_after must be finite"):
        Failure(FailureKind.OVERLOADED, "x", retry_after=nonsense)


# -- refused requests


def test_an_invalid_request_shows_its_error_and_is_not_repeated() -> None:
    rig = Rig()
    rig.loaded("jobs", cadence=5.0)
    rig.wait(10.0)
    rig.fail("jobs", INVALID)
    seen = rig.see("jobs")
    assert (seen.state, seen.reason, seen.data) == ("error", "invalid", "jobs-1")
    assert seen.failure is not None
    assert (seen.failure.message, seen.failure.field) == ("states is empty", "filter.states")
    assert seen.next_attempt_at is None
    rig.dirty("jobs")
    rig.do(on.Hidden())
    rig.do(on.Visible())
    rig.do(on.Online())
    rig.wait(3600.0)
    assert rig.sent_at("jobs") == [0.0, 5.0]
    assert rig.armed is None


def test_the_operator_may_repeat_an_invalid_request_once() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.fail("jobs", INVALID)
    rig.wait(10.0)
    rig.refresh("jobs")
    assert rig.see("jobs").state == "error"
    assert rig.see("jobs").refreshing
    rig.fail("jobs", INVALID)
    rig.wait(600.0)
    assert rig.sent_at("jobs") == [0.0, 10.0]
    rig.refresh("jobs")
    rig.answer("jobs", "mended")
    assert rig.brief("jobs") == ("fresh", "read", "mended")
    rig.wait(30.0)
    assert len(rig.sent_at("jobs")) == 4


def test_an_asked_attempt_that_finds_no_network_is_retried_like_any_other() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.fail("jobs", INVALID)
    rig.wait(10.0)
    rig.refresh("jobs")
    rig.fail("jobs", NETWORK)
    assert rig.brief("jobs")[:2] == ("error", "network")
    rig.wait(3.0)
    assert rig.sent_at("jobs") == [0.0, 10.0, 12.0]


def test_a_row_that_is_gone_stays_readable_and_is_looked_for_every_60_seconds() -> None:
    rig = Rig()
    rig.loaded("job", cadence=2.0)
    rig.wait(2.0)
    rig.fail("job", GONE)
    assert rig.brief("job") == ("error", "gone", "job-1")
    assert rig.see("job").next_attempt_at == 62.0
    rig.dirty("job")
    rig.wait(200.0)
    assert rig.sent_at("job")[:3] == [0.0, 2.0, 62.0]


# -- credentials


def test_a_lost_session_blanks_all_keys_aborts_their_reads_and_stops_everything() -> None:
    rig = Rig()
    rig.loaded("queues", "workers", cadence=5.0)
    rig.register("jobs", "slow")
    slow = rig.flying[key("slow")].attempt
    effects = rig.fail("jobs", SIGNED_OUT)
    assert only(effects, Abort) == [Abort(slow)]
    assert {(mark.key.scope, mark.observation.state, mark.observation.data) for mark in only(effects, Mark)} == {
        (name, "signed_out", None) for name in ("queues", "workers", "jobs", "slow")
    }
    assert rig.armed is None
    assert rig.do(on.Arrived(slow, decoded("of the old session"))) == []
    rig.dirty("queues", "jobs")
    rig.do(on.Hidden())
    rig.do(on.Visible())
    rig.do(on.Online())
    rig.register("new")
    rig.wait(3600.0)
    assert len(rig.sent) == 4
    assert rig.brief("new") == ("signed_out", "signed_out", None)
    assert rig.see("queues").age(rig.now) is None


def test_new_credentials_read_every_key_again() -> None:
    rig = Rig()
    rig.loaded("queues", "count", manual=True)
    rig.register("jobs")
    rig.fail("jobs", SIGNED_OUT)
    rig.wait(10.0)
    rig.do(on.CredentialsChanged())
    assert rig.brief("queues") == ("loading", "first_read", None)
    assert rig.brief("jobs") == ("loading", "first_read", None)
    assert rig.in_flight() == ["jobs", "queues"], "the demand of jobs is the oldest"
    rig.answer("queues")
    rig.answer("jobs")
    assert rig.in_flight() == ["count"]


def test_new_credentials_fence_what_the_old_ones_asked_for() -> None:
    rig = Rig()
    rig.loaded("queues")
    rig.register("jobs")
    old = rig.flying[key("jobs")].attempt
    effects = rig.do(on.CredentialsChanged())
    assert only(effects, Abort) == [Abort(old)]
    assert rig.see("queues").data is None
    assert rig.do(on.Arrived(old, decoded("of the other user"))) == []
    rig.wait(2.0)
    assert rig.flying[key("jobs")].attempt.backend_epoch == old.backend_epoch + 1


def test_the_operator_may_try_one_key_without_new_credentials() -> None:
    rig = Rig()
    rig.loaded("queues")
    rig.register("jobs")
    rig.fail("jobs", SIGNED_OUT)
    rig.wait(10.0)
    rig.refresh("jobs")
    assert rig.in_flight() == ["jobs"]
    rig.fail("jobs", SIGNED_OUT)
    rig.wait(100.0)
    assert len(rig.sent) == 3
    rig.refresh("queues")
    rig.fail("queues", NETWORK)
    assert rig.brief("queues")[0] == "signed_out"
    rig.wait(100.0)
    assert len(rig.sent) == 4


def test_a_read_that_succeeds_shows_that_the_session_is_back_for_all() -> None:
    rig = Rig()
    rig.loaded("queues", "workers")
    rig.register("jobs")
    rig.fail("jobs", SIGNED_OUT)
    rig.wait(10.0)
    rig.refresh("queues")
    rig.answer("queues", "queues-2")
    assert rig.brief("queues") == ("fresh", "read", "queues-2")
    assert rig.in_flight() == ["jobs", "workers"]
    assert rig.brief("jobs") == ("loading", "first_read", None)


def test_one_asked_read_that_fails_does_not_abort_another_while_signed_out() -> None:
    rig = Rig()
    rig.loaded("queues", "workers")
    rig.register("jobs")
    rig.fail("jobs", SIGNED_OUT)
    rig.wait(10.0)
    rig.refresh("queues")
    rig.refresh("workers")
    effects = rig.fail("queues", NETWORK)
    assert only(effects, Abort) == []
    assert rig.in_flight() == ["workers"]


def test_a_forbidden_key_stops_and_shows_nothing_while_the_others_go_on() -> None:
    rig = Rig()
    rig.loaded("jobs", "queues")
    rig.wait(10.0)
    rig.refresh("jobs")
    rig.fail("jobs", FORBIDDEN)
    assert rig.brief("jobs") == ("error", "forbidden", None)
    rig.dirty("jobs", "queues")
    rig.wait(600.0)
    assert len(rig.sent_at("jobs")) == 2
    assert len(rig.sent_at("queues")) > 2
    rig.do(on.CredentialsChanged())
    rig.wait_for("jobs")


def test_new_credentials_do_not_mend_an_invalid_request() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.fail("jobs", INVALID)
    rig.do(on.CredentialsChanged())
    rig.wait(100.0)
    assert rig.sent_at("jobs") == [0.0]
    assert rig.brief("jobs")[:2] == ("error", "invalid")


# -- absent capabilities


@pytest.mark.parametrize(
    "kind", [FailureKind.ROUTE_ABSENT, FailureKind.NOT_JSON, FailureKind.REDIRECTED, FailureKind.WRONG_VERSION]
)
def test_an_absent_capability_is_unsupported_and_asked_for_again_after_60_seconds(kind: FailureKind) -> None:
    rig = Rig()
    rig.register("jobs")
    rig.wait(1.0)
    rig.fail("jobs", Failure(kind, "x"))
    assert rig.brief("jobs") == ("unsupported", kind, None)
    assert rig.see("jobs").next_attempt_at == 61.0
    rig.dirty("jobs")
    rig.do(on.Hidden())
    rig.do(on.Visible())
    rig.wait(59.9)
    assert rig.sent_at("jobs") == [0.0]
    rig.wait(0.2)
    assert rig.sent_at("jobs") == [0.0, 61.0]
    rig.answer("jobs")
    assert rig.brief("jobs")[0] == "fresh"


def test_data_shown_before_stays_with_an_unsupported_view() -> None:
    rig = Rig()
    rig.loaded("jobs")
    rig.wait(30.0)
    rig.fail("jobs", ABSENT)
    assert rig.brief("jobs") == ("unsupported", "route_absent", "jobs-1")


def test_the_operator_may_probe_an_absent_capability_at_once() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.fail("jobs", ABSENT)
    rig.wait(10.0)
    rig.refresh("jobs")
    assert rig.sent_at("jobs") == [0.0, 10.0]
    rig.fail("jobs", ABSENT)
    # Which begins the 60 seconds anew.
    assert rig.see("jobs").next_attempt_at == 70.0


def test_another_filter_of_an_absent_capability_is_unsupported_without_a_request() -> None:
    rig = Rig()
    rig.do(on.Register(key("filter-a"), terms("POST /api/v1/jobs/query")))
    rig.fail("filter-a", ABSENT)
    rig.do(on.Register(key("filter-b"), terms("POST /api/v1/jobs/query")))
    rig.register("queues")
    assert rig.in_flight() == ["queues"]
    assert rig.brief("filter-b") == ("unsupported", "route_absent", None)
    assert rig.see("filter-b").next_attempt_at == 60.0


def test_one_key_probes_for_all_keys_of_its_capability() -> None:
    rig = Rig()
    for name in ("a", "b", "c"):
        rig.do(on.Register(key(name), terms("route")))
    rig.fail("a", ABSENT)
    rig.fail("b", ABSENT)
    assert rig.in_flight() == []
    rig.wait(60.0)
    assert [name for _, name in rig.sent] == ["a", "b", "c"]
    rig.fail("c", ABSENT)
    rig.wait(59.9)
    assert len(rig.sent) == 3
    rig.wait(0.2)
    assert rig.sent[3:] == [(120.0, "a")]
    rig.answer("a")
    assert rig.in_flight() == ["b", "c"]


def test_a_probe_that_finds_no_network_leaves_the_capability_absent_for_60_more_seconds() -> None:
    rig = Rig()
    rig.register("jobs")
    rig.fail("jobs", ABSENT)
    rig.wait_for("jobs")
    rig.fail("jobs", NETWORK)
    assert rig.brief("jobs")[:2] == ("unsupported", "route_absent")
    assert rig.wait_for("jobs") == 120.0


@pytest.mark.parametrize("failure", [MALFORMED])
def test_a_malformed_answer_concerns_its_own_key_only(failure: Failure) -> None:
    rig = Rig()
    rig.do(on.Register(key("a"), terms("route")))
    rig.fail("a", failure)
    rig.do(on.Register(key("b"), terms("route")))
    assert rig.in_flight() == ["b"]
    assert rig.brief("a") == ("unsupported", "malformed", None)
    rig.wait(1.0)
    rig.answer("b")
    rig.wait(58.0)
    assert rig.sent_at("a") == [0.0]
    rig.wait(1.0)
    assert rig.sent_at("a") == [0.0, 60.0]


def test_absent_routes_of_released_keys_are_forgotten_when_their_time_is_up() -> None:
    rig = Rig()
    for n in range(50):
        rig.register(f"job{n}")
        rig.fail(f"job{n}", ABSENT)
        rig.release(f"job{n}")
    rig.register("other")
    rig.answer("other")
    assert len(rig.scheduler._backend.absent) == 50
    rig.wait(61.0)
    rig.release("other")
    assert rig.scheduler._backend.absent == {}


def test_a_rolling_deploy_alternates_without_asking_a_refused_key_again_within_60_seconds() -> None:
    rig = Rig()
    for name in ("a", "b"):
        rig.do(on.Register(key(name), terms("route", cadence=5.0)))
    states = []
    refused: dict[str, float] = {}
    for _ in range(1200):
        rig.wait(1.0)
        for name in rig.in_flight():
            assert rig.now - refused.get(name, -60.0) >= 60.0, name
            if len(states) % 3:
                # The proxy chose a server of the new release.
                rig.answer(name)
            else:
                rig.fail(name, ABSENT)
                refused[name] = rig.now
            states.append(rig.see(name).state)
    assert states.count("unsupported") >= 5
    assert states.count("fresh") >= 5


def test_a_longer_reprobe_setting_is_kept() -> None:
    rig = Rig(SchedulerSettings(reprobe=120.0))
    rig.register("jobs", floor=Floor.CACHED)
    rig.fail("jobs", ABSENT)
    assert rig.wait_for("jobs") == 120.0
