"""A worker against a real server: results, failures, lost leases, and stopping without losing work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncpg
import pytest

from switchboard.service.services import Services
from switchboard.worker import Refused, Worker
from tests.support.people import again, enqueue, human
from tests.support.servers import Server, running_server


@pytest.fixture
def server(database_url: str) -> Iterator[Server]:
    with running_server(database_url) as running:
        yield running


@pytest.fixture
async def rows(database_url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(database_url)

    async def fetch(sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in await connection.fetch(sql, *values)]

    yield fetch
    await connection.close()


@pytest.fixture
async def credential(service: Services) -> str:
    return await service.endpoints.add(await human(service, "ada"), "pool", ["lane"])


async def test_a_pool_works_a_queue_off_and_every_claim_is_one_attempt(
    service: Services, server: Server, credential: str, rows: Any
) -> None:
    await enqueue(service, await again(service, credential), "lane", 20)
    worker, seen = Worker(server.url, credential, concurrency=4), []

    @worker.handle
    async def handle(todo: dict[str, Any]) -> dict[str, Any]:
        seen.append(todo["id"])
        if len(seen) == 20:
            worker.stop()
        return {"seen": todo["id"]}

    await worker.run(signals=False)

    assert len(seen) == len(set(seen)) == 20
    assert await rows("select state, count(*) from switchboard.todos group by 1") == [("done", 20)]
    assert await rows("select outcome, count(*) from switchboard.attempts group by 1") == [("completed", 20)]


async def test_what_raises_is_failed_with_its_text(
    service: Services, server: Server, credential: str, rows: Any
) -> None:
    await enqueue(service, await again(service, credential), "lane")
    worker = Worker(server.url, credential)

    @worker.handle
    async def handle(todo: dict[str, Any]) -> None:
        worker.stop()
        raise ValueError("no such sensor")

    await worker.run(signals=False)

    assert await rows("select state, error from switchboard.todos") == [("failed", "ValueError: no such sensor")]


async def test_a_stopped_worker_finishes_what_it_began_and_claims_no_more(
    service: Services, server: Server, credential: str, rows: Any
) -> None:
    await enqueue(service, await again(service, credential), "lane", 3)
    worker, started, go_on = Worker(server.url, credential), asyncio.Event(), asyncio.Event()

    @worker.handle
    async def handle(todo: dict[str, Any]) -> None:
        started.set()
        await go_on.wait()

    running = asyncio.create_task(worker.run(signals=False))
    await started.wait()
    worker.stop()
    go_on.set()
    await running

    assert await rows("select state, count(*) from switchboard.todos group by 1 order by 1") == [
        ("done", 1),
        ("pending", 2),
    ]


async def test_what_does_not_end_within_the_grace_is_released_with_its_attempt(
    service: Services, server: Server, credential: str, rows: Any
) -> None:
    await enqueue(service, await again(service, credential), "lane")
    worker, started = Worker(server.url, credential, grace=0.05), asyncio.Event()

    @worker.handle
    async def handle(todo: dict[str, Any]) -> None:
        started.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(worker.run(signals=False))
    await started.wait()
    worker.stop()
    await running

    assert await rows("select state, attempt from switchboard.todos") == [("pending", 0)]


async def test_a_worker_whose_lease_was_lost_ends_its_work_and_leaves_the_todo_alone(
    service: Services, server: Server, credential: str, rows: Any
) -> None:
    await enqueue(service, await again(service, credential), "lane")
    # The shortest lease: the first heartbeat comes after a third of a second.
    worker, started, ended = Worker(server.url, credential, lease_seconds=1), asyncio.Event(), asyncio.Event()

    @worker.handle
    async def handle(todo: dict[str, Any]) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
            worker.stop()

    running = asyncio.create_task(worker.run(signals=False))
    await started.wait()
    await rows("update switchboard.todos set state = 'canceled', claimant_id = null, fence = null returning id")
    await ended.wait()
    await running

    assert await rows("select state from switchboard.todos") == [("canceled",)]


async def test_a_wrong_credential_ends_the_worker_with_the_servers_words(server: Server) -> None:
    worker = Worker(server.url, "sbk_wrong", concurrency=2)

    @worker.handle
    async def handle(todo: dict[str, Any]) -> None: ...

    with pytest.raises(Refused, match="unauthenticated"):
        await worker.run(signals=False)
