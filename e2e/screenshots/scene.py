"""What the pictures show: two hours of two people's queues, the same each time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.operations import OperationKind, SubmitBody
from switchboard_wire.schedules import NewSchedule
from switchboard_wire.worker import ClaimNext, Complete, Fail
from tests.support.clock import Clock
from tests.support.scenario import Endpoint, World

NOW = datetime(2026, 12, 1, 18, 40, tzinfo=UTC)
"""10:40 in Los Angeles, where the budgets are; 19:40 in Berlin, where the viewer is."""
ZONE = "America/Los_Angeles"
VIEWER, PASSWORD = "ada", "correct horse battery"
MINUTES = 120

Todos = list[Any]


@dataclass(frozen=True)
class Flow:
    """A queue into which a todo comes, and of which a worker takes one, `every` so many minutes.

    `deaths`: todos whose id it divides end as dead letters; 0: none does.
    """

    endpoint: str
    queue: str
    kind: str
    title: str
    every: int
    workers: tuple[str, ...]
    deaths: int = 0


FLOWS = (
    Flow("research", "investigations", "investigation", "Look into the odd reading at sensor {n}", 3, ("agent-1",)),
    Flow("research", "triage", "triage", "Sort ticket {n}", 1, ("agent-1", "agent-2"), deaths=20),
    Flow("builder", "builds", "build", "Build revision {n}", 3, ("builder-1", "builder-2"), deaths=13),
    Flow("mailer", "receipts", "receipt", "Mail receipt {n}", 1, ("mailer-1",)),
)
QUEUES = {
    "research": ("ada", ("investigations", "triage")),
    "builder": ("ada", ("builds",)),
    "mailer": ("grace", ("receipts", "newsletters")),
}


async def play(url: str) -> None:
    """Brings a migrated, empty database to where the pictures are taken. Its clock stands at NOW from then on."""
    database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
    await database.open()
    sql = await asyncpg.connect(url)
    try:
        clock = Clock(sql)
        await clock.install((NOW - timedelta(minutes=MINUTES)).isoformat())
        await _play(World(database, sql), clock)
    finally:
        await sql.close()
        await database.close()


async def _play(world: World, clock: Clock) -> None:
    for name, operator in (("ada", True), ("grace", False)):
        await world.service.accounts.add_human(name, PASSWORD, operator=operator)
    endpoints = {slug: await world.endpoint(slug, *queues, owner=owner) for slug, (owner, queues) in QUEUES.items()}
    day = {"period": "day", "tz": ZONE, "start": "00:00"}
    await world.set_policy(endpoints["research"], "investigations", max_claims_per_window=30, window=day)
    await world.set_policy(endpoints["builder"], "builds", max_in_flight=2)
    await world.set_policy(endpoints["mailer"], "receipts", max_claims_per_window=500, max_in_flight=10, window=day)
    await world.set_policy(endpoints["mailer"], "newsletters", max_in_flight=0)
    await _schedules(world, endpoints)
    for number in range(1, 3):
        await world.enqueue(endpoints["mailer"], "newsletters", kind="newsletter", title=f"Send issue {number}")
    # A worker of whom nothing was heard since.
    await world.enqueue(endpoints["research"], "triage", kind="triage", title="Sort ticket 99")
    await world.claim_next(endpoints["research"], queues=("triage",), worker="agent-3")
    for minute in range(MINUTES):
        await clock.advance(minutes=1)
        for flow in FLOWS:
            await _minute(world, endpoints[flow.endpoint], flow, minute)
    await _operation(world)
    for flow in FLOWS:
        for worker in flow.workers:
            await _claim(world, endpoints[flow.endpoint], flow, worker)
    await clock.set(NOW)
    await world.sweep()


async def _minute(world: World, endpoint: Endpoint, flow: Flow, minute: int) -> None:
    if minute % flow.every != 0:
        return
    # A little more comes than is taken, so that something waits.
    for extra in range(2 if minute % 25 == 0 else 1):
        title = flow.title.format(n=100 + 2 * minute + extra)
        await world.enqueue(endpoint, flow.queue, kind=flow.kind, title=title, source="demo", tags=("demo",))
    for todo in await _claim(world, endpoint, flow, flow.workers[minute % len(flow.workers)]):
        if flow.deaths and todo.id % flow.deaths == 0:
            fail = Fail(todo.id, error=f"The {flow.kind} ended with status 2.", retry=False)
            await world.service.drain.fail(endpoint.caller, fail)
        else:
            await world.service.complete.complete(endpoint.caller, Complete(todo.id, result={"ok": True}))


async def _claim(world: World, endpoint: Endpoint, flow: Flow, worker: str) -> Todos:
    ask = ClaimNext(queues=(flow.queue,), worker=worker)
    return list((await world.service.claim.claim_next(endpoint.caller, ask)).todos)


async def _schedules(world: World, endpoints: dict[str, Endpoint]) -> None:
    ada = endpoints["research"].owner
    for scope, queue, name, cron in (
        ("endpoint:research", "triage", "weekly-review", "0 9 * * MON"),
        ("endpoint:builder", "builds", "nightly", "30 2 * * *"),
    ):
        ask = NewSchedule(name=name, kind="report", title=name, cron=cron, tz=ZONE, scope=scope, queue=queue)
        made = await world.service.schedules.create(ada, ask)
    await world.service.schedules.pause(ada, made.id)


async def _operation(world: World) -> None:
    """A finished one; what it brought back waits for its workers again."""
    ada = await world.human("ada", operator=True)
    ask = SubmitBody(OperationKind.RETRY, {"queue": "builds", "states": ["dead"]}, expected=None, key="pictures")
    await world.service.operations.submit(ada, ask)
    await world.sweep()
