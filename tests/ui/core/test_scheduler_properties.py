"""Properties that hold for any order of events, checked against an independent book (watched_rig)."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard_ui.core import events as on
from switchboard_ui.core.events import PauseCause
from switchboard_ui.core.outcomes import Failure, FailureKind

from .rig import key
from .watched_rig import TERMS, WatchedRig

Step = tuple[str, Any]

names = st.sampled_from(sorted(TERMS))
failures = st.builds(
    lambda kind, wait: Failure(kind, "x", retry_after=wait if kind is FailureKind.OVERLOADED else None),
    st.sampled_from(sorted(FailureKind)),
    st.sampled_from([None, 0.0, 7.0, 1000.0]),
)
steps = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([0.0, 0.05, 0.1, 0.5, 1.9, 2.0, 5.0, 19.99, 20.0, 33.0, 61.0, 301.0])),
    st.tuples(st.just("tick"), st.none()),
    st.tuples(st.just("jump"), st.sampled_from([0.2, 3.0, 20.0, 70.0])),
    st.tuples(st.just("register"), names),
    st.tuples(st.just("release"), names),
    st.tuples(st.just("dirty"), st.lists(names, min_size=1, max_size=3)),
    st.tuples(st.just("refresh"), names),
    st.tuples(st.just("pause"), st.tuples(names, st.sampled_from(sorted(PauseCause)))),
    st.tuples(st.just("unpause"), names),
    # Twice, or hardly any read would succeed between all that goes wrong.
    st.tuples(st.just("answer"), st.integers(0, 1)),
    st.tuples(st.just("answer"), st.integers(0, 1)),
    st.tuples(st.just("fail"), st.tuples(st.integers(0, 1), failures)),
    st.tuples(st.just("late"), st.integers(0, 50)),
    st.tuples(st.just("late_failure"), st.tuples(st.integers(0, 50), failures)),
    st.tuples(
        st.just("event"),
        st.sampled_from(
            [
                on.Visible(),
                on.Visible(),
                on.Hidden(),
                on.PageHide(),
                on.PageShow(persisted=True, visible=True),
                on.PageShow(persisted=True, visible=False),
                on.PageShow(persisted=False, visible=True),
                on.Online(),
                on.BackendChanged(),
                on.CredentialsChanged(),
            ]
        ),
    ),
)


def play(rig: WatchedRig, step: Step) -> None:
    match step:
        case "wait", seconds:
            rig.wait(seconds)
        case "jump", seconds:
            rig.jump(seconds)
        case "tick", _:
            rig.armed = None
            rig.do(on.Tick())
        case "register", name:
            rig.register_by_name(name)
        case "release", name:
            rig.release(name)
        case "dirty", marked:
            rig.dirty(*marked)
        case "refresh", name:
            rig.refresh(name)
        case "pause", (name, cause):
            rig.do(on.Pause(key(name), cause))
        case "unpause", name:
            for cause in PauseCause:
                rig.do(on.Resume(key(name), cause))
        case "answer", index:
            if index < len(rig.flying):
                rig.arrive(rig.all_flights()[index])
        case "fail", (index, failure):
            if index < len(rig.flying):
                rig.fail_attempt(rig.all_flights()[index], failure)
        case "late", index:
            if index < len(rig.attempts):
                rig.arrive(rig.attempts[-1 - index])
        case "late_failure", (index, failure):
            if index < len(rig.attempts):
                rig.fail_attempt(rig.attempts[-1 - index], failure)
        case "event", event:
            rig.do(event)


def played(script: list[Step], seed: int) -> WatchedRig:
    rig = WatchedRig(Random(seed).random)
    rig.register_by_name("a")
    rig.register_by_name("c")
    for step in script:
        play(rig, step)
    return rig


def recover(rig: WatchedRig) -> None:
    """The tab is seen, the server answers everything: what can get better does within eight minutes."""
    rig.do(on.PageShow(persisted=True, visible=True))
    end = rig.now + 480.0
    while rig.now < end:
        for attempt in rig.all_flights():
            rig.arrive(attempt)
        if rig.armed is None:
            return
        rig.wait(min(rig.armed, end) - rig.now)


@settings(max_examples=200, deadline=None)
@given(st.lists(steps, min_size=15, max_size=90), st.integers(0, 2**32))
def test_every_bound_holds_for_any_order_of_events(script: list[Step], seed: int) -> None:
    played(script, seed)


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=40), st.integers(0, 2**32))
def test_every_demand_is_read_in_the_end_or_visibly_blocked(script: list[Step], seed: int) -> None:
    rig = played(script, seed)
    recover(rig)
    for active in rig.scheduler.keys:
        seen = rig.scheduler.observation(active)
        match str(seen.state):
            case "fresh":
                assert not seen.refreshing
            case "stale":
                # A count waits to be asked for; anything else would have been read.
                assert TERMS[active.scope].manual
            case "error":
                assert str(seen.reason) in ("invalid", "forbidden")
            case "paused":
                assert rig.books[active.scope].paused
            case "signed_out":
                raise AssertionError("the first read after the restore found the session again")
            case other:
                raise AssertionError(f"{active} is still {other}")


@settings(max_examples=25, deadline=None)
@given(st.lists(steps, max_size=25), st.integers(0, 2**32), st.sampled_from([0.5, 3.0, 19.0]))
def test_no_key_starves_however_slow_the_answers_and_busy_the_others(
    script: list[Step], seed: int, duration: float
) -> None:
    rig = played(script, seed)
    recover(rig)
    for name in TERMS:
        rig.do(on.Resume(key(name), PauseCause.SELECTION))
        rig.do(on.Resume(key(name), PauseCause.BY_HAND))
        rig.refresh(name)
    since = rig.now
    while rig.now < since + 120.0:
        rig.dirty("a", "c")
        rig.wait(duration)
        for attempt in rig.all_flights():
            rig.arrive(attempt)
    for active in rig.scheduler.keys:
        assert any(at >= since for at in rig.sent_at(active.scope)), active


@settings(max_examples=30, deadline=None)
@given(st.lists(steps, max_size=40), st.integers(0, 2**32))
def test_the_same_events_and_draws_give_the_same_reads(script: list[Step], seed: int) -> None:
    assert played(script, seed).sent == played(script, seed).sent
