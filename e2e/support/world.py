"""People, queues and todos on a database, made through the services, and the steps that workers take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from switchboard.core.credentials import hash_of
from switchboard.core.identity import Caller, Human
from switchboard.service.services import Services, services
from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.todo import Todo
from switchboard_wire.worker import ClaimNext, Complete, Enqueue
from tests.support.loop_thread import LoopThread

PASSWORD = "correct horse battery"
POLICY_ZONE = "America/Los_Angeles"
VIEWER_ZONE = "Europe/Berlin"
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def week_window() -> dict[str, Any]:
    """A weekly window in the policy's zone that neither begins nor ends within days."""
    start = datetime.now(UTC) + timedelta(days=3)
    return {"period": "week", "tz": POLICY_ZONE, "start": "00:00", "weekday": _WEEKDAYS[start.weekday()]}


def budget(claims: int, in_flight: int | None = None) -> dict[str, Any]:
    """A policy with a limit per window."""
    return {"max_claims_per_window": claims, "max_in_flight": in_flight, "window": week_window()}


@dataclass(frozen=True)
class Operator:
    """A human who can sign in, with an endpoint `slug` of their own. `session` is the token of a signed-in browser."""

    human: Human
    slug: str
    credential: str
    session: str
    token: str

    @property
    def scope(self) -> str:
        return f"endpoint:{self.slug}"


@dataclass
class World:
    """Everything the tests do behind the page's back. One per server."""

    loop: LoopThread
    services: Services
    database_url: str
    _people: int = field(default=0)

    def operator(self, queues: Sequence[str], name: str | None = None) -> Operator:
        """A new human with one endpoint that is granted these queues."""
        self._people += 1
        name = name or f"operator-{self._people}"
        return self.loop.run(self._operator(name, queues))

    async def _operator(self, name: str, queues: Sequence[str]) -> Operator:
        human = await self.services.accounts.add_human(name, PASSWORD, operator=False)
        slug = f"{name}-agents"
        credential = await self.services.endpoints.add(human, slug, queues)
        session = await self.services.accounts.sign_in(name, PASSWORD)
        assert session is not None
        token = await self.services.accounts.new_operator_token(human, "e2e")
        return Operator(human, slug, credential, session, token)

    def endpoint(self, owner: Operator, slug: str, queues: Sequence[str]) -> Operator:
        """One more endpoint of the same human."""
        credential = self.loop.run(self.services.endpoints.add(owner.human, slug, queues))
        return Operator(owner.human, slug, credential, owner.session, owner.token)

    def set_policy(self, owner: Operator, queue: str, policy: dict[str, Any]) -> None:
        self.loop.run(self.services.policies.set(owner.human, owner.scope, queue, policy))

    def enqueue(self, owner: Operator, queue: str, title: str, *, times: int = 1, kind: str = "task") -> list[int]:
        """The ids of the new todos; "{n}" in the title counts them."""

        async def work() -> list[int]:
            caller = await self._caller(owner)
            return [
                (
                    await self.services.enqueue.enqueue(
                        caller, Enqueue(queue=queue, kind=kind, title=title.format(n=number), source="e2e")
                    )
                ).todo.id
                for number in range(1, times + 1)
            ]

        return self.loop.run(work())

    def claim(self, owner: Operator, queue: str, count: int = 1) -> tuple[Todo, ...]:
        """What a worker of the endpoint gets."""

        async def work() -> tuple[Todo, ...]:
            caller = await self._caller(owner)
            return (await self.services.claim.claim_next(caller, ClaimNext(queues=(queue,), max=count))).todos

        return self.loop.run(work())

    def complete(self, owner: Operator, todos: Sequence[Todo]) -> None:
        async def work() -> None:
            caller = await self._caller(owner)
            for todo in todos:
                await self.services.complete.complete(caller, Complete(todo.id))

        self.loop.run(work())

    def revoke_session(self, owner: Operator) -> None:
        """As if somebody had ended it elsewhere."""
        self.execute("delete from switchboard.browser_sessions where token_hash = $1", hash_of(owner.session))

    def sign_in(self, owner: Operator) -> str:
        """The token of one more session."""
        token = self.loop.run(self.services.accounts.sign_in(owner.human.name, PASSWORD))
        assert token is not None
        return token

    def execute(self, sql: str, *arguments: Any) -> None:
        """For states that no service brings about."""

        async def work() -> None:
            connection = await asyncpg.connect(self.database_url)
            try:
                await connection.execute(sql, *arguments)
            finally:
                await connection.close()

        self.loop.run(work())

    async def _caller(self, owner: Operator) -> Caller:
        caller = await self.services.callers.endpoint(owner.credential)
        assert caller is not None
        return caller


@contextmanager
def world_on(loop: LoopThread, database_url: str) -> Iterator[World]:
    """A world on a migrated database."""
    database = Database(DatabaseSettings(database_url, claim_connections=2, read_connections=1))
    loop.run(database.open())
    try:
        yield World(loop, services(database), database_url)
    finally:
        loop.run(database.close())
