"""What a measurement of claims stands on: a PostgreSQL that flushes, a real server process, endpoints and todos."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import asyncpg

from switchboard.service.services import Services, services
from switchboard.store import statements
from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.embedded import EmbeddedPostgresError, temporary_postgres
from switchboard.store.embedded.server_settings import Setting
from tests.support.servers import Server, running_server

from .load import Route

OWNER, PASSWORD = "bench", "not a secret"

# A throw-away server does not flush; a budget that holds does.
DURABLE: dict[str, Setting] = {
    "fsync": True,
    "full_page_writes": True,
    "synchronous_commit": True,
    "shared_buffers": "256MB",
}
STATISTICS: dict[str, Setting] = {"shared_preload_libraries": "pg_stat_statements"}

# Both limits stand, so that in flight is counted and a window charged, and neither is ever reached.
ROOMY = {
    "max_in_flight": 10_000,
    "max_claims_per_window": 1_000_000,
    "window": {"period": "week", "tz": "America/Los_Angeles", "start": "08:00", "weekday": "Mon"},
}

_LAY_OUT = """
insert into switchboard.todos (queue_id, endpoint_id, kind, source, title, payload, state, attempt, claims, created_at,
    updated_at, finished_at)
select q.queue_id, q.endpoint_id, 'bench', 'bench', 'Todo ' || n,
    jsonb_build_object('number', n, 'note', 'as long as a small todo is'), $3, $4, $4, t.at, t.at,
    case when $3 = 'done' then t.at end
from (
    select eq.queue_id, eq.endpoint_id, row_number() over (order by eq.queue_id) as rank, count(*) over () as queues
    from switchboard.endpoint_queues eq join switchboard.endpoints e on e.id = eq.endpoint_id
    where e.slug = any ($1)
) q
join generate_series(1, $2::int) n on n % q.queues = q.rank - 1
cross join lateral (select now() - interval '1 day' + n * interval '1 ms' as at) t
order by n
"""


@dataclass(frozen=True, slots=True)
class Ground:
    """`admin` is a connection of our own. `counts_statements`: PostgreSQL can tell how often each one ran."""

    database_url: str
    server: Server
    services: Services
    admin: asyncpg.Connection[asyncpg.Record]
    counts_statements: bool

    async def endpoint(
        self, slug: str, queues: Sequence[str], *, policy: bool, max_in_flight: int | None = None
    ) -> Route:
        """An endpoint with these queues, asked for by name; each gets a policy if any, roomy but for a cap given."""
        owner = await self.services.accounts.human(OWNER)
        credential = await self.services.endpoints.add(owner, slug, queues)
        if policy:
            for queue in queues:
                body = ROOMY if max_in_flight is None else {"max_in_flight": max_in_flight}
                await self.services.policies.set(owner, f"endpoint:{slug}", queue, body)
        return Route(credential, list(queues))

    async def fill(self, slugs: Sequence[str], todos: int) -> None:
        """Forgets all todos, then gives the endpoints' queues, in turn, that many pending ones."""
        await self.admin.execute("truncate switchboard.todos, switchboard.attempts, switchboard.usage")
        await self.admin.execute(_LAY_OUT, list(slugs), todos, "pending", 0)
        await self.analyze()

    async def add(self, slugs: Sequence[str], todos: int, *, finished: int = 0) -> None:
        """Adds that many pending todos, and `finished` ones that are done, unnoticed by plans and statistics."""
        await self.admin.execute(_LAY_OUT, list(slugs), finished, "done", 1)
        await self.admin.execute(
            """
            insert into switchboard.attempts (queue_id, todo_id, seq, claimant_id, claimed_at, ended_at, outcome)
            select queue_id, id, claims, endpoint_id, updated_at, updated_at, 'completed'
            from switchboard.todos where state = 'done'
            on conflict do nothing
            """
        )
        await self.admin.execute(_LAY_OUT, list(slugs), todos, "pending", 0)

    async def analyze(self) -> None:
        """Statistics for the planner; plans made before are made anew."""
        await self.admin.execute("analyze switchboard.todos, switchboard.attempts, switchboard.usage")

    async def statements_of(self, request: Callable[[], Awaitable[object]], times: int = 20) -> list[str]:
        """What one such request sends to PostgreSQL, by the names of our statements; the server's own sweeps left out.

        Empty when PostgreSQL cannot tell.
        """
        if not self.counts_statements:
            return []
        await self.admin.execute("select pg_stat_statements_reset()")
        for _ in range(times):
            await request()
        rows = await self.admin.fetch(
            "select query, calls from pg_stat_statements where calls >= $1::int / 2 and query not like '%pg_stat_%'",
            times,
        )
        return sorted(_name(row["query"]) for row in rows for _ in range(round(row["calls"] / times)))


def _name(query: str) -> str:
    """PostgreSQL writes parameters for constants, so only a beginning can be compared."""
    for area in statements.AREAS:
        for statement in getattr(statements, area):
            if statement.sql[:50].split() == query[:50].split():
                return str(statement.name)
    return query[:50]


@asynccontextmanager
async def ground() -> AsyncIterator[Ground]:
    """Takes two seconds to make."""
    with _postgres() as (url, counts_statements), running_server(url) as server:
        database = Database(DatabaseSettings(url, claim_connections=1, read_connections=1))
        await database.open()
        admin = await asyncpg.connect(url)
        try:
            use_cases = services(database)
            await use_cases.accounts.add_human(OWNER, PASSWORD, operator=True)
            if counts_statements:
                await admin.execute("create extension pg_stat_statements")
            yield Ground(url, server, use_cases, admin, counts_statements)
        finally:
            await admin.close()
            await database.close()


@contextmanager
def _postgres() -> Iterator[tuple[str, bool]]:
    try:
        with temporary_postgres(DURABLE | STATISTICS) as url:
            yield url, True
            return
    except EmbeddedPostgresError:  # a build without the extension
        pass
    with temporary_postgres(DURABLE) as url:
        yield url, False
