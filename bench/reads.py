"""The operators' reads on a million todos: how long they take, what they ask of PostgreSQL, what they do to claims."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx

from .ground import OWNER, Ground, ground
from .load import Load, Route, run_load
from .measure import Effort, Rounds, print_table

QUEUES = 200
TABS, TAB_SECONDS = 50, 5.0  # a tab reads its board and its list once in so many seconds

# By hundredth: nine in ten are over, as in a queue that has run for long.
_LAY_OUT = """
insert into switchboard.todos (queue_id, endpoint_id, kind, source, title, payload, state, attempt, claims, tags,
    error, created_at, updated_at, finished_at)
select q.queue_id, q.endpoint_id, 'kind-' || n % 20, 'bench', 'Todo ' || n, '{"note": "as long as a small todo is"}',
    s.state, least(s.claims, 1), s.claims,
    case when n % 50000 = 7 then '{rare,common}' when n % 10 = 0 then '{common}' else '{}' end::text[],
    case when s.state = 'dead' then 'It did not work.' end, t.at, t.at,
    case when s.state in ('done', 'dead', 'canceled') then t.at end
from generate_series(1, $1::int) n
join (
    select eq.queue_id, eq.endpoint_id, row_number() over (order by eq.queue_id) as place
    from switchboard.endpoint_queues eq join switchboard.endpoints e on e.id = eq.endpoint_id where e.slug = 'many'
) q on q.place = n % $2::int + 1
cross join lateral (
    select case when h < 90 then 'done' when h < 94 then 'pending' when h < 97 then 'dead' when h < 99 then 'canceled'
        else 'scheduled' end as state, case when h < 97 and not h between 90 and 93 then 1 else 0 end as claims
    from (select (n / $2::int) % 100 as h) hundredth
) s
cross join lateral (select now() - interval '30 days' + n * interval '2 s' as at) t
"""


@dataclass(frozen=True, slots=True)
class Ask:
    """One read. `before` is called ahead of each, outside of what is timed."""

    name: str
    method: str
    path: str
    body: dict[str, Any] | None = None
    before: Callable[[], Awaitable[object]] | None = None


def _query(**filter_: Any) -> dict[str, Any]:
    return {"version": 1, "filter": filter_, "page": {"limit": 50}}


async def measure(effort: Effort) -> None:
    """Prints one table of reads and one of claims beside them."""
    async with ground() as on:
        names = [f"queue-{number}" for number in range(QUEUES)]
        await on.endpoint("many", names, policy=True)
        busy = await on.endpoint("busy", ["busy"], policy=True)
        todos = effort.pending[-1]
        await on.admin.execute(_LAY_OUT, todos, QUEUES)
        await on.admin.execute("vacuum analyze switchboard.todos")
        owner = await on.services.accounts.human(OWNER)
        token = await on.services.accounts.new_operator_token(owner, "bench")
        headers = {"authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=on.server.url, headers=headers, timeout=60) as client:
            await _reads(on, client, effort, todos)
            await _claims_beside_tabs(on, client, busy, effort)


async def _reads(on: Ground, client: httpx.AsyncClient, effort: Effort, todos: int) -> None:
    ids = [row["id"] for row in await on.admin.fetch("select id from switchboard.todos order by random() limit 1000")]
    middle = await on.admin.fetchval(
        "select created_at from switchboard.todos order by id offset $1 limit 1", todos // 2
    )

    async def change() -> None:
        """A mutation over the server: what it had kept is kept no more."""
        await on.add(["busy"], 1)
        todo_id = await on.admin.fetchval("select max(id) from switchboard.todos")
        (await client.post(f"/api/jobs/{todo_id}/cancel")).raise_for_status()

    jobs, count = "/api/v1/jobs/query", "/api/v1/jobs/count"
    asks = [
        Ask("jobs, no filter", "POST", jobs, _query()),
        Ask("jobs, queue and state done", "POST", jobs, _query(queue="queue-7", states=["done"])),
        Ask("jobs, queue and state pending", "POST", jobs, _query(queue="queue-7", states=["pending"])),
        Ask("jobs, rare tag", "POST", jobs, _query(tags=["rare"])),
        Ask("jobs, absent tag", "POST", jobs, _query(tags=["absent"])),
        Ask("jobs, absent kind", "POST", jobs, _query(kind="absent")),
        Ask("jobs, 1000 ids", "POST", jobs, _query(ids=ids)),
        Ask(
            "jobs, created range",
            "POST",
            jobs,
            _query(created_at_gte=middle.isoformat(), created_at_lt=middle.replace(microsecond=999999).isoformat()),
        ),
        Ask("jobs, page from the middle", "POST", jobs, {"version": 1, "filter": {}, "page": {"before_id": ids[0]}}),
        Ask("count, no filter", "POST", count, {"version": 1, "filter": {}}),
        Ask("count, state dead", "POST", count, {"version": 1, "filter": {"states": ["dead"]}}),
        Ask("count, absent tag", "POST", count, {"version": 1, "filter": {"tags": ["absent"]}}),
        Ask("dead letters, no filter", "POST", "/api/v1/dlq/query", _query()),
        Ask("dead letters, absent tag", "POST", "/api/v1/dlq/query", _query(tags=["absent"])),
        Ask("one job", "GET", f"/api/jobs/{ids[0]}"),
        Ask("statistics, fill", "GET", "/api/stats", before=change),
        Ask("depths of dead letters, fill", "GET", "/api/dlq/depth", before=change),
        Ask("kinds, fill", "GET", "/api/kinds", before=change),
        Ask("queues, hit", "GET", "/api/queues"),
        Ask("queues, fill", "GET", "/api/queues", before=change),
    ]
    times: Rounds[str] = Rounds()
    statements: dict[str, int] = {}
    for _ in range(effort.series):
        for ask in asks:
            for _ in range(10):
                if ask.before:
                    await ask.before()
                times.add(ask.name, await _timed(client, ask))
    for ask in asks:
        if not ask.before:
            statements[ask.name] = len(await on.statements_of(lambda ask=ask: _timed(client, ask)))  # type: ignore[misc]
    rows = [
        [
            ask.name,
            f"{times.percentile(ask.name, 50) * 1000:.1f}",
            f"{times.percentile(ask.name, 95) * 1000:.1f}",
            str(statements.get(ask.name, "")),
        ]
        for ask in asks
    ]
    print_table(
        f"Reads on {todos:,} todos in {QUEUES} queues, milliseconds",
        ["", "p50", "p95", "statements"],
        rows,
        "The whole request over HTTP, by a general client. Statements: all that one request sends: who asks, the "
        "transaction's begin with its limits and its end, and those of the read.",
    )


async def _timed(client: httpx.AsyncClient, ask: Ask) -> float:
    begun = time.perf_counter()
    answer = await client.request(ask.method, ask.path, json=ask.body)
    took = time.perf_counter() - begun
    if answer.status_code != 200:
        raise RuntimeError(f"{ask.name}: {answer.status_code} {answer.text[:300]}")
    return took


async def _claims_beside_tabs(on: Ground, client: httpx.AsyncClient, busy: Route, effort: Effort) -> None:
    times: Rounds[int] = Rounds()
    for _ in range(effort.series):
        for tabs in (0, TABS):
            await on.add(["busy"], 2_000)
            stopping = asyncio.Event()
            watching = [asyncio.create_task(_tab(client, number, stopping)) for number in range(tabs)]
            load = Load("http", on.server.url, [busy], 4, 1, 2 * effort.seconds, wait=True)
            times.add(tabs, *(await run_load(load)).claim_seconds)
            stopping.set()
            await asyncio.gather(*watching)
    rows = [
        [f"{tabs} tabs", *(f"{times.percentile(tabs, percent) * 1000:.2f}" for percent in (50, 95, 99))]
        for tabs in (0, TABS)
    ]
    ratios = [times.percentile(TABS, percent) / times.percentile(0, percent) for percent in (50, 95, 99)]
    print_table(
        "One claim_next by 4 workers, milliseconds, beside operators' tabs",
        ["", "p50", "p95", "p99"],
        [*rows, ["ratio", *(f"x {ratio:.2f}" for ratio in ratios)]],
        f"A tab reads the queues and its list of waiting todos every {TAB_SECONDS:g} s.",
    )


async def _tab(client: httpx.AsyncClient, number: int, stopping: asyncio.Event) -> None:
    wait = TAB_SECONDS * number / TABS  # they do not all come at once
    while True:
        try:
            await asyncio.wait_for(stopping.wait(), wait)
            return
        except TimeoutError:
            wait = TAB_SECONDS
        await client.get("/api/queues")
        await client.post("/api/v1/jobs/query", json=_query(states=["pending"]))
