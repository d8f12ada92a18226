"""Another default isolation of the database: limits hold all the same, and no verb fails of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import asyncpg
import pytest

from switchboard.service.services import Services
from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.worker import ClaimNext, Complete, Enqueue, Fail, Heartbeat, Release
from tests.faults.ground import Ground, ground_on
from tests.faults.scenarios import FAR, FAR_DEFINITION
from tests.support.checker import Full
from tests.support.databases import Databases
from tests.support.scenario import Endpoint, process
from tests.support.waiting import within_bound

RACERS, LIMIT = 50, 10


@pytest.fixture(params=["repeatable read", "serializable"])
async def strict(request: pytest.FixtureRequest, database_url: str, databases: Databases) -> AsyncIterator[Ground]:
    """A database whose transactions are of this isolation unless they say otherwise."""
    admin = await asyncpg.connect(databases.url)
    name = urlsplit(database_url).path.strip("/")
    await admin.execute(f"alter database {name} set default_transaction_isolation = '{request.param}'")
    await admin.close()
    async with ground_on(database_url) as made:
        assert await made.sql.fetchval("show transaction_isolation") == request.param
        yield made


@pytest.fixture
async def processes(strict: Ground) -> AsyncIterator[list[Services]]:
    """Two processes with pools of their own."""
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(2):
            database = Database(DatabaseSettings(strict.url, claim_connections=10, read_connections=2))
            await database.open()
            stack.push_async_callback(database.close)
            made.append(process(database))
        await strict.start_of_run()
        yield made


async def _lane(strict: Ground, **policy: object) -> Endpoint:
    endpoint = await strict.world.endpoint("e", "q")
    await strict.world.set_policy(endpoint, "q", **policy)
    return endpoint


async def test_fifty_racers_share_a_budget_of_ten(strict: Ground, processes: list[Services]) -> None:
    endpoint = await _lane(strict, max_claims_per_window=LIMIT, window=FAR)
    todos = await strict.world.enqueue_many(endpoint, "q", RACERS)
    answers = await asyncio.gather(
        *(processes[number % 2].claim.claim_next(endpoint.caller, ClaimNext()) for number in range(RACERS))
    )
    claimed = [todo.id for answer in answers for todo in answer.todos]
    assert len(claimed) == len(set(claimed)) == LIMIT
    assert [answer.deferred[0].reason for answer in answers if answer.empty] == ["window_exhausted"] * (RACERS - LIMIT)
    ((start, used),) = (await strict.world.charges(endpoint, "q")).items()
    assert used == LIMIT
    await strict.check(expected=todos, full=[Full(endpoint.queue_id("q"), FAR_DEFINITION, start, LIMIT)])


async def test_every_verb_of_many_workers_goes_on_as_under_read_committed(
    strict: Ground, processes: list[Services]
) -> None:
    """Rows that another has just changed are waited for and looked at again, never an error of the caller's."""
    endpoint = await _lane(strict, max_in_flight=6, max_claims_per_window=10_000, window=FAR)
    todos = await strict.world.enqueue_many(endpoint, "q", 40)
    caller = endpoint.caller

    async def work(number: int) -> None:
        service = processes[number % 2]
        for step in range(12):
            await service.enqueue.enqueue(caller, Enqueue(queue="q", kind="k", idempotency_key=f"key-{step % 5}"))
            for todo in (await service.claim.claim_next(caller, ClaimNext())).todos:
                await service.drain.heartbeat(caller, Heartbeat(todo_id=todo.id))
                match (number + step) % 3:
                    case 0:
                        await service.complete.complete(caller, Complete(todo_id=todo.id))
                    case 1:
                        await service.drain.fail(caller, Fail(todo_id=todo.id))
                    case _:
                        await service.drain.release(caller, Release(todo_id=todo.id))

    async def sweep() -> None:
        while not done.is_set():
            await strict.world.sweep()

    async def edit() -> None:
        caps = [6, 3, 9]
        while not done.is_set():
            caps.append(caps.pop(0))
            await strict.world.set_policy(
                endpoint, "q", max_in_flight=caps[0], max_claims_per_window=10_000, window=FAR
            )

    done = asyncio.Event()
    beside = [asyncio.create_task(sweep()), asyncio.create_task(edit())]
    outcomes = await within_bound(asyncio.gather(*(work(number) for number in range(8)), return_exceptions=True))
    done.set()
    outcomes += await within_bound(asyncio.gather(*beside, return_exceptions=True))
    assert [repr(outcome) for outcome in outcomes if isinstance(outcome, BaseException)] == []
    await strict.check(expected=todos)
