"""REQ-13: a caller who hangs up at any point of a claim leaves nothing behind: no charge, no lock, no statement."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.faults.ground import Ground
from tests.faults.scenarios import FAR
from tests.support.barriers import EVERY_POINT, Point, Stopped, closed, holding_policy, holding_todo
from tests.support.checker import todo_rows
from tests.support.claimers import Claimer
from tests.support.scenario import Endpoint
from tests.support.waiting import holding, no_statements

ROUNDS = 100
TODO_WAITED_FOR, POLICY_WAITED_FOR = "waiting for the todo's lock", "waiting for the policy's lock"
PLACES: list[tuple[str, Point | str]] = [
    *itertools.product(("claim", "claim_next"), EVERY_POINT),
    ("claim", TODO_WAITED_FOR),
    ("claim", POLICY_WAITED_FOR),
    ("claim_next", POLICY_WAITED_FOR),
]


@pytest.fixture(scope="module")
async def lane(shared: Ground) -> tuple[Endpoint, int]:
    """An endpoint whose one todo is asked for all along; both servers know the policy, one claim is charged."""
    endpoint = await shared.world.endpoint("hang-up", "lane")
    await shared.world.set_policy(endpoint, "lane", max_in_flight=50, max_claims_per_window=100, window=FAR)
    await shared.world.claim(endpoint, await shared.world.enqueue(endpoint, "lane"))
    return endpoint, await shared.world.enqueue(endpoint, "lane")


def place(ground: Ground, where: Point | str, endpoint: Endpoint, todo_id: int) -> AbstractAsyncContextManager[Stopped]:
    if where == TODO_WAITED_FOR:
        return holding_todo(ground.url, todo_id)
    if where == POLICY_WAITED_FOR:
        return holding_policy(ground.url, endpoint.queue_id("lane"))
    assert isinstance(where, Point)
    return closed(ground.url, where)


async def hang_up(ground: Ground, url: str, verb: str, where: Point | str, endpoint: Endpoint, todo_id: int) -> None:
    body: dict[str, Any] = {"todo_id": todo_id} if verb == "claim" else {"max": 1}
    caller = Claimer(url, endpoint.credential)
    async with place(ground, where, endpoint, todo_id) as stopped:
        await caller.send("POST", f"/api/v1/worker/{verb}", body)
        await stopped.arrived()
        await caller.close()
        await stopped.left()  # while the way on is still barred: it was the hanging up that ended it
        await no_statements(ground.sql)


async def state(ground: Ground, endpoint: Endpoint) -> list[Any]:
    usage = await ground.sql.fetch("select ctid::text, xmin::text, * from switchboard.usage order by 1")
    attempts = await ground.sql.fetch("select ctid::text, xmin::text, * from switchboard.attempts order by 1")
    return [await todo_rows(ground.sql), usage, attempts]


@pytest.mark.parametrize(
    ("verb", "where"), PLACES, ids=[f"{verb}-{getattr(where, 'name', where)}" for verb, where in PLACES]
)
async def test_nothing_is_left_wherever_the_caller_hangs_up(
    shared: Ground, lane: tuple[Endpoint, int], verb: str, where: Point | str
) -> None:
    endpoint, todo_id = lane
    before = await state(shared, endpoint)
    for url in shared.urls:
        await hang_up(shared, url, verb, where, endpoint, todo_id)
    assert await state(shared, endpoint) == before
    await shared.check(expected=[todo_id])


async def test_after_many_hang_ups_the_pool_is_whole_and_claims_go_on(
    shared: Ground, lane: tuple[Endpoint, int]
) -> None:
    endpoint, todo_id = lane
    before = await state(shared, endpoint)
    for number, (verb, where) in zip(range(ROUNDS), itertools.cycle(PLACES), strict=False):
        await hang_up(shared, shared.urls[number % 2], verb, where, endpoint, todo_id)
    assert await state(shared, endpoint) == before
    await shared.check(expected=[todo_id])  # as many sessions as at the start

    # Neither the pool nor the turnstile before it is any narrower: both servers serve, one after the other.
    more = await shared.world.enqueue_many(endpoint, "lane", 6)
    for number in range(6):
        caller = Claimer(shared.urls[number % 2], endpoint.credential)
        answer = await caller.call("claim_next")
        await caller.close()
        assert answer.status == 200
        assert answer.ids == [[todo_id, *more][number]]
    assert await shared.world.used(endpoint, "lane") == await shared.world.committed_claims(endpoint, "lane") == 7
    await shared.check()


@pytest.mark.parametrize("sent", [b"", b'{"que'], ids=["headers only", "half a body"])
async def test_a_caller_who_hangs_up_before_the_request_is_whole_is_no_failure_of_the_server(
    shared: Ground, lane: tuple[Endpoint, int], sent: bytes
) -> None:
    endpoint, _ = lane
    server = shared.servers[0]
    before = server.log().count("internal_error")
    parts = urlsplit(server.url)
    _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    head = f"POST /api/v1/worker/claim_next HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {endpoint.credential}\r\n"
    writer.write(f"{head}Content-Length: 20\r\n\r\n".encode() + sent)
    await writer.drain()
    async with holding(shared.url, "select 1"):  # any round trip; the request is with the server by then
        pass
    writer.transport.abort()
    caller = Claimer(server.url, endpoint.credential)
    for _ in range(5):  # the server has dealt with the end of that connection before the last of these answers
        assert (await caller.call("admission_status")).status == 200
    await caller.close()
    assert server.log().count("internal_error") == before
