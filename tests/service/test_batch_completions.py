"""Several completions in one call, each with an outcome of its own, and the next claims along with them."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_wire.errors import SwitchboardError
from switchboard_wire.shape import decode
from switchboard_wire.worker import ClaimNext, Complete, CompletedBatch, Completion
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, Endpoint, World


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q")


async def complete(world: World, endpoint: Endpoint, *todo_ids: int, **more: Any) -> CompletedBatch:
    ask = Complete(todos=tuple(Completion(todo_id, {"n": todo_id}) for todo_id in todo_ids), **more)
    answer = await world.service.complete.complete(endpoint.caller, ask)
    assert isinstance(answer, CompletedBatch)
    return answer


async def test_each_todo_ends_with_its_own_result(world: World, endpoint: Endpoint, clock: Clock) -> None:
    ids = await world.enqueue_many(endpoint, "q", 3)
    await world.claim_next(endpoint, max=3)
    answer = await complete(world, endpoint, ids[2], ids[0], ids[1])
    assert (sorted(answer.completed), answer.refused, answer.next) == (ids, (), None)
    rows = await world.sql.fetch("select id, state, result, finished_at from switchboard.todos order by id")
    assert [tuple(row) for row in rows] == [(one, "done", f'{{"n": {one}}}', clock.now) for one in ids]
    assert await world.sql.fetchval("select count(*) from switchboard.attempts where outcome = 'completed'") == 3


async def test_what_is_refused_is_told_and_hinders_no_other(world: World, endpoint: Endpoint) -> None:
    held, released = await world.enqueue_many(endpoint, "q", 2)
    other = await world.endpoint("other", "q")
    foreign = await world.enqueue(other, "q")
    await world.claim(endpoint, held)
    answer = await complete(world, endpoint, released, held, foreign, 999_999)
    assert answer.completed == (held,)
    assert [(one.todo_id, one.code.value, one.state) for one in answer.refused] == [
        (released, "conflict", "pending"),
        (foreign, "not_found", None),
        (999_999, "not_found", None),
    ]
    assert await world.states(endpoint, "q") == {"done": 1, "pending": 1}


async def test_the_slots_of_a_batch_are_free_for_the_claim_that_comes_with_it(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=3)
    ids = await world.enqueue_many(endpoint, "q", 7)
    await world.claim_next(endpoint, max=3)
    answer = await complete(world, endpoint, *ids[:2], next=ClaimNext(max=10))
    assert answer.next is not None
    assert [todo.id for todo in answer.next.todos] == ids[3:5]
    assert answer.next.held_back == 2
    assert await world.states(endpoint, "q") == {"done": 2, "claimed": 3, "pending": 2}


async def test_a_batch_of_which_nothing_is_completed_claims_nothing(world: World, endpoint: Endpoint) -> None:
    ids = await world.enqueue_many(endpoint, "q", 2)
    answer = await complete(world, endpoint, ids[0], next=ClaimNext())
    assert (answer.completed, answer.next) == ((), None)
    assert await world.states(endpoint, "q") == {"pending": 2}


async def test_a_next_that_is_deferred_leaves_the_completions(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_claims_per_window=2, window=DAY_UTC)
    ids = await world.enqueue_many(endpoint, "q", 3)
    await world.claim_next(endpoint, max=2)
    answer = await complete(world, endpoint, *ids[:2], next=ClaimNext(max=2))
    assert answer.completed == tuple(ids[:2])
    assert answer.next is not None
    assert [(one.reason.value, one.pending) for one in answer.next.deferred] == [("window_exhausted", 1)]


async def test_a_policy_changed_since_is_learnt_and_obeyed_though_the_first_round_was_made_with_the_completion(
    world: World, endpoint: Endpoint
) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=5)
    ids = await world.enqueue_many(endpoint, "q", 4)
    await world.claim_next(endpoint)
    await world.another_process().set_policy(endpoint, "q", max_in_flight=2)
    answer = await complete(world, endpoint, ids[0], next=ClaimNext(max=5))
    assert answer.next is not None
    assert ([todo.id for todo in answer.next.todos], answer.next.held_back) == (ids[1:3], 1)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "todo_id"),
        ({"todos": []}, "todos"),
        ({"todos": [{}]}, "todos[0].todo_id"),
        ({"todos": [{"todo_id": 1}, {"todo_id": 1}]}, "todos[1].todo_id"),
        ({"todos": [{"todo_id": 1}], "todo_id": 1}, "todo_id"),
        ({"todos": [{"todo_id": 1}], "result": 1}, "result"),
        ({"todos": [{"todo_id": 1, "fence": "x" * 35}]}, "todos[0].fence"),
        ({"todos": [{"todo_id": 1, "next": {}}]}, "todos[0].next"),
        ({"todos": [{"todo_id": n} for n in range(1, 102)]}, "todos"),
    ],
)
def test_a_batch_that_is_not_right_names_the_field(body: dict[str, Any], field: str) -> None:
    with pytest.raises(SwitchboardError) as refusal:
        decode(Complete, body).completions()
    assert (refusal.value.code.value, refusal.value.field) == ("invalid_argument", field)


async def test_a_fence_that_is_none_names_its_todo_and_nothing_is_completed(world: World, endpoint: Endpoint) -> None:
    ids = await world.enqueue_many(endpoint, "q", 2)
    await world.claim_next(endpoint, max=2)
    ask = Complete(todos=(Completion(ids[0]), Completion(ids[1], fence="x" * 36)))
    with pytest.raises(SwitchboardError) as refusal:
        await world.service.complete.complete(endpoint.caller, ask)
    assert refusal.value.field == "todos[1].fence"
    assert await world.states(endpoint, "q") == {"claimed": 2}
