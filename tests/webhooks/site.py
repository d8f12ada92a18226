"""One running server with its people, endpoints and webhooks, made in a line each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx

from switchboard.core.identity import Human
from switchboard.core.webhook_signatures import Verification
from switchboard.service.services import Services
from switchboard.service.webhooks import NewWebhook, Target
from tests.support.servers import Server

QUEUE = "inbox"
DAY = {"period": "day", "tz": "UTC", "start": "00:00"}


@dataclass(frozen=True)
class Endpoint:
    """A worker's side: `post` it a verb through the site."""

    slug: str
    credential: str
    owner: Human

    @property
    def target(self) -> Target:
        return Target(self.slug, QUEUE)


@dataclass(frozen=True)
class Hook:
    """A webhook's side of the sender."""

    name: str
    token: str
    secret: str

    @property
    def path(self) -> str:
        return f"/webhooks/w/{self.token}"


class Site:
    def __init__(self, url: str, service: Services, sql: asyncpg.Connection, server: Server, client: httpx.AsyncClient):
        self.database_url = url
        self.service = service
        self.sql = sql
        self.server = server
        self._client = client
        self._numbers = itertools.count(1)

    def name(self, what: str) -> str:
        return f"{what}-{next(self._numbers)}"

    async def human(self) -> Human:
        # no password is ever used here, and hashing one takes long
        name = self.name("human")
        human_id = await self.sql.fetchval("insert into switchboard.humans (name) values ($1) returning id", name)
        return Human(human_id, name, operator=False)

    async def endpoint(self, owner: Human | None = None, **policy: Any) -> Endpoint:
        """An endpoint with one queue, and that with a policy if any is given."""
        owner = owner or await self.human()
        slug = self.name("endpoint")
        made = Endpoint(slug, await self.service.endpoints.add(owner, slug, [QUEUE]), owner)
        if policy:
            await self.set_policy(made, **policy)
        return made

    async def set_policy(self, endpoint: Endpoint, **policy: Any) -> None:
        await self.service.policies.set(endpoint.owner, f"endpoint:{endpoint.slug}", QUEUE, policy)

    async def clear_policy(self, endpoint: Endpoint) -> None:
        await self.service.policies.clear(endpoint.owner, f"endpoint:{endpoint.slug}", QUEUE)

    async def hook(
        self, verification: Verification, *targets: Endpoint, owner: Human | None = None, **more: Any
    ) -> Hook:
        ask = NewWebhook(
            name=self.name("hook"), verification=verification, targets=[one.target for one in targets], **more
        )
        access = await self.service.webhooks.add(owner or targets[0].owner, ask)
        return Hook(access.name, access.token, access.secret or "")

    async def deliver(self, hook: Hook, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        return await self.post(hook.path, content=body, headers=dict(headers))

    async def post(self, path: str, **more: Any) -> httpx.Response:
        return await self._client.post(path, **more)

    async def work(self, endpoint: Endpoint, verb: str, **ask: Any) -> dict[str, Any]:
        answer = await self.post(
            f"/api/v1/worker/{verb}", json=ask, headers={"authorization": f"Bearer {endpoint.credential}"}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()  # type: ignore[no-any-return]

    async def todos(self, endpoint: Endpoint) -> list[asyncpg.Record]:
        """Every todo in the endpoint's queue."""
        return await self.sql.fetch(
            "select t.* from switchboard.todos t join switchboard.queues q on q.id = t.queue_id "
            "join switchboard.endpoints e on e.id = q.endpoint_id where e.slug = $1 order by t.id",
            endpoint.slug,
        )

    async def used(self, endpoint: Endpoint) -> int:
        """What stands charged to the endpoint's queue, in all windows together."""
        return await self.sql.fetchval(  # type: ignore[no-any-return]
            "select coalesce(sum(u.used), 0)::integer from switchboard.usage u "
            "join switchboard.queues q on q.id = u.queue_id "
            "join switchboard.endpoints e on e.id = q.endpoint_id where e.slug = $1",
            endpoint.slug,
        )

    async def events(self, hook: Hook) -> list[asyncpg.Record]:
        return await self.sql.fetch(
            "select e.* from switchboard.webhook_events e join switchboard.webhooks w on w.id = e.webhook_id "
            "where w.name = $1 order by e.id",
            hook.name,
        )
