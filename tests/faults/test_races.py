"""Claims of several servers at the same moment, stopped where it matters."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import orjson
import pytest

from switchboard_wire.worker import Fail
from tests.faults.ground import Ground
from tests.faults.scenarios import FAR, cancelled_anywhere, lost_and_refused, nineteen_exhausted, racers
from tests.support.barriers import Point, closed
from tests.support.claimers import Answer, Claimer, race
from tests.support.scenario import Endpoint, World
from tests.support.waiting import lock_waits, within_bound


async def test_a_hundred_racers_on_two_servers_share_a_budget_of_ten(shared: Ground) -> None:
    await racers(shared, 100, 10, "hundred")


async def test_refused_claims_and_claims_lost_to_a_race_write_nothing(ground: Ground) -> None:
    await lost_and_refused(ground, 300)


async def test_one_call_claims_from_the_twentieth_queue_when_nineteen_are_spent(ground: Ground) -> None:
    await nineteen_exhausted(ground, 5000)


async def _call(server: int, ground: Ground, endpoint: Endpoint, verb: str, **body: Any) -> Answer:
    caller = Claimer(ground.urls[server], endpoint.credential)
    try:
        return await caller.call(verb, **body)
    finally:
        await caller.close()


@pytest.mark.parametrize("by_id", [True, False], ids=["claim", "claim_next"])
@pytest.mark.parametrize("limits", ["cap", "window"])
async def test_a_claim_not_yet_committed_bars_another_servers(shared: Ground, limits: str, by_id: bool) -> None:
    """Cap 1, two todos: while the first claim is about to commit, the second waits, and is refused after it."""
    world = shared.world
    endpoint = await world.endpoint(f"open-{limits}-{by_id}".lower(), "q")
    await world.set_policy(
        endpoint,
        "q",
        **({"max_in_flight": 1} if limits == "cap" else {"max_claims_per_window": 1, "window": FAR}),
    )
    first, second = await world.enqueue_many(endpoint, "q", 2)
    for server in (0, 1):  # both know the policy
        await _call(server, shared, endpoint, "admission_status")
    async with closed(shared.url, Point.COMMITTING) as gate:
        a = asyncio.create_task(_call(0, shared, endpoint, "claim", todo_id=first))
        await gate.arrived()
        b = asyncio.create_task(
            _call(1, shared, endpoint, "claim", todo_id=second) if by_id else _call(1, shared, endpoint, "claim_next")
        )
        await lock_waits(shared.sql, 2)  # the first at its barrier, the second at the policy's row
        assert not b.done()
    assert (await within_bound(a)).status == 200
    answer = await within_bound(b)
    reason = {"cap": "in_flight_full", "window": "window_exhausted"}[limits]
    if by_id:
        assert (answer.code, answer.body["error"]["reason"]) == ("deferred", reason)
    else:
        assert answer.body["empty"]
        assert [one["reason"] for one in answer.body["deferred"]] == [reason]
    assert await world.states(endpoint, "q") == {"claimed": 1, "pending": 1}
    await shared.check(expected=[first, second])


async def test_a_lapsed_claim_that_nobody_has_reaped_still_fills_the_cap(shared: Ground) -> None:
    world = shared.world
    endpoint = await world.endpoint("lapsed", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=10, window=FAR)
    lapsed, other = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, lapsed)
    await shared.sql.execute(
        "update switchboard.todos set lease_expires_at = switchboard.clock() where id = $1", lapsed
    )
    refused = await _call(1, shared, endpoint, "claim", todo_id=other)
    assert (refused.code, refused.body["error"]["reason"]) == ("deferred", "in_flight_full")
    assert (await _call(1, shared, endpoint, "claim_next")).ids == [lapsed]
    assert (await _call(0, shared, endpoint, "claim_next")).body["empty"]
    await shared.sql.execute(
        "update switchboard.todos set lease_expires_at = switchboard.clock() where id = $1", lapsed
    )
    assert (await _call(0, shared, endpoint, "claim", todo_id=lapsed)).status == 200
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == 3
    await shared.check(expected=[lapsed, other])


async def test_racers_for_one_lapsed_claim_at_the_cap_take_it_over_once(shared: Ground) -> None:
    world = shared.world
    endpoint = await world.endpoint("takeover", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=100, window=FAR)
    lapsed, _ = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, lapsed)
    await shared.sql.execute(
        "update switchboard.todos set lease_expires_at = switchboard.clock() where id = $1", lapsed
    )
    answers = await race(20, shared.urls, [endpoint.credential], max=2)
    assert [todo_id for answer in answers for todo_id in answer.ids] == [lapsed]
    assert await world.used(endpoint, "q") == 2
    await shared.check()


async def test_a_policy_edited_on_one_server_holds_for_the_very_next_claim_on_the_other(shared: Ground) -> None:
    world = shared.world
    endpoint = await world.endpoint("edited", "q")
    token = await world.operator_token(endpoint.owner)
    operator = Claimer(shared.urls[0], token)
    worker = Claimer(shared.urls[1], endpoint.credential)
    await world.enqueue_many(endpoint, "q", 12)

    async def put(**policy: Any) -> None:
        body = {"max_in_flight": None, "max_claims_per_window": None, "window": None} | policy
        assert (await operator.request("PUT", "/api/v1/admission/endpoint:edited/q", body)).status == 200

    async def claims(number: int, reason: str) -> None:
        for _ in range(number):
            assert not (await worker.call("claim_next")).body["empty"]
        assert [one["reason"] for one in (await worker.call("claim_next")).body["deferred"]] == [reason]

    await put(max_claims_per_window=2, window=FAR)
    await claims(2, "window_exhausted")
    await put(max_claims_per_window=5, window=FAR)  # raised
    await claims(3, "window_exhausted")
    await put(max_claims_per_window=1, window=FAR)  # lowered below what is used
    await claims(0, "window_exhausted")
    await put(max_in_flight=6)
    await claims(1, "in_flight_full")
    await put(max_in_flight=2)  # lowered below what is in flight
    await claims(0, "in_flight_full")
    await put(max_in_flight=0, max_claims_per_window=100, window=FAR)
    await claims(0, "paused")
    await put(max_claims_per_window=6, window=FAR)  # the five of this window are remembered
    await claims(1, "window_exhausted")
    assert (await operator.request("DELETE", "/api/v1/admission/endpoint:edited/q")).status == 200
    for _ in range(2):
        assert not (await worker.call("claim_next")).body["empty"]
    await put(max_claims_per_window=7, window=FAR)  # cleared and set: neither forgets nor counts in between (D14)
    await claims(1, "window_exhausted")
    await operator.close()
    await worker.close()
    await shared.check()


@pytest.mark.parametrize("by_id", [True, False], ids=["claim", "claim_next"])
@pytest.mark.parametrize("edit", ["another window", "cleared", "cleared and set", "lowered"])
async def test_a_policy_edited_while_a_claim_waits_for_its_lock_judges_that_claim(
    shared: Ground, edit: str, by_id: bool
) -> None:
    """The claim looked at one policy and is granted the lock of another: it charges by what stands then."""
    world = shared.world
    endpoint = await world.endpoint(f"overtaken-{edit.replace(' ', '-')}-{by_id}".lower(), "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=FAR)
    first, second = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, first)
    await _call(1, shared, endpoint, "admission_status")
    queue_id = endpoint.queue_id("q")
    statements = {
        "another window": ["update switchboard.policies set window_start = '12:00' where queue_id = $1"],
        "lowered": ["update switchboard.policies set max_claims_per_window = 1 where queue_id = $1"],
        "cleared": ["delete from switchboard.policies where queue_id = $1"],
        "cleared and set": [
            "create temporary table kept on commit drop as select * from switchboard.policies where queue_id = $1",
            "delete from switchboard.policies where queue_id = $1",
            "insert into switchboard.policies select * from kept where queue_id = $1",
            "update switchboard.policies set window_start = '11:00' where queue_id = $1",
        ],
    }[edit]
    editor = await asyncpg.connect(shared.url)
    async with editor.transaction():
        for statement in statements:
            parameters = [] if statement.startswith("create") else [queue_id]
            await editor.execute(statement.replace("$1", str(queue_id)) if not parameters else statement, *parameters)
        claim = asyncio.create_task(
            _call(1, shared, endpoint, "claim", todo_id=second) if by_id else _call(1, shared, endpoint, "claim_next")
        )
        await lock_waits(shared.sql, 1)
    answer = await within_bound(claim)
    await editor.close()
    definitions = await shared.sql.fetch(
        "select window_definition, used from switchboard.usage where queue_id = $1 order by window_definition", queue_id
    )
    used = {row["window_definition"].rpartition(" ")[2]: row["used"] for row in definitions}
    expected = {"another window": {"00:00": 1, "12:00": 1}, "cleared and set": {"00:00": 1, "11:00": 1}}
    assert used == expected.get(edit, {"00:00": 1})
    assert (await world.todo(second))["state"] == ("pending" if edit == "lowered" else "claimed")
    assert answer.status == (409 if edit == "lowered" and by_id else 200)
    await shared.check()


async def test_a_new_policy_waits_for_the_claims_that_saw_none(shared: Ground) -> None:
    """A pause of a queue without a policy: what is not yet committed is before it, and nothing is after it."""
    world = shared.world
    endpoint = await world.endpoint("unseen-policy", "q")
    first, second = await world.enqueue_many(endpoint, "q", 2)
    async with closed(shared.url, Point.COMMITTING) as gate:
        claim = asyncio.create_task(_call(0, shared, endpoint, "claim", todo_id=first))
        await gate.arrived()
        policy = asyncio.create_task(world.set_policy(endpoint, "q", max_in_flight=0))
        await lock_waits(shared.sql, 2)  # the claim at its barrier, the policy behind the claim
        assert not policy.done()
    assert (await within_bound(claim)).status == 200
    await within_bound(policy)
    assert (await _call(0, shared, endpoint, "claim", todo_id=second)).body["error"]["reason"] == "paused"
    await shared.check()  # in the order of the commits: no claim under the pause


async def test_one_name_on_two_endpoints_and_a_team_has_three_budgets(shared: Ground) -> None:
    world = shared.world
    one = await world.endpoint("name-one", "investigations")
    other = await world.endpoint("name-other", "investigations")
    pooled = await world.team_endpoints("namesakes", "investigations", "name-pool-1", "name-pool-2")
    plain = await world.endpoint("name-plain", "investigations")
    limits = [(one, 3), (other, 5), (pooled[0], 7)]
    for endpoint, limit in limits:
        await world.set_policy(endpoint, "investigations", max_in_flight=limit, max_claims_per_window=limit, window=FAR)
    for endpoint in (one, other, pooled[0], plain):
        await world.enqueue_many(endpoint, "investigations", 20)
    everyone = [one, other, *pooled, plain]
    results = await asyncio.gather(*(race(20, shared.urls, [endpoint.credential]) for endpoint in everyone))
    counts = [sum(len(answer.ids) for answer in answers) for answers in results]
    assert counts[:2] == [3, 5]
    assert counts[2] + counts[3] == 7  # the team's endpoints share one budget
    assert counts[4] == 20
    for endpoint, limit in limits:
        assert await world.used(endpoint, "investigations") == limit
        assert await world.committed_claims(endpoint, "investigations") == limit
    assert await world.used(plain, "investigations") == 0
    await shared.check()


async def _each_reason_and_one_free(world: World, slug: str) -> Endpoint:
    """Queues that defer for every reason there is, each with older work than the one that admits."""
    endpoint = await world.endpoint(slug, "spent", "full", "paused", "broken", "free")
    await world.set_policy(endpoint, "spent", max_claims_per_window=1, window=FAR)
    await world.set_policy(endpoint, "full", max_in_flight=1)
    await world.set_policy(endpoint, "paused", max_in_flight=0)
    await world.set_policy(endpoint, "broken", max_claims_per_window=9, window=FAR)
    await world.sql.execute(
        "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", endpoint.queue_id("broken")
    )
    await world.set_policy(endpoint, "free", max_in_flight=5, max_claims_per_window=9, window=FAR)
    for name in ("spent", "full"):
        await world.claim(endpoint, await world.enqueue(endpoint, name))
    for name in ("spent", "full", "paused", "broken"):
        await world.enqueue_many(endpoint, name, 3)
    return endpoint


@pytest.mark.parametrize("knowing", [True, False], ids=["knowing", "a new process"])
async def test_an_idle_worker_is_served_by_one_call_whatever_else_is_deferred(shared: Ground, knowing: bool) -> None:
    world = shared.world if knowing else shared.world.another_process()
    endpoint = await _each_reason_and_one_free(world, f"progress-{knowing}".lower())
    free = await world.enqueue_many(endpoint, "free", 3)
    if not knowing:
        world = shared.world.another_process()
    assert [todo.id for todo in (await world.claim_next(endpoint)).todos] == [free[0]]
    assert [todo.id for todo in (await world.claim_next(endpoint, max=100)).todos] == free[1:]
    answer = await world.claim_next(endpoint)
    assert {one.queue: one.reason.value for one in answer.deferred} == {
        "spent": "window_exhausted",
        "full": "in_flight_full",
        "paused": "paused",
        "broken": "admission_unavailable",
    }
    await shared.check()


async def test_a_freed_slot_is_taken_by_the_next_call_whatever_hint_was_given(shared: Ground) -> None:
    """The hint names a lease's end hours away; completing frees the slot at once, on any server."""
    world = shared.world
    endpoint = await world.endpoint("freed", "q")
    await world.set_policy(endpoint, "q", max_in_flight=1)
    ids = await world.enqueue_many(endpoint, "q", 6)
    held = (await _call(0, shared, endpoint, "claim_next", lease_seconds=86400)).ids
    for number, verb in enumerate(("complete", "fail", "release", "complete", "complete")):
        refused = await _call(1, shared, endpoint, "claim_next")
        (deferral,) = refused.body["deferred"]
        assert (deferral["reason"], deferral["exact"]) == ("in_flight_full", False)
        assert (await _call(number % 2, shared, endpoint, verb, todo_id=held[0])).status == 200
        held = (await _call(1 - number % 2, shared, endpoint, "claim_next", lease_seconds=86400)).ids
        assert len(held) == 1
    assert set(held) <= set(ids)
    await shared.check(expected=ids)


async def test_claims_cancelled_at_random_moments_are_charged_if_and_only_if_they_are_committed(ground: Ground) -> None:
    await cancelled_anywhere(ground, 400)


async def test_many_todos_retried_at_once_stay_under_the_cap(shared: Ground) -> None:
    """Retry now only makes pending; the cap decides what runs."""
    world = shared.world
    endpoint = await world.endpoint("retried", "q")
    ids = await world.enqueue_many(endpoint, "q", 100)
    held = [todo.id for todo in (await world.claim_next(endpoint, max=100)).todos]
    for todo_id in held:
        await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, retry=todo_id % 2 == 0))
    await world.set_policy(endpoint, "q", max_in_flight=2)
    operator = Claimer(shared.urls[0], await world.operator_token(endpoint.owner))
    answers = await asyncio.gather(
        race(60, shared.urls, [endpoint.credential], max=5),
        *(world.service.operator_todos.retry_now(endpoint.owner, todo_id) for todo_id in ids),
    )
    assert len([todo_id for answer in answers[0] for todo_id in answer.ids]) <= 2
    await race(20, shared.urls, [endpoint.credential], max=5)
    assert await world.states(endpoint, "q") == {"claimed": 2, "pending": 98}
    refused = await operator.request("POST", f"/api/jobs/{ids[-1]}/claim", {})  # the board's claim is a claim, too
    assert (refused.code, refused.body["error"]["reason"]) == ("deferred", "in_flight_full")
    await operator.close()
    await shared.check(expected=ids)


async def test_a_payload_is_the_same_to_the_byte_after_it_was_deferred_and_taken_over(shared: Ground) -> None:
    world = shared.world
    endpoint = await world.endpoint("payload", "q")
    await world.set_policy(endpoint, "q", max_in_flight=0)
    payload = {"text": "\u2028 \x7f é 𝄞", "numbers": [0, -1, 9007199254740993, 1e300, 0.1], "deep": [[[{}]]], "": None}
    made = await _call(0, shared, endpoint, "enqueue", queue="q", kind="k", payload=payload, tags=["b", "a"])
    todo_id = made.body["todo"]["id"]
    for _ in range(3):
        assert (await _call(1, shared, endpoint, "claim", todo_id=todo_id)).code == "deferred"
    await world.set_policy(endpoint, "q", max_in_flight=1)
    seen = [made.body["todo"]]
    for number in range(2):
        answer = await _call(number, shared, endpoint, "claim_next")
        seen += answer.body["todos"]
        await shared.sql.execute(
            "update switchboard.todos set lease_expires_at = switchboard.clock() where id = $1", todo_id
        )
    assert seen[0]["payload"] == payload
    assert len({orjson.dumps(one["payload"]) for one in seen}) == 1
    assert [one["tags"] for one in seen] == [["b", "a"]] * 3
    assert [one["attempt"] for one in seen] == [0, 1, 2]
    await shared.check(expected=[todo_id])
