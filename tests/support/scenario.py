"""People, endpoints, queues and todos of one test database, in the words of the requirements."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from unittest.mock import patch

import asyncpg
from argon2 import PasswordHasher

from switchboard.core.identity import Caller, Human
from switchboard.service.services import Services, services
from switchboard.service.sweeps import sweeps
from switchboard.store.database import Database
from switchboard_wire.operator import PolicyView
from switchboard_wire.worker import Claim, Claimed, ClaimNext, ClaimNextAnswer, Enqueue, Verb

DAY_LOS_ANGELES = {"period": "day", "tz": "America/Los_Angeles", "start": "00:00"}
DAY_UTC = {"period": "day", "tz": "UTC", "start": "00:00"}


@dataclass(frozen=True)
class Endpoint:
    """An endpoint with its grant and its credential."""

    slug: str
    caller: Caller
    credential: str
    owner: Human

    def queue_id(self, queue: str) -> int:
        return self.caller.queues[queue].id


def process(database: Database) -> Services:
    """The services of one more server process on this database, with nothing learnt yet. Cheap in password hashes."""
    with patch("switchboard.service.accounts.PasswordHasher", lambda: PasswordHasher(1, 8, 1)):
        return services(database)


class World:
    """One database, with the services of one process on it."""

    def __init__(self, database: Database, sql: asyncpg.Connection) -> None:
        self.database = database
        self.sql = sql
        self.service = process(database)

    def another_process(self) -> World:
        return World(self.database, self.sql)

    async def human(self, name: str, *, operator: bool = False) -> Human:
        """Found or made, without a password."""
        human_id = await self.sql.fetchval(
            "insert into switchboard.humans (name, operator) values ($1, $2) "
            "on conflict (name) do update set name = excluded.name returning id",
            name,
            operator,
        )
        return Human(human_id, name, operator)

    async def operator_token(self, human: Human) -> str:
        return await self.service.accounts.new_operator_token(human, "test")

    async def endpoint(
        self,
        slug: str,
        *queues: str,
        owner: str = "ada",
        verbs: tuple[Verb, ...] = tuple(Verb),
        lease: int = 300,
    ) -> Endpoint:
        human = await self.human(owner)
        credential = await self.service.endpoints.add(human, slug, queues, verbs=verbs, lease=lease)
        return await self._with_grant(slug, credential, human)

    async def team_endpoints(self, team: str, queue: str, *slugs: str, owner: str = "ada") -> list[Endpoint]:
        """Endpoints that drain one queue of a team, of which `owner` is the owner."""
        human = await self.human(owner)
        await self.service.teams.add(human, team)
        await self.service.teams.add_queue(human, team, queue)
        made = []
        for slug in slugs:
            credential = await self.service.endpoints.add(human, slug, [])
            await self.service.teams.grant(human, team, queue, slug)
            made.append(await self._with_grant(slug, credential, human))
        return made

    async def _with_grant(self, slug: str, credential: str, human: Human) -> Endpoint:
        caller = await self.service.callers.endpoint(credential)
        assert caller is not None
        return Endpoint(slug, caller, credential, human)

    async def set_policy(self, endpoint: Endpoint, queue: str, **body: Any) -> PolicyView:
        """`max_in_flight`, `max_claims_per_window`, `window`: the body of PUT, set by the endpoint's owner."""
        scope = endpoint.caller.queues[queue].scope
        return await self.service.policies.set(endpoint.owner, scope, queue, body)

    async def clear_policy(self, endpoint: Endpoint, queue: str) -> bool:
        return await self.service.policies.clear(endpoint.owner, endpoint.caller.queues[queue].scope, queue)

    async def enqueue(self, endpoint: Endpoint, queue: str, **fields: Any) -> int:
        """The id of one new todo, through the verb."""
        ask = Enqueue(queue=queue, **{"kind": "test"} | fields)
        return (await self.service.enqueue.enqueue(endpoint.caller, ask)).todo.id

    async def enqueue_many(self, endpoint: Endpoint, queue: str, number: int) -> list[int]:
        """The ids of so many new todos, a microsecond apart, written in one statement."""
        rows = await self.sql.fetch(
            "insert into switchboard.todos"
            " (queue_id, endpoint_id, kind, source, title, payload, state, created_at, updated_at)"
            " select $1, $2, 'test', '', '', 'null', 'pending', c.at + n * interval '1 microsecond', c.at"
            " from (select switchboard.clock() as at offset 0) c, generate_series(1, $3::integer) n"
            " order by n returning id",
            endpoint.queue_id(queue),
            endpoint.caller.endpoint_id,
            number,
        )
        return sorted(row["id"] for row in rows)

    async def claim_next(self, endpoint: Endpoint, **ask: Any) -> ClaimNextAnswer:
        return await self.service.claim.claim_next(endpoint.caller, ClaimNext(**ask))

    async def claim(self, endpoint: Endpoint, todo_id: int, **ask: Any) -> Claimed:
        return await self.service.claim.claim(endpoint.caller, Claim(todo_id=todo_id, **ask))

    async def sweep(self) -> None:
        """Every sweep once, as the server's background does."""
        for sweep in sweeps(self.database, self.service.worker_sightings):
            await sweep.run_once()

    async def todo(self, todo_id: int) -> asyncpg.Record:
        row = await self.sql.fetchrow("select * from switchboard.todos where id = $1", todo_id)
        assert row is not None
        return row

    async def states(self, endpoint: Endpoint, queue: str) -> dict[str, int]:
        """How many todos of the queue are in each state."""
        rows = await self.sql.fetch(
            "select state, count(*) as number from switchboard.todos where queue_id = $1 group by state",
            endpoint.queue_id(queue),
        )
        return {row["state"]: row["number"] for row in rows}

    async def used(self, endpoint: Endpoint, queue: str) -> int:
        """All charges of one queue identity, over all windows."""
        return int(
            await self.sql.fetchval(
                "select coalesce(sum(used), 0) from switchboard.usage where queue_id = $1", endpoint.queue_id(queue)
            )
        )

    async def charges(self, endpoint: Endpoint, queue: str) -> dict[datetime, int]:
        """Charges by the instant at which their window started."""
        rows = await self.sql.fetch(
            "select window_started_at, used from switchboard.usage where queue_id = $1 order by window_started_at",
            endpoint.queue_id(queue),
        )
        return {row["window_started_at"]: row["used"] for row in rows}

    async def committed_claims(self, endpoint: Endpoint, queue: str) -> int:
        """Attempts of one queue identity; each is a committed claim. The todos' own counts must say the same."""
        attempts, claims = await self.sql.fetchrow(
            "select (select count(*) from switchboard.attempts where queue_id = $1) as attempts,"
            " (select coalesce(sum(claims), 0) from switchboard.todos where queue_id = $1) as claims",
            endpoint.queue_id(queue),
        )
        assert attempts == claims
        return int(attempts)

    async def rows(self) -> list[tuple[Any, ...]]:
        """Where every row of claims, charges and policies lies, and who wrote it: equal when nothing was written."""
        found: list[tuple[Any, ...]] = []
        for table in ("todos", "attempts", "usage", "policies", "policy_audit", "queues"):
            rows = await self.sql.fetch(f"select ctid::text, xmin::text, * from switchboard.{table} order by ctid")
            found += [(table, *row.values()) for row in rows]
        return found
