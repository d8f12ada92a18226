"""Every change of dead letters and queues makes this process's caches forget what they read; a refusal does not."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_wire.dead_letters import MatchingBody, MoveBody
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.operator_actions import JobIds
from tests.support.dead import died
from tests.support.scenario import World

CALLS: dict[str, Any] = {
    "dead_letter_actions.retry": lambda todo_id, queue_id: (todo_id,),
    "dead_letter_actions.purge": lambda todo_id, queue_id: (todo_id,),
    "dead_letter_actions.move": lambda todo_id, queue_id: (todo_id, MoveBody("r")),
    "dead_letter_bulk.retry_matching": lambda todo_id, queue_id: (MatchingBody({"ids": [todo_id]}),),
    "dead_letter_bulk.purge_matching": lambda todo_id, queue_id: (MatchingBody({"ids": [todo_id]}),),
    "operator_todos.retry_many": lambda todo_id, queue_id: (JobIds((todo_id,)),),
    "operator_todos.cancel_many": lambda todo_id, queue_id: (JobIds((todo_id,)),),
    "queue_actions.pause": lambda todo_id, queue_id: (queue_id,),
    "queue_actions.resume": lambda todo_id, queue_id: (queue_id,),
    "queue_actions.drain": lambda todo_id, queue_id: (queue_id,),
}


def method(world: World, name: str) -> Any:
    service, _, verb = name.partition(".")
    return getattr(getattr(world.service, service), verb)


@pytest.mark.parametrize("name", CALLS)
async def test_a_change_advances_the_generation(world: World, name: str) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    todo_id = await died(world, endpoint)
    if name == "queue_actions.resume":
        await world.set_policy(endpoint, "q", max_in_flight=0)
    before = world.database.generation.current

    await method(world, name)(endpoint.owner, *CALLS[name](todo_id, endpoint.queue_id("q")))

    assert world.database.generation.current > before


@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith(("dead_letter_actions", "queue_actions"))])
async def test_a_refusal_does_not(world: World, name: str) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    todo_id = await died(world, endpoint)
    mallory = await world.human("mallory")
    before = world.database.generation.current

    with pytest.raises(SwitchboardError):
        await method(world, name)(mallory, *CALLS[name](todo_id, endpoint.queue_id("q")))

    assert world.database.generation.current == before
