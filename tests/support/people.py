"""People, endpoints and todos for a test, in a line each."""

from __future__ import annotations

from typing import Any

from switchboard.core.identity import Caller, Human
from switchboard.service.services import Services
from switchboard_wire.worker import Enqueue


async def human(service: Services, name: str, *, operator: bool = False) -> Human:
    return await service.accounts.add_human(name, "a long password", operator=operator)


async def caller(service: Services, owner: Human, slug: str, *queues: str) -> Caller:
    """A new endpoint, as it authenticates."""
    credential = await service.endpoints.add(owner, slug, queues)
    return await again(service, credential)


async def again(service: Services, credential: str) -> Caller:
    found = await service.callers.endpoint(credential)
    assert found is not None
    return found


async def enqueue(service: Services, endpoint: Caller, queue: str, count: int = 1, **more: Any) -> list[int]:
    """The ids of `count` new todos, oldest first."""
    made = [await service.enqueue.enqueue(endpoint, Enqueue(queue=queue, kind="test", **more)) for _ in range(count)]
    return [one.todo.id for one in made]
