"""A server remembers who called; what is withdrawn on one server is refused by the next call on every other."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.store import statements
from switchboard_wire.worker import Verb
from tests.support.scenario import Endpoint

from .conftest import Fleet

HOT = ("claim_next", "claim", "complete", "fail", "release", "heartbeat")


def code(answer: Any) -> str:
    return "ok" if answer.status_code == 200 else str(answer.json()["error"]["code"])


async def grant(pair: Fleet, endpoint: Endpoint, name: str) -> None:
    endpoint_id = endpoint.caller.endpoint_id
    async with pair.world.database.transaction() as connection:
        queue_id = await statements.endpoints.add_queue(connection, endpoint_id=endpoint_id, name=name)
        await statements.endpoints.grant_queue(connection, endpoint_id=endpoint_id, name=name, queue_id=queue_id)


async def met_by_both(pair: Fleet, endpoint: Endpoint) -> None:
    for server in (0, 1):
        assert (await pair.verb(server, endpoint, "claim_next")).status_code == 200


@pytest.mark.parametrize("verb", HOT)
async def test_a_revoked_endpoint_is_refused_at_once_by_a_server_that_remembers_it(pair: Fleet, verb: str) -> None:
    endpoint = await pair.endpoint("q")
    await met_by_both(pair, endpoint)
    todo_id = await pair.world.enqueue(endpoint, "q")
    await pair.world.sql.execute("update switchboard.endpoints set state = 'revoked' where slug = $1", endpoint.slug)
    for server in (0, 1):
        answer = await pair.verb(server, endpoint, verb, **({} if verb == "claim_next" else {"todo_id": todo_id}))
        assert code(answer) == "unauthenticated"
    assert await pair.world.states(endpoint, "q") == {"pending": 1}


async def test_a_renewed_credential_ends_the_old_one_everywhere(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await met_by_both(pair, endpoint)
    await pair.world.enqueue(endpoint, "q")
    renewed = await pair.world.service.endpoints.renew(endpoint.slug)
    for server in (0, 1):
        assert code(await pair.verb(server, endpoint, "claim_next")) == "unauthenticated"
    fresh = Endpoint(endpoint.slug, endpoint.caller, renewed, endpoint.owner)
    assert not (await pair.verb(1, fresh, "claim_next")).json()["empty"]


async def test_a_queue_granted_on_one_server_is_served_by_the_next_call_on_another(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await met_by_both(pair, endpoint)
    assert code(await pair.verb(1, endpoint, "claim_next", queues=["more"])) == "forbidden"
    await grant(pair, endpoint, "more")
    await pair.verb(0, endpoint, "enqueue", queue="more", kind="test")
    answer = await pair.verb(1, endpoint, "claim_next")
    assert [todo["queue"] for todo in answer.json()["todos"]] == ["more"]


async def test_a_queue_taken_from_the_grant_is_claimed_from_no_more(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q", "other")
    await met_by_both(pair, endpoint)
    held = await pair.world.enqueue(endpoint, "q")
    await pair.world.claim(endpoint, held)
    await pair.world.enqueue(endpoint, "q")
    await pair.world.sql.execute(
        "delete from switchboard.endpoint_queues where endpoint_id = $1 and name = 'q'", endpoint.caller.endpoint_id
    )
    assert (await pair.verb(1, endpoint, "claim_next")).json()["empty"]
    assert code(await pair.verb(0, endpoint, "claim_next", queues=["q"])) == "forbidden"
    assert code(await pair.verb(0, endpoint, "complete", todo_id=held)) == "not_found"


async def test_a_verb_granted_or_taken_holds_from_the_next_call(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    await met_by_both(pair, endpoint)
    await pair.world.enqueue(endpoint, "q")

    async def verbs(*held: Verb) -> None:
        await pair.world.sql.execute(
            "update switchboard.endpoints set verbs = $2 where slug = $1", endpoint.slug, [one.value for one in held]
        )

    await verbs(Verb.COMPLETE)
    for server in (0, 1):
        assert code(await pair.verb(server, endpoint, "claim_next")) == "forbidden"
    await verbs(Verb.CLAIM_NEXT)
    assert not (await pair.verb(1, endpoint, "claim_next")).json()["empty"]


async def test_a_withdrawal_between_a_completion_and_its_next_hides_no_completion(pair: Fleet) -> None:
    endpoint = await pair.endpoint("q")
    first, _ = await pair.world.enqueue_many(endpoint, "q", 2)
    await pair.verb(0, endpoint, "claim_next")
    await grant(pair, endpoint, "more")
    answer = (await pair.verb(0, endpoint, "complete", todo_id=first, next={})).json()
    assert (answer["todo"]["state"], len(answer["next"]["todos"])) == ("done", 1)
