"""Every mutation of the operators keeps a fill that began before it from being published. From the route table: a route
that is added without an example here, or without invalidation, fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Route

import switchboard_ui
from switchboard.core.identity import Human
from switchboard.http.app import HttpSettings, http_app
from switchboard.http.read_only import READS_BY_POST
from switchboard.service.read_budget import ReadDeadline
from switchboard_wire.operations import SubmitBody
from switchboard_wire.reads import QueuesPage
from switchboard_wire.schedules import NewSchedule
from switchboard_wire.shape import decode
from tests.support.fixtures import clock, sql, world
from tests.support.scenario import Endpoint, World

from .conftest import bearer

__all__ = ["clock", "sql", "world"]

Request = tuple[str, Any]  # path and body
Example = Callable[[World, Endpoint], Awaitable[Request]]

# Not by operators: workers' and deliveries' changes are met by the time that figures may be kept.
OTHERS = ("worker.", "webhooks.")


async def _todo(world: World, endpoint: Endpoint, state: str = "pending") -> int:
    todo_id = await world.enqueue(endpoint, "q")
    finished = "clock_timestamp()" if state in ("dead", "done") else "null"
    await world.sql.execute(
        f"update switchboard.todos set state = '{state}', finished_at = {finished} where id = $1", todo_id
    )
    return todo_id


async def _retry(world: World, endpoint: Endpoint) -> Request:
    return f"/api/jobs/{await _todo(world, endpoint, 'dead')}/retry", {}


async def _cancel(world: World, endpoint: Endpoint) -> Request:
    return f"/api/jobs/{await _todo(world, endpoint)}/cancel", {}


async def _put_policy(world: World, endpoint: Endpoint) -> Request:
    return f"/api/v1/admission/endpoint:{endpoint.slug}/q", {"max_in_flight": 3}


async def _delete_policy(world: World, endpoint: Endpoint) -> Request:
    await world.set_policy(endpoint, "q", max_in_flight=1)
    return f"/api/v1/admission/endpoint:{endpoint.slug}/q", None


async def _claim(world: World, endpoint: Endpoint) -> Request:
    return f"/api/jobs/{await _todo(world, endpoint)}/claim", {}


def _dead(action: str, body: Any) -> Example:
    async def example(world: World, endpoint: Endpoint) -> Request:
        todo_id = await _todo(world, endpoint, "dead")
        return f"/api/dlq/{action.format(id=todo_id)}", body

    return example


def _several(action: str, state: str) -> Example:
    async def example(world: World, endpoint: Endpoint) -> Request:
        return f"/api/jobs/{action}", {"ids": [await _todo(world, endpoint, state)]}

    return example


def _queue(action: str) -> Example:
    async def example(world: World, endpoint: Endpoint) -> Request:
        await _todo(world, endpoint)
        if action == "resume":
            human = endpoint.owner
            await world.service.queue_actions.pause(human, endpoint.queue_id("q"))
        return f"/api/queues/{endpoint.queue_id('q')}/{action}", {}

    return example


async def _submit(world: World, endpoint: Endpoint) -> Request:
    await _todo(world, endpoint, "dead")
    return "/api/operations", {"kind": "retry", "filter": {"queue": "q"}, "expected": 1, "key": "k"}


async def _cancel_operation(world: World, endpoint: Endpoint) -> Request:
    ask = decode(SubmitBody, (await _submit(world, endpoint))[1])
    operation = await world.service.operations.submit(endpoint.owner, ask)
    return f"/api/operations/{operation.id}/cancel", {}


SCHEDULE = {"name": "nightly", "kind": "k", "title": "T", "cron": "0 3 * * *", "tz": "UTC"}


async def _create_schedule(world: World, endpoint: Endpoint) -> Request:
    return "/api/schedules", SCHEDULE | {"scope": f"endpoint:{endpoint.slug}", "queue": "q"}


def _schedule(action: str, body: Any) -> Example:
    async def example(world: World, endpoint: Endpoint) -> Request:
        ask = decode(NewSchedule, (await _create_schedule(world, endpoint))[1])
        made = await world.service.schedules.create(endpoint.owner, ask)
        if action == "/resume":
            await world.service.schedules.pause(endpoint.owner, made.id)
        return f"/api/schedules/{made.id}{action}", body

    return example


EXAMPLES: dict[tuple[str, str], Example] = {
    ("POST", "jobs.retry"): _retry,
    ("POST", "jobs.cancel"): _cancel,
    ("POST", "jobs.claim"): _claim,
    ("POST", "jobs.retry_many"): _several("retry", "dead"),
    ("POST", "jobs.cancel_many"): _several("cancel", "pending"),
    ("POST", "dlq.retry"): _dead("{id}/retry", {}),
    ("POST", "dlq.purge"): _dead("{id}/purge", {}),
    ("POST", "dlq.move"): _dead("{id}/move", {"queue": "other"}),
    ("POST", "dlq.retry_matching"): _dead("retry-matching", {"filter": {"queue": "q"}}),
    ("POST", "dlq.purge_matching"): _dead("purge-matching", {"filter": {}, "all": True}),
    ("POST", "queues.pause"): _queue("pause"),
    ("POST", "queues.resume"): _queue("resume"),
    ("POST", "queues.drain"): _queue("drain"),
    ("POST", "operations.submit"): _submit,
    ("POST", "operations.cancel"): _cancel_operation,
    ("POST", "schedules.create"): _create_schedule,
    ("PUT", "schedules.edit"): _schedule("", SCHEDULE | {"version": 1}),
    ("DELETE", "schedules.delete"): _schedule("", None),
    ("POST", "schedules.trigger"): _schedule("/trigger", {}),
    ("POST", "schedules.pause"): _schedule("/pause", {}),
    ("POST", "schedules.resume"): _schedule("/resume", {}),
    ("PUT", "admission.one"): _put_policy,
    ("DELETE", "admission.one"): _delete_policy,
}


@dataclass
class Gated:
    """A server in this process whose reading of the queues stops, once it has read, until it is let go."""

    http: httpx.AsyncClient
    routes: list[Route]
    read: asyncio.Event
    let_go: asyncio.Event


@asynccontextmanager
async def _idle() -> AsyncIterator[None]:
    yield


@pytest.fixture
async def gated(world: World) -> AsyncIterator[Gated]:
    frontend = Path(switchboard_ui.__file__).parent.parent
    read, let_go = asyncio.Event(), asyncio.Event()
    real = world.service.board.queues

    async def stopping(human: Human, deadline: ReadDeadline) -> QueuesPage:
        page = await real(human, deadline)
        read.set()
        await let_go.wait()
        return page

    world.service.board.queues = stopping  # type: ignore[method-assign]
    settings = HttpSettings(("http://test",), frontend / "runtime" / "dist", frontend / "static", secure_cookies=False)
    app = http_app(world.database, world.service, settings, _idle)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", timeout=60) as client:
        yield Gated(client, [route for route in app.routes if isinstance(route, Route)], read, let_go)


def mutations(routes: list[Route]) -> set[tuple[str, str]]:
    return {
        (method, route.name)
        for route in routes
        for method in (route.methods or set()) - {"GET", "HEAD"}
        if route.path.startswith("/api/") and route.path not in READS_BY_POST and not route.name.startswith(OTHERS)
    }


def test_every_mutation_has_its_example(gated: Gated) -> None:
    assert mutations(gated.routes) == set(EXAMPLES)


@pytest.mark.parametrize("mutation", EXAMPLES, ids=[f"{method} {name}" for method, name in EXAMPLES])
async def test_a_fill_that_began_before_is_not_published(gated: Gated, world: World, mutation: tuple[str, str]) -> None:
    endpoint = await world.endpoint("e", "q", "other")
    headers = bearer(await world.operator_token(endpoint.owner))
    path, body = await EXAMPLES[mutation](world, endpoint)
    filling = asyncio.create_task(gated.http.get("/api/queues", headers=headers))
    await gated.read.wait()
    done = await gated.http.request(mutation[0], path, json=body, headers=headers)
    assert done.status_code == 200, done.text
    before = world.database.generation.current
    gated.read.clear()
    gated.let_go.set()
    first = await filling
    assert first.status_code == 200
    assert gated.read.is_set()  # it was read anew
    assert world.database.generation.current == before
    again = await gated.http.get("/api/queues", headers=headers)
    assert again.headers["observed-at"] == first.headers["observed-at"]
    assert again.content == first.content


async def test_what_is_refused_or_rolled_back_invalidates_nothing(gated: Gated, world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    headers = bearer(await world.operator_token(endpoint.owner))
    gated.let_go.set()
    kept = await gated.http.get("/api/queues", headers=headers)
    done = await _todo(world, endpoint, "done")
    generation = world.database.generation.current
    refused = await gated.http.post(f"/api/jobs/{done}/cancel", headers=headers)
    assert refused.status_code == 409
    assert (await gated.http.post("/api/jobs/999999/retry", headers=headers)).status_code == 404
    bad = await gated.http.put("/api/v1/admission/endpoint:e/q", json={"max_in_flight": -1}, headers=headers)
    assert bad.status_code == 400
    assert world.database.generation.current == generation
    hit = await gated.http.get("/api/queues", headers=headers)
    assert hit.headers["observed-at"] == kept.headers["observed-at"]
