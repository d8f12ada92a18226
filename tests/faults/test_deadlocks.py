"""Everything at once, for a few hundred rounds: no two transactions ever wait for each other in a circle."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from random import Random
from typing import Any

from switchboard.core.identity import Caller, Human
from switchboard.service.services import Services
from switchboard.service.sweeps import sweeps
from switchboard.service.teams import Role
from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.errors import StaleCaller
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import Claim, ClaimNext, Complete, Enqueue, Fail, Heartbeat, Release
from tests.faults.ground import Ground
from tests.faults.scenarios import FAR
from tests.support.scenario import Endpoint, process

TASKS, STEPS = 12, 100


async def test_no_deadlock_among_everything_that_writes(ground: Ground) -> None:
    world = ground.world
    queues = ("a", "b", "c")
    endpoints = [await world.endpoint(f"e{number}", *queues) for number in range(2)]
    pooled = await world.team_endpoints("crew", "pool", "ada-pool")
    bobs = await world.endpoint("bob-pool", owner="bob")
    await world.service.teams.set_member(pooled[0].owner, "crew", bobs.owner, Role.MEMBER)
    await world.service.teams.grant(pooled[0].owner, "crew", "pool", "bob-pool")
    bobs = replace(bobs, caller=replace(bobs.caller, queues=pooled[0].caller.queues))
    lanes = [*((endpoint, queue) for endpoint in endpoints for queue in queues), (pooled[0], "pool")]
    for endpoint, queue in lanes:
        await world.set_policy(endpoint, queue, max_in_flight=4, max_claims_per_window=10_000, window=FAR)
        await world.enqueue_many(endpoint, queue, 60)

    outcomes: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        processes: list[tuple[Services, Database]] = []
        for _ in range(3):
            database = Database(DatabaseSettings(ground.url, claim_connections=8, read_connections=2))
            await database.open()
            stack.push_async_callback(database.close)
            processes.append((process(database), database))
        await asyncio.gather(
            *(
                _Chaos(
                    processes[number % 3], [*endpoints, pooled[0], bobs], lanes, bobs.owner, Random(number), outcomes
                ).run()
                for number in range(TASKS)
            )
        )
    # The sessions have ended, and with that told their figures.
    report = await ground.check()
    assert report.deadlocks == 0
    assert report.claims > 100
    assert set(outcomes) <= {
        "done",
        ErrorCode.CONFLICT,
        ErrorCode.NOT_FOUND,
        ErrorCode.DEFERRED,
        ErrorCode.FORBIDDEN,
        ErrorCode.UNAUTHENTICATED,
        "stale",
    }, outcomes


class _Chaos:
    """One task that does anything next."""

    def __init__(
        self,
        at: tuple[Services, Database],
        endpoints: list[Endpoint],
        lanes: list[tuple[Endpoint, str]],
        bob: Human,
        random: Random,
        outcomes: Counter[str],
    ) -> None:
        self._service, self._database = at
        self._endpoints = endpoints
        self._lanes = lanes
        self._bob = bob
        self._random = random
        self._outcomes = outcomes
        self._held: list[tuple[Endpoint, int]] = []
        self._actions: list[tuple[Callable[[], Awaitable[Any]], int]] = [
            (self._claim_next, 10),
            (self._claim_one, 4),
            (self._end, 12),
            (self._enqueue, 4),
            (self._lapse, 2),
            (self._sweep, 2),
            (self._edit_policy, 3),
            (self._clear_and_set, 2),
            (self._by_hand, 4),
            (self._revoke, 1),
            (self._remove_and_take_back, 1),
        ]

    async def run(self) -> None:
        for _ in range(STEPS):
            (action,) = self._random.choices(*map(list, zip(*self._actions, strict=True)))
            try:
                await action()
                self._outcomes["done"] += 1
            except SwitchboardError as refusal:
                self._outcomes[refusal.code] += 1
            except StaleCaller:
                self._outcomes["stale"] += 1
                for endpoint in self._endpoints:
                    await self._service.callers.endpoint(endpoint.credential)

    def _endpoint(self) -> Endpoint:
        return self._random.choice(self._endpoints)

    async def _caller(self, endpoint: Endpoint) -> Caller:
        """As this process remembers it, which may be wrong."""
        caller = await self._service.callers.remembered(endpoint.credential)
        if caller is None:
            raise SwitchboardError(ErrorCode.UNAUTHENTICATED, "revoked at this moment")
        return caller

    async def _claim_next(self) -> None:
        endpoint = self._endpoint()
        ask = ClaimNext(max=self._random.choice([None, 2, 20]))
        if self._held and self._random.random() < 0.3:
            holder, todo_id = self._held.pop()
            answer = (
                await self._service.complete.complete(await self._caller(holder), Complete(todo_id=todo_id, next=ask))
            ).next
            endpoint = holder
            if answer is None:  # the grant moved between the completion and the claim
                return
        else:
            answer = await self._service.claim.claim_next(await self._caller(endpoint), ask)
        self._held += [(endpoint, todo.id) for todo in answer.todos]

    async def _claim_one(self) -> None:
        endpoint = self._endpoint()
        todo_id = self._random.randint(1, 400)
        await self._service.claim.claim(await self._caller(endpoint), Claim(todo_id=todo_id))
        self._held.append((endpoint, todo_id))

    async def _end(self) -> None:
        if self._held:
            endpoint, todo_id = self._held.pop(self._random.randrange(len(self._held)))
            match self._random.randrange(5):
                case 0 | 1:
                    await self._service.complete.complete(await self._caller(endpoint), Complete(todo_id=todo_id))
                case 2:
                    await self._service.drain.fail(
                        await self._caller(endpoint), Fail(todo_id=todo_id, retry=todo_id % 2 == 0)
                    )
                case 3:
                    await self._service.drain.release(await self._caller(endpoint), Release(todo_id=todo_id))
                case _:
                    await self._service.drain.heartbeat(await self._caller(endpoint), Heartbeat(todo_id=todo_id))

    async def _enqueue(self) -> None:
        endpoint, queue = self._random.choice(self._lanes)
        key = f"k{self._random.randrange(6)}"
        await self._service.enqueue.enqueue(endpoint.caller, Enqueue(queue=queue, kind="k", idempotency_key=key))

    async def _lapse(self) -> None:
        """Some leases run out, and some backoffs."""
        async with self._database.session() as connection:
            for column, state in (("lease_expires_at", "claimed"), ("next_retry_at", "failed")):
                await connection.execute(
                    f"update switchboard.todos set {column} = switchboard.clock() where id = (select id from"
                    f" switchboard.todos where state = '{state}' order by random() limit 1 for update skip locked)"
                )

    async def _sweep(self) -> None:
        for sweep in sweeps(self._database):
            await sweep.run_once()

    async def _edit_policy(self) -> None:
        endpoint, queue = self._random.choice(self._lanes)
        scope = endpoint.caller.queues[queue].scope
        body = {"max_in_flight": self._random.choice([None, 1, 4, 8]), "max_claims_per_window": 10_000}
        await self._service.policies.set(endpoint.owner, scope, queue, body | {"window": FAR})

    async def _clear_and_set(self) -> None:
        endpoint, queue = self._random.choice(self._lanes)
        await self._service.policies.clear(endpoint.owner, endpoint.caller.queues[queue].scope, queue)
        await self._edit_policy()
        scope = endpoint.caller.queues[queue].scope
        await self._service.policies.set(endpoint.owner, scope, queue, {"max_in_flight": 3})

    async def _by_hand(self) -> None:
        owner, todo_id = self._endpoints[0].owner, self._random.randint(1, 400)
        operator = self._service.operator_todos
        await self._random.choice([operator.retry_now, operator.cancel, operator.claim])(owner, todo_id)

    async def _revoke(self) -> None:
        endpoint = self._endpoints[1]
        await self._service.endpoints.revoke(endpoint.slug)
        async with self._database.session() as connection:
            await connection.execute(
                "update switchboard.endpoints set state = 'active', revoked_at = null where slug = $1", endpoint.slug
            )

    async def _remove_and_take_back(self) -> None:
        ada, teams = self._endpoints[0].owner, self._service.teams
        try:
            await teams.remove_member(ada, "crew", self._bob)
        finally:
            await teams.set_member(ada, "crew", self._bob, Role.MEMBER)
            await teams.grant(ada, "crew", "pool", "bob-pool")
