"""A database session that is ended at any point of a claim: the caller is told, nothing is charged, the pool heals."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from tests.faults.ground import Ground
from tests.faults.scenarios import FAR
from tests.support.barriers import EVERY_POINT, Point, closed, holding_policy
from tests.support.claimers import Claimer, claimers
from tests.support.waiting import within_bound

CLAIM_CONNECTIONS = 10  # of a server, by default
_numbers = itertools.count(1)


async def warm(ground: Ground) -> None:
    """Every session of both servers' claim pools is in use once, so that each lost one is opened again."""
    endpoint = await ground.world.endpoint(f"warm-{next(_numbers)}", "w")
    number = CLAIM_CONNECTIONS * len(ground.urls)
    async with closed(ground.url, Point.BEGUN) as gate, claimers(number, ground.urls, [endpoint.credential]) as callers:
        calls = [asyncio.create_task(caller.call("claim_next")) for caller in callers]
        await gate.arrived(number)
        await gate.let_go()
        for call in calls:
            assert (await within_bound(call)).body["empty"]


@pytest.mark.parametrize(
    ("verb", "point"),
    list(itertools.product(("claim", "claim_next"), EVERY_POINT)),
    ids=lambda one: getattr(one, "name", one),
)
async def test_a_terminated_session_charges_nothing(shared: Ground, verb: str, point: Point) -> None:
    world = shared.world
    endpoint = await world.endpoint(f"ended-{verb.replace('_', '-')}-{point.value}", "lane")
    await world.set_policy(endpoint, "lane", max_in_flight=5, max_claims_per_window=10, window=FAR)
    await world.claim(endpoint, await world.enqueue(endpoint, "lane"))
    todo_id = await world.enqueue(endpoint, "lane")
    before = [tuple(row) for row in await shared.sql.fetch("select * from switchboard.todos where id = $1", todo_id)]
    caller = Claimer(shared.urls[0], endpoint.credential)
    body = {"todo_id": todo_id} if verb == "claim" else {}
    async with closed(shared.url, point) as gate:
        call = asyncio.create_task(caller.call(verb, **body))
        (pid,) = await gate.arrived()
        await shared.sql.execute("select pg_terminate_backend($1)", pid)
        answer = await within_bound(call)
    # A claim that the database has not committed must never be answered as one.
    assert (answer.status, answer.code) == (503, "unavailable")
    assert [
        tuple(row) for row in await shared.sql.fetch("select * from switchboard.todos where id = $1", todo_id)
    ] == before
    assert await world.used(endpoint, "lane") == await world.committed_claims(endpoint, "lane") == 1
    again = await within_bound(caller.call(verb, **body))
    assert again.status == 200
    await caller.close()
    assert await world.used(endpoint, "lane") == await world.committed_claims(endpoint, "lane") == 2
    await warm(shared)
    await shared.check(expected=[todo_id])


async def test_a_statement_that_an_administrator_cancels_charges_nothing(shared: Ground) -> None:
    """pg_cancel_backend ends the statement; it is no refusal by the policy."""
    world = shared.world
    endpoint = await world.endpoint("canceled", "lane")
    await world.set_policy(endpoint, "lane", max_claims_per_window=10, window=FAR)
    todo_id = await world.enqueue(endpoint, "lane")
    caller = Claimer(shared.urls[0], endpoint.credential)
    for point in EVERY_POINT:
        async with closed(shared.url, point) as gate:
            call = asyncio.create_task(caller.call("claim", todo_id=todo_id))
            (pid,) = await gate.arrived()
            await shared.sql.execute("select pg_cancel_backend($1)", pid)
            answer = await within_bound(call)
        assert (answer.status, answer.code) == (503, "unavailable"), point.name
        assert await world.used(endpoint, "lane") == 0
    assert (await caller.call("claim", todo_id=todo_id)).status == 200
    await caller.close()
    await shared.check()


async def test_a_policy_lock_held_for_too_long_is_a_refusal_of_that_queue_alone(shared: Ground) -> None:
    """D18: the bounded wait ends, the queue says admission_unavailable, the others go on."""
    world = shared.world
    endpoint = await world.endpoint("patient", "held", "free")
    await world.set_policy(endpoint, "held", max_claims_per_window=10, window=FAR)
    held = await world.enqueue(endpoint, "held")
    free = await world.enqueue(endpoint, "free")
    caller = Claimer(shared.urls[1], endpoint.credential)
    async with holding_policy(shared.url, endpoint.queue_id("held")):
        answer = await within_bound(caller.call("claim", todo_id=held))
        assert (answer.code, answer.body["error"]["reason"]) == ("deferred", "admission_unavailable")
        assert (await within_bound(caller.call("claim_next"))).ids == [free]
        answer = await within_bound(caller.call("claim_next"))
        assert answer.body["empty"]
        assert [(one["queue"], one["reason"]) for one in answer.body["deferred"]] == [("held", "admission_unavailable")]
    assert (await within_bound(caller.call("claim_next"))).ids == [held]
    await caller.close()
    assert await world.used(endpoint, "held") == 1
    await shared.check()
