"""REQ-4 over two real servers: a limit is a limit, however many race for it and wherever they knock."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import asyncpg
import pytest

from tests.support.scenario import DAY_UTC, Endpoint
from tests.support.waiting import holding, patient_locks, waits_for

from .conftest import Fleet

HOUR_UTC = {"period": "hour", "tz": "UTC", "start": "00:00"}
FAR = {"period": "week", "tz": "UTC", "start": "00:00", "weekday": "Mon"}


async def test_fifty_race_for_ten(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_claims_per_window=10, window=FAR)
    await pair.world.enqueue_many(endpoint, "q", 50)
    answers = await pair.race(endpoint, 50, "claim_next")
    claimed = [answer for answer in answers if not answer["empty"]]
    deferred = [answer for answer in answers if answer["empty"]]
    assert (len(claimed), len(deferred)) == (10, 40)
    assert len({answer["todos"][0]["id"] for answer in claimed}) == 10
    assert sorted(answer["admission"]["used"] for answer in claimed) == list(range(1, 11))
    for answer in deferred:
        (entry,) = answer["deferred"]
        assert (entry["queue"], entry["reason"], entry["exact"]) == ("q", "window_exhausted", True)
    assert await pair.world.states(endpoint, "q") == {"claimed": 10, "pending": 40}
    await pair.books_balance(endpoint, "q", 10)


async def test_fifty_named_todos_race_for_ten_slots(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_in_flight=10)
    ids = await pair.world.enqueue_many(endpoint, "q", 50)
    answers = await asyncio.gather(
        *(pair.verb(turn, endpoint, "claim", todo_id=todo_id) for turn, todo_id in enumerate(ids))
    )
    assert Counter(answer.status_code for answer in answers) == {200: 10, 409: 40}
    reasons = {answer.json()["error"]["reason"] for answer in answers if answer.status_code == 409}
    assert reasons == {"in_flight_full"}
    assert await pair.world.states(endpoint, "q") == {"claimed": 10, "pending": 40}


async def test_one_slot_is_never_had_twice(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_in_flight=1)
    await pair.world.enqueue_many(endpoint, "q", 12)
    for round_ in range(10):
        answers = await pair.race(endpoint, 12, "claim_next")
        (claimed,) = [answer for answer in answers if not answer["empty"]]
        assert claimed["admission"]["in_flight"] == 1
        assert (await pair.world.states(endpoint, "q"))["claimed"] == 1
        done = await pair.verb(round_, endpoint, "complete", todo_id=claimed["todos"][0]["id"])
        assert done.status_code == 200


async def test_a_claim_that_is_open_on_one_server_holds_its_slot_against_the_other(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await patient_locks(pair.world.sql)
    await pair.world.set_policy(endpoint, "q", max_in_flight=1)
    first, _ = await pair.world.enqueue_many(endpoint, "q", 2)
    queue_id = endpoint.queue_id("q")
    async with holding(
        pair.database_url,
        # a claim of the first todo as it stands before its commit
        f"select from switchboard.todos where id = {first} for update",
        f"select from switchboard.policies where queue_id = {queue_id} for update",
        f"update switchboard.todos set state = 'claimed', claims = 1, attempt = 1, lease_expires_at = now() +"
        f" interval '1 h', claimant_id = {endpoint.caller.endpoint_id} where id = {first}",
    ) as claim:
        other = asyncio.create_task(pair.verb(1, endpoint, "claim_next"))
        await waits_for(pair.world.sql, claim)
        await claim.execute("commit")
        answer = (await other).json()
    assert answer["empty"]
    assert [(one["reason"], one["pending"]) for one in answer["deferred"]] == [("in_flight_full", 1)]


async def test_batches_race_for_fifty(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_claims_per_window=50, window=FAR)
    await pair.world.enqueue_many(endpoint, "q", 200)
    answers = await pair.race(endpoint, 20, "claim_next", max=7)
    ids = [todo["id"] for answer in answers for todo in answer["todos"]]
    assert len(ids) == len(set(ids)) == 50
    assert max(len(answer["todos"]) for answer in answers) == 7
    await pair.books_balance(endpoint, "q", 50)


async def test_twenty_race_to_take_over_one_lapsed_todo_at_the_cap(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_in_flight=1, max_claims_per_window=100, window=FAR)
    lapsed, _ = await pair.world.enqueue_many(endpoint, "q", 2)
    await pair.verb(0, endpoint, "claim", todo_id=lapsed)
    await pair.world.sql.execute(
        "update switchboard.todos set lease_expires_at = clock_timestamp() where id = $1", lapsed
    )
    by_id, by_queue = await asyncio.gather(
        pair.race(endpoint, 10, "claim", todo_id=lapsed), pair.race(endpoint, 10, "claim_next")
    )
    won = [answer["todo"]["id"] for answer in by_id if "todo" in answer]
    won += [todo["id"] for answer in by_queue for todo in answer["todos"]]
    assert won == [lapsed]
    await pair.books_balance(endpoint, "q", 2)


async def test_without_a_policy_fifty_claims_get_fifty_todos(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    ids = await pair.world.enqueue_many(endpoint, "q", 50)
    answers = await pair.race(endpoint, 50, "claim_next")
    assert sorted(answer["todos"][0]["id"] for answer in answers) == ids
    assert {answer["admission"] for answer in answers} == {None}
    await pair.world.enqueue(endpoint, "q")
    assert await pair.world.used(endpoint, "q") == 0


async def test_a_hot_budget_does_not_hold_up_a_queue_without_one(pair: Fleet) -> None:
    hot, free = await pair.endpoint("q"), await pair.endpoint("q")
    await patient_locks(pair.world.sql)
    await pair.world.set_policy(hot, "q", max_in_flight=50)
    await pair.world.enqueue_many(hot, "q", 60)
    await pair.world.enqueue_many(free, "q", 20)
    await pair.race(hot, 2, "claim_next")  # both servers know the policy from here on
    policy = f"select from switchboard.policies where queue_id = {hot.queue_id('q')} for update"
    async with holding(pair.database_url, policy) as holder:
        waiting = asyncio.create_task(pair.race(hot, 40, "claim_next"))
        await waits_for(pair.world.sql, holder)
        answers = await pair.race(free, 20, "claim_next")
        assert [answer["empty"] for answer in answers] == [False] * 20
    assert [answer["empty"] for answer in await waiting] == [False] * 40


async def test_two_queues_each_keep_their_own_limit(pair: Fleet) -> None:
    endpoint = await pair.endpoint("a", "b")
    for queue, limit in (("a", 7), ("b", 5)):
        await pair.world.set_policy(endpoint, queue, max_claims_per_window=limit, window=FAR)
        await pair.world.enqueue_many(endpoint, queue, 30)
    answers = await pair.race(endpoint, 40, "claim_next")
    queues = Counter(todo["queue"] for answer in answers for todo in answer["todos"])
    assert queues == {"a": 7, "b": 5}
    await pair.books_balance(endpoint, "a", 7)
    await pair.books_balance(endpoint, "b", 5)


async def test_a_lowered_limit_is_obeyed_by_the_very_next_claim_on_the_other_server(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.enqueue_many(endpoint, "q", 10)
    token = await pair.world.operator_token(endpoint.owner)

    async def put(server: int, limit: int) -> None:
        answer = await pair.clients[server].put(
            f"/api/v1/admission/endpoint:{endpoint.slug}/q",
            json={"max_claims_per_window": limit, "window": FAR},
            headers={"authorization": f"Bearer {token}"},
        )
        assert answer.status_code == 200

    await put(0, 100)
    for server in (0, 1):
        assert not (await pair.verb(server, endpoint, "claim_next")).json()["empty"]
    await put(0, 2)
    assert (await pair.verb(1, endpoint, "claim_next")).json()["deferred"][0]["reason"] == "window_exhausted"
    await put(1, 3)
    assert not (await pair.verb(0, endpoint, "claim_next")).json()["empty"]
    await put(1, 0)
    assert (await pair.verb(0, endpoint, "claim_next")).json()["deferred"][0]["reason"] == "paused"


async def test_policy_edits_during_a_race_admit_what_some_edit_allowed_and_charge_every_claim(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_claims_per_window=5, window=FAR)
    await pair.world.enqueue_many(endpoint, "q", 100)

    async def edit() -> None:
        for limit in (5, 25, 15, 25, 20, 25):
            await pair.world.set_policy(endpoint, "q", max_claims_per_window=limit, window=FAR)

    answers, _ = await asyncio.gather(pair.race(endpoint, 80, "claim_next"), edit())
    claimed = sum(not answer["empty"] for answer in answers)
    assert 5 <= claimed <= 25
    await pair.books_balance(endpoint, "q", claimed)
    await pair.race(endpoint, 30, "claim_next")
    await pair.books_balance(endpoint, "q", 25)


async def test_twenty_senders_of_one_key_over_two_servers_leave_one_todo(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    answers = await pair.race(endpoint, 20, "enqueue", queue="q", kind="k", idempotency_key="one")
    assert len({answer["todo"]["id"] for answer in answers}) == 1
    assert Counter(answer["duplicate"] for answer in answers) == {True: 19, False: 1}


async def test_a_working_day_of_every_verb_leaves_balanced_books(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_in_flight=6, max_claims_per_window=90, window=FAR)
    await pair.world.enqueue_many(endpoint, "q", 120)
    endings = ["complete", "fail", "release", "complete", "heartbeat", "complete"]
    most_in_flight = 0

    async def worker(number: int) -> int:
        nonlocal most_in_flight
        claims = 0
        while True:
            answer = (await pair.verb(number, endpoint, "claim_next", worker=f"w{number}", fence=True)).json()
            if answer["empty"]:
                if {one["reason"] for one in answer["deferred"]} == {"in_flight_full"}:
                    continue
                return claims
            most_in_flight = max(most_in_flight, answer["admission"]["in_flight"])
            (todo,) = answer["todos"]
            claims += 1
            held: dict[str, Any] = {"todo_id": todo["id"], "fence": todo["fence"]}
            ending = endings[(claims + number) % len(endings)]
            if ending == "heartbeat":
                assert (await pair.verb(number + 1, endpoint, "heartbeat", **held)).status_code == 200
                ending = "complete"
            assert (await pair.verb(number + 1, endpoint, ending, **held)).status_code == 200

    claims = await asyncio.gather(*(worker(number) for number in range(8)))
    assert sum(claims) == 90
    assert most_in_flight <= 6
    await pair.books_balance(endpoint, "q", 90)
    outcomes = await outcomes_of(pair.world.sql, endpoint)
    assert sum(outcomes.values()) == 90
    assert None not in outcomes


async def outcomes_of(sql: asyncpg.Connection, endpoint: Endpoint) -> Counter[str | None]:
    rows = await sql.fetch(
        "select outcome, count(*) as number from switchboard.attempts where queue_id = $1 group by outcome",
        endpoint.queue_id("q"),
    )
    return Counter({row["outcome"]: row["number"] for row in rows})


@pytest.mark.parametrize("window", [DAY_UTC, HOUR_UTC], ids=lambda window: window["period"])
async def test_a_server_that_starts_late_finds_the_budget_as_it_stands(pair: Fleet, window: dict[str, str]) -> None:
    endpoint = await pair.endpoint("q")
    await pair.world.set_policy(endpoint, "q", max_in_flight=2, max_claims_per_window=1_000_000, window=window)
    await pair.world.enqueue_many(endpoint, "q", 5)
    await pair.verb(0, endpoint, "claim_next")
    used = (await pair.verb(1, endpoint, "admission_status", queue="q")).json()["queues"][0]["in_flight"]
    assert used == 1
    assert (await pair.verb(1, endpoint, "claim_next")).json()["admission"]["in_flight"] == 2
    assert (await pair.verb(0, endpoint, "claim_next")).json()["empty"]
