"""Retry now, cancel and the board's claim: by an operator's hand, past no budget."""

from __future__ import annotations

import asyncpg
import pytest

from switchboard.core.identity import Caller, Human
from switchboard.service.services import Services
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.todo import TodoState
from switchboard_wire.worker import Claim, ClaimNext, Complete, Enqueue, Fail
from tests.support.people import caller, enqueue, human

HOURLY = {"max_claims_per_window": 2, "window": {"period": "hour", "tz": "UTC", "start": "00:00"}}


@pytest.fixture
async def ada(service: Services) -> Human:
    return await human(service, "ada")


@pytest.fixture
async def endpoint(service: Services, ada: Human) -> Caller:
    return await caller(service, ada, "e", "q")


async def _dead(service: Services, endpoint: Caller, **more: object) -> int:
    (todo_id,) = await enqueue(service, endpoint, "q", **more)
    await service.claim.claim(endpoint, Claim(todo_id=todo_id))
    await service.drain.fail(endpoint, Fail(todo_id=todo_id, retry=False))
    return todo_id


async def test_retry_now_makes_a_dead_todo_pending_with_attempt_0_and_its_next_claim_is_charged(
    service: Services, ada: Human, endpoint: Caller
) -> None:
    await service.policies.set(ada, "endpoint:e", "q", HOURLY)
    todo_id = await _dead(service, endpoint)

    changed = await service.operator_todos.retry_now(ada, todo_id)
    claimed = await service.claim.claim(endpoint, Claim(todo_id=todo_id))

    assert (changed.todo.state, changed.todo.attempt) == (TodoState.PENDING, 0)
    assert claimed.admission is not None
    assert claimed.admission.used == 2
    assert claimed.todo.attempt == 1


async def test_retry_does_not_skip_the_cap(service: Services, ada: Human, endpoint: Caller) -> None:
    ids = [await _dead(service, endpoint) for _ in range(10)]
    await service.policies.set(ada, "endpoint:e", "q", {"max_in_flight": 2})
    for todo_id in ids:
        await service.operator_todos.retry_now(ada, todo_id)

    answers = [await service.claim.claim_next(endpoint, ClaimNext()) for _ in range(4)]

    assert [answer.empty for answer in answers] == [False, False, True, True]
    assert answers[3].deferred[0].pending == 8


async def test_a_retry_that_would_double_a_live_idempotency_key_is_a_conflict(
    service: Services, ada: Human, endpoint: Caller
) -> None:
    todo_id = await _dead(service, endpoint, idempotency_key="k")
    await service.enqueue.enqueue(endpoint, Enqueue(queue="q", kind="test", idempotency_key="k"))

    with pytest.raises(SwitchboardError) as refused:
        await service.operator_todos.retry_now(ada, todo_id)

    assert refused.value.code is ErrorCode.CONFLICT


@pytest.mark.parametrize("act", ["retry_now", "cancel"])
async def test_a_claimed_todo_is_left_to_its_holder(service: Services, ada: Human, endpoint: Caller, act: str) -> None:
    (todo_id,) = await enqueue(service, endpoint, "q")
    await service.claim.claim(endpoint, Claim(todo_id=todo_id))

    with pytest.raises(SwitchboardError) as refused:
        await getattr(service.operator_todos, act)(ada, todo_id)

    assert (refused.value.code, refused.value.details) == (ErrorCode.CONFLICT, {"state": "claimed"})
    await service.complete.complete(endpoint, Complete(todo_id=todo_id))


async def test_the_boards_claim_at_the_cap_is_refused_and_not_charged(
    service: Services, ada: Human, endpoint: Caller, database_url: str
) -> None:
    await service.policies.set(ada, "endpoint:e", "q", HOURLY | {"max_in_flight": 1})
    first, second = await enqueue(service, endpoint, "q", 2, payload={"n": 1})
    claimed = await service.operator_todos.claim(ada, first)

    with pytest.raises(SwitchboardError) as refused:
        await service.operator_todos.claim(ada, second)

    connection = await asyncpg.connect(database_url)
    used = await connection.fetchval("select used from switchboard.usage")
    payload = await connection.fetchval("select payload::text from switchboard.todos where id = $1", second)
    await connection.close()
    assert claimed.todo.worker == "operator ada"
    assert (refused.value.code, refused.value.details["reason"]) == (ErrorCode.DEFERRED, "in_flight_full")
    assert used == 1
    assert payload == '{"n": 1}'


@pytest.mark.parametrize("act", ["retry_now", "cancel", "claim"])
async def test_a_foreign_todo_is_refused_like_an_unknown_one(service: Services, endpoint: Caller, act: str) -> None:
    todo_id = await _dead(service, endpoint)
    # The operator flag widens reading, never managing (D6).
    mallory = await human(service, "mallory", operator=True)

    said = []
    for target in (todo_id, 2**62):
        with pytest.raises(SwitchboardError) as refused:
            await getattr(service.operator_todos, act)(mallory, target)
        said.append(refused.value.body())

    assert said[0] == said[1]
    assert said[0]["error"]["code"] == "not_found"  # type: ignore[index]
