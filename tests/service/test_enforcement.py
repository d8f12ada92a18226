"""REQ-4: limits hold at every claim, takeovers replace and do not add, and no queue starves another."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from switchboard_wire.admission import DeferralReason
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import Complete
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, World
from tests.support.waiting import holding, lock_waits, patient_locks, waits_for, within_bound


async def test_a_third_claim_is_refused_at_the_cap_and_admitted_after_a_completion(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=2)
    first, _, third = await world.enqueue_many(endpoint, "q", 3)
    for expected in (1, 2):
        admission = (await world.claim_next(endpoint)).admission
        assert admission is not None
        assert (admission.max_in_flight, admission.in_flight) == (2, expected)
    refused = await world.claim_next(endpoint)
    assert [(one.reason, one.pending) for one in refused.deferred] == [(DeferralReason.IN_FLIGHT_FULL, 1)]
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=first))
    assert [todo.id for todo in (await world.claim_next(endpoint)).todos] == [third]


async def test_a_lapsed_claim_still_fills_its_slot_until_it_is_reaped(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, first, lease_seconds=60)
    await clock.advance(seconds=60)
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, second)
    assert refusal.value.details["reason"] == "in_flight_full"
    await world.sweep()
    assert (await world.claim(endpoint, second)).todo.state == "claimed"


async def test_a_named_lapsed_todo_is_taken_over_at_the_cap(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    first, _ = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, first, lease_seconds=60, worker="lost")
    await clock.advance(seconds=60)
    taken = await world.claim(endpoint, first, worker="next")
    assert (taken.todo.id, taken.todo.worker, taken.todo.attempt) == (first, "next", 2)
    assert taken.admission is not None
    assert taken.admission.in_flight == 1


async def test_claim_next_takes_a_lapsed_todo_over_at_the_cap(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    pending, lapsing = await world.enqueue_many(endpoint, "q", 2)  # the pending one is older, and must not be taken
    await world.claim(endpoint, lapsing, lease_seconds=60)
    await clock.advance(seconds=60)
    taken = await world.claim_next(endpoint)
    assert [todo.id for todo in taken.todos] == [lapsing]
    assert (await world.todo(pending))["state"] == "pending"
    assert (await world.claim_next(endpoint)).deferred[0].reason is DeferralReason.IN_FLIGHT_FULL


async def test_a_batch_at_the_cap_takes_over_every_lapsed_todo_and_no_other(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3)
    ids = await world.enqueue_many(endpoint, "q", 6)
    for todo_id in ids[3:]:
        await world.claim(endpoint, todo_id, lease_seconds=60)
    await clock.advance(seconds=60)
    taken = await world.claim_next(endpoint, max=10)
    assert [todo.id for todo in taken.todos] == ids[3:]
    assert taken.admission is not None
    assert taken.admission.in_flight == 3


async def test_a_lowered_cap_lets_no_lapsed_todo_be_taken_over_while_others_fill_it(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3)
    ids = await world.enqueue_many(endpoint, "q", 3)
    for todo_id, lease in zip(ids, (60, 600, 600), strict=True):
        await world.claim(endpoint, todo_id, lease_seconds=lease)
    await world.set_policy(endpoint, "q", max_in_flight=2)
    await clock.advance(seconds=60)
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, ids[0])
    assert refusal.value.details["reason"] == "in_flight_full"
    assert (await world.claim_next(endpoint)).empty


async def test_a_takeover_spends_the_window_like_any_claim(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=1, window=DAY_UTC)
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, lease_seconds=60)
    await clock.advance(seconds=60)
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, todo_id)
    assert refusal.value.details["reason"] == "window_exhausted"
    assert (await world.claim_next(endpoint)).empty


async def test_a_lapsed_todo_without_attempts_left_is_in_flight_and_not_to_be_taken(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    spent = await world.enqueue(endpoint, "q", max_attempts=1)
    waiting = await world.enqueue(endpoint, "q")
    await world.claim(endpoint, spent, lease_seconds=60)
    await clock.advance(seconds=60)
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, spent)
    assert refusal.value.code is ErrorCode.CONFLICT
    assert (await world.claim_next(endpoint)).deferred[0].reason is DeferralReason.IN_FLIGHT_FULL
    await world.sweep()
    assert (await world.todo(spent))["state"] == "dead"
    assert (await world.claim_next(endpoint)).todos[0].id == waiting


async def test_an_exhausted_queue_with_the_oldest_todo_does_not_starve_the_others(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "triage", "lane-s")
    await world.set_policy(endpoint, "lane-s", max_claims_per_window=1, window=DAY_UTC)
    for _ in range(2):
        await world.enqueue(endpoint, "lane-s")
    await world.claim_next(endpoint)
    await clock.advance(seconds=1)
    older, newer = await world.enqueue_many(endpoint, "triage", 2)
    assert [(await world.claim_next(endpoint)).todos[0].id for _ in range(2)] == [older, newer]
    assert [one.queue for one in (await world.claim_next(endpoint)).deferred] == ["lane-s"]


async def test_nineteen_deferred_queues_do_not_hide_the_twentieth(world: World, clock: Clock) -> None:
    names = [f"q{number:02}" for number in range(20)]
    endpoint = await world.endpoint("e", *names)
    for name in names:
        await world.set_policy(endpoint, name, max_claims_per_window=1, window=DAY_UTC)
        await world.enqueue_many(endpoint, name, 2)
        await clock.advance(seconds=1)
    answers = [await world.claim_next(endpoint) for _ in range(21)]
    assert [answer.todos[0].queue for answer in answers[:20]] == names
    assert {one.queue for one in answers[20].deferred} == set(names)


async def test_a_batch_never_exceeds_what_the_window_leaves(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=7, window=DAY_UTC)
    ids = await world.enqueue_many(endpoint, "q", 20)
    answers = [await world.claim_next(endpoint, max=5) for _ in range(3)]
    assert [[todo.id for todo in answer.todos] for answer in answers] == [ids[:5], ids[5:7], []]
    assert [answer.held_back for answer in answers] == [0, 3, 0]
    assert await world.used(endpoint, "q") == 7


async def test_a_batch_never_exceeds_what_the_flight_leaves(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=4)
    ids = await world.enqueue_many(endpoint, "q", 20)
    answers = [await world.claim_next(endpoint, max=3) for _ in range(3)]
    assert [[todo.id for todo in answer.todos] for answer in answers] == [ids[:3], ids[3:4], []]


async def test_a_batch_comes_from_one_queue(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    await world.enqueue_many(endpoint, "q", 2)
    await clock.advance(seconds=1)
    await world.enqueue_many(endpoint, "r", 5)
    answers = [await world.claim_next(endpoint, max=100) for _ in range(3)]
    assert [[todo.queue for todo in answer.todos] for answer in answers] == [["q"] * 2, ["r"] * 5, []]


async def test_both_limits_hold_and_the_one_that_bites_is_named(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=2, max_claims_per_window=3, window=DAY_UTC)
    ids = await world.enqueue_many(endpoint, "q", 9)
    await world.claim_next(endpoint, max=9)
    assert (await world.claim_next(endpoint)).deferred[0].reason is DeferralReason.IN_FLIGHT_FULL
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=ids[0]))
    assert len((await world.claim_next(endpoint, max=9)).todos) == 1
    assert (await world.claim_next(endpoint)).deferred[0].reason is DeferralReason.WINDOW_EXHAUSTED
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=ids[1]))
    assert (await world.claim_next(endpoint)).deferred[0].reason is DeferralReason.WINDOW_EXHAUSTED


@pytest.mark.parametrize("by_id", [True, False])
async def test_a_claim_locks_its_todo_first_and_waits_for_the_policy_then(
    world: World, database_url: str, sql: asyncpg.Connection, by_id: bool
) -> None:
    await patient_locks(sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=5)
    todo_id = await world.enqueue(endpoint, "q")
    async with holding(database_url, "select from switchboard.policies for update"):
        claiming = asyncio.create_task(world.claim(endpoint, todo_id) if by_id else world.claim_next(endpoint))
        await lock_waits(sql, 1)
        assert await sql.fetch("select from switchboard.todos for update skip locked") == []
    await within_bound(claiming)
    assert (await world.todo(todo_id))["state"] == "claimed"


async def test_a_claim_that_waits_for_its_todo_holds_no_policy(
    world: World, database_url: str, sql: asyncpg.Connection
) -> None:
    await patient_locks(sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=5)
    todo_id = await world.enqueue(endpoint, "q")
    async with holding(database_url, f"select from switchboard.todos where id = {todo_id} for update"):
        claiming = asyncio.create_task(world.claim(endpoint, todo_id))
        await lock_waits(sql, 1)
        assert len(await sql.fetch("select from switchboard.policies for update nowait")) == 1
        # claim_next does not wait at all
        assert (await within_bound(world.claim_next(endpoint))).empty
    await within_bound(claiming)


async def test_a_refused_queues_locks_are_given_back_before_the_next_queue_is_looked_at(
    world: World, database_url: str, sql: asyncpg.Connection
) -> None:
    await patient_locks(sql)
    endpoint = await world.endpoint("e", "first", "second")
    for queue in ("first", "second"):
        await world.set_policy(endpoint, queue, max_in_flight=1)
        await world.enqueue_many(endpoint, queue, 1)
    await world.claim_next(endpoint, queues=("second",))  # knows both policies from here on
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=2))
    await world.enqueue_many(endpoint, "second", 1)
    first, second = endpoint.queue_id("first"), endpoint.queue_id("second")
    async with (
        holding(
            database_url,
            f"select from switchboard.policies where queue_id = {first} for update",
            # what makes the locked check refuse after the unlocked look let it pass
            f"insert into switchboard.todos (queue_id, endpoint_id, kind, source, title, state, lease_expires_at,"
            f" created_at, updated_at) values ({first}, 1, 'test', '', '', 'claimed', now() + interval '1 h',"
            f" now(), now())",
        ) as first_policy,
        holding(
            database_url, f"select from switchboard.policies where queue_id = {second} for update"
        ) as second_policy,
    ):
        claiming = asyncio.create_task(world.claim_next(endpoint))
        await waits_for(sql, first_policy)
        await first_policy.execute("commit")
        await waits_for(sql, second_policy)
        # it waits for the second policy now, and holds neither the first one nor the first queue's todo
        taken = await sql.fetch("select from switchboard.policies where queue_id = $1 for update nowait", first)
        free = await sql.fetch(
            "select from switchboard.todos where queue_id = $1 and state = 'pending' for update skip locked", first
        )
        assert (len(taken), len(free)) == (1, 1)
        await second_policy.execute("rollback")
        answer = await within_bound(claiming)
    assert [todo.queue for todo in answer.todos] == ["second"]


async def test_while_one_claim_waits_another_takes_the_next_todo_and_both_are_counted(
    world: World, database_url: str, sql: asyncpg.Connection
) -> None:
    await patient_locks(sql)
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    await world.enqueue_many(endpoint, "q", 3)
    async with holding(database_url, "select from switchboard.policies for update"):
        claims = [asyncio.create_task(process.claim_next(endpoint)) for process in (world, world.another_process())]
        await lock_waits(sql, 2)
    answers = [await within_bound(claim) for claim in claims]
    assert sorted(answer.empty for answer in answers) == [False, True]
    assert await world.states(endpoint, "q") == {"claimed": 1, "pending": 2}


async def test_of_todos_made_at_one_instant_the_lower_id_goes_first_over_all_queues(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "a", "b")
    lapsing = await world.enqueue(endpoint, "a")
    await world.claim(endpoint, lapsing, lease_seconds=60)
    in_b, in_a = await world.enqueue(endpoint, "b"), await world.enqueue(endpoint, "a")
    await clock.advance(seconds=60)
    await world.sql.execute(  # the lapsed todo has the lowest id, and is the youngest
        "update switchboard.todos set created_at = created_at + interval '1 s' where id = $1", lapsing
    )
    assert [(await world.claim_next(endpoint)).todos[0].id for _ in range(3)] == [in_b, in_a, lapsing]


async def test_too_many_who_wait_for_one_policy_are_told_to_come_again(
    world: World, database_url: str, sql: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await patient_locks(sql)
    monkeypatch.setattr("switchboard.service.claim_gate.MAX_WAITING", 4)
    endpoint = await world.endpoint("e", "q", "free")
    await world.set_policy(endpoint, "q", max_in_flight=50)
    await world.enqueue_many(endpoint, "q", 9)
    await world.enqueue_many(endpoint, "free", 1)
    await world.claim_next(endpoint, queues=("q",))
    async with holding(database_url, "select from switchboard.policies for update"):
        waiting = [asyncio.create_task(world.claim_next(endpoint, queues=("q",))) for _ in range(4)]
        await lock_waits(sql, 2)  # no more at a time, so that a hot policy leaves connections to others
        with pytest.raises(SwitchboardError) as refusal:
            await within_bound(world.claim_next(endpoint, queues=("q",)))
        assert (refusal.value.code, refusal.value.retry_after) == (ErrorCode.RATE_LIMITED, 1)
        assert not (await within_bound(world.claim_next(endpoint, queues=("free",)))).empty
        waiting[3].cancel()  # gives its place to the next
        with pytest.raises(asyncio.CancelledError):
            await waiting.pop()
        waiting.append(asyncio.create_task(world.claim_next(endpoint, queues=("q",))))
    answers = [await within_bound(claim) for claim in waiting]
    assert [len(answer.todos) for answer in answers] == [1, 1, 1, 1]
