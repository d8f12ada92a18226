"""REQ-1: what a policy is, what it refuses to be, and that its absence costs nothing."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from switchboard_wire.admission import DeferralReason
from switchboard_wire.errors import ErrorCode, SwitchboardError
from tests.support.clock import Clock, instant
from tests.support.scenario import DAY_LOS_ANGELES, DAY_UTC, World
from tests.support.waiting import holding, within_bound


async def test_claims_of_a_queue_without_a_policy_take_no_admission_lock(world: World, database_url: str) -> None:
    endpoint = await world.endpoint("e", "q")
    first, second = await world.enqueue(endpoint, "q"), await world.enqueue(endpoint, "q")
    async with holding(
        database_url,
        "lock table switchboard.policies in exclusive mode",  # nobody else may lock or write a row of it
        "lock table switchboard.usage in access exclusive mode",  # nobody else may so much as read it
    ):
        claimed = await within_bound(world.claim_next(endpoint))
        assert [todo.id for todo in claimed.todos] == [first]
        assert claimed.admission is None
        named = await within_bound(world.claim(endpoint, second))
        assert named.todo.id == second
        assert named.admission is None
    assert await world.used(endpoint, "q") == 0


async def test_claims_of_a_queue_without_a_policy_come_oldest_first(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    ids = []
    for queue in ("q", "r", "r", "q"):
        ids.append(await world.enqueue(endpoint, queue))
        await clock.advance(seconds=1)
    claimed = [(await world.claim_next(endpoint)).todos[0].id for _ in ids]
    assert claimed == ids
    answer = await world.claim_next(endpoint)
    assert (answer.empty, answer.deferred) == (True, ())


async def test_at_most_100_claims_commit_between_two_pacific_midnights(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "investigations")
    await world.set_policy(endpoint, "investigations", max_claims_per_window=100, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "investigations", 260)
    midnight = instant("2026-09-23T00:00-07:00")

    await clock.set("2026-09-22T00:00-07:00")
    assert len((await world.claim_next(endpoint, max=99, lease_seconds=86_400)).todos) == 99
    await clock.set("2026-09-22T23:59:59.999999-07:00")
    assert len((await world.claim_next(endpoint, max=100)).todos) == 1
    refused = await world.claim_next(endpoint)
    assert refused.empty
    (deferred,) = refused.deferred
    assert (deferred.queue, deferred.reason, deferred.pending) == ("investigations", "window_exhausted", 160)
    assert (deferred.next_eligible_at, deferred.exact) == (midnight, True)

    await clock.set(midnight)
    assert len((await world.claim_next(endpoint, max=100)).todos) == 100
    assert (await world.claim_next(endpoint)).empty
    assert await world.charges(endpoint, "investigations") == {
        instant("2026-09-22T00:00-07:00"): 100,
        midnight: 100,
    }
    assert await world.committed_claims(endpoint, "investigations") == 200


@pytest.mark.parametrize(
    "policy",
    [
        {"max_in_flight": 0},
        {"max_claims_per_window": 0, "window": DAY_UTC},
        {"max_in_flight": 0, "max_claims_per_window": 5, "window": DAY_UTC},
        {"max_in_flight": 5, "max_claims_per_window": 0, "window": DAY_UTC},
    ],
)
async def test_a_limit_of_0_pauses_an_idle_queue(world: World, policy: dict[str, Any]) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", **policy)
    todo_id = await world.enqueue(endpoint, "q")
    (deferred,) = (await world.claim_next(endpoint)).deferred
    assert (deferred.reason, deferred.next_eligible_at, deferred.exact) == (DeferralReason.PAUSED, None, None)
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, todo_id)
    assert (refusal.value.code, refusal.value.details["reason"]) == (ErrorCode.DEFERRED, "paused")
    todo = await world.todo(todo_id)
    assert (todo["state"], todo["attempt"], todo["claims"]) == ("pending", 0, 0)


async def test_a_raised_limit_ends_the_pause_at_the_next_claim(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=0)
    await world.enqueue(endpoint, "q")
    assert (await world.claim_next(endpoint)).empty
    await world.set_policy(endpoint, "q", max_in_flight=1)
    assert not (await world.claim_next(endpoint)).empty


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("unknown zone", {"max_claims_per_window": 5, "window": DAY_UTC | {"tz": "Mars/Olympus"}}, "window.tz"),
    ("zone in lower case", {"max_claims_per_window": 5, "window": DAY_UTC | {"tz": "utc"}}, "window.tz"),
    ("zone as a path", {"max_claims_per_window": 5, "window": DAY_UTC | {"tz": "../UTC"}}, "window.tz"),
    ("impossible start", {"max_claims_per_window": 5, "window": DAY_UTC | {"start": "24:00"}}, "window.start"),
    ("weekday on a day", {"max_claims_per_window": 5, "window": DAY_UTC | {"weekday": "Mon"}}, "window.weekday"),
    ("week without weekday", {"max_claims_per_window": 5, "window": DAY_UTC | {"period": "week"}}, "window.weekday"),
    ("neither limit", {}, "max_in_flight"),
    ("both limits null", {"max_in_flight": None, "max_claims_per_window": None}, "max_in_flight"),
    ("claims without a window", {"max_claims_per_window": 5}, "window"),
    ("a window without claims", {"max_in_flight": 5, "window": DAY_UTC}, "window"),
    ("too many in flight", {"max_in_flight": 10_001}, "max_in_flight"),
    ("an unknown member", {"max_in_flight": 5, "burst": 2}, "burst"),
]


@pytest.mark.parametrize(("body", "field"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
async def test_what_is_refused_names_its_field_and_leaves_the_stored_policy_and_its_audit_unchanged(
    world: World, body: dict[str, Any], field: str
) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=100, window=DAY_LOS_ANGELES)
    before = await world.rows()
    with pytest.raises(SwitchboardError) as refusal:
        await world.set_policy(endpoint, "q", **body)
    assert (refusal.value.code, refusal.value.field) == (ErrorCode.INVALID_ARGUMENT, field)
    assert await world.rows() == before


async def test_a_put_replaces_the_whole_policy(world: World, sql: asyncpg.Connection) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3, max_claims_per_window=100, window=DAY_LOS_ANGELES)
    view = await world.set_policy(endpoint, "q", max_in_flight=4)
    assert view.admission.policy is not None
    assert (view.admission.policy.max_claims_per_window, view.admission.policy.window) == (None, None)
    row = await sql.fetchrow("select * from switchboard.policies")
    assert (row["max_in_flight"], row["max_claims_per_window"], row["window_tz"]) == (4, None, None)


async def test_a_policy_may_stand_before_the_first_todo(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_UTC)
    answer = await world.claim_next(endpoint)
    assert (answer.empty, answer.deferred) == (True, ())
    await world.enqueue(endpoint, "q")
    admission = (await world.claim_next(endpoint)).admission
    assert admission is not None
    assert admission.used == 1
