"""How long one claim takes, with nothing and with much to claim, and what a request asks of PostgreSQL."""

from __future__ import annotations

from collections import Counter

from .ground import OWNER, Ground, ground
from .http_load import HttpWorker
from .load import Load, Route, run_load
from .measure import Effort, Rounds, print_table

MOST_SECONDS = 4.0  # of one series of claims
CLAIMS = 200  # in one series
# Enough claims over enough connections that the server has a plan for each statement on each of them.
PLANNED, CONNECTIONS = 400, 10
HTTP, ASYNCPG = "http", "asyncpg"
SLUGS = ("free", "bound")
BEHIND = "behind deferred"
WINDOW = {"window": {"period": "day", "tz": "UTC", "start": "00:00"}}
Key = tuple[str, str, str]  # what was pending, which policy, over what


async def measure(effort: Effort) -> None:
    """Prints one table of times and one of statements."""
    async with ground() as on:
        # The planner must not learn of what is laid out before it is told to.
        for table in ("todos", "attempts"):
            await on.admin.execute(f"alter table switchboard.{table} set (autovacuum_enabled = off)")
        routes = {
            "no policy": await on.endpoint("free", ["free"], policy=False),
            "policy": await on.endpoint("bound", ["bound"], policy=True),
        }
        results: Rounds[Key] = Rounds()
        await on.fill(list(SLUGS), 2 * PLANNED)
        for route in routes.values():
            await run_load(Load(HTTP, on.server.url, [route], CONNECTIONS, 1, MOST_SECONDS))
        await _claims(on, "0", routes, effort, results, topped_up=False)
        pending = 0
        for goal in effort.pending:
            more, pending = goal - pending, goal
            await on.add(SLUGS, len(SLUGS) * more, finished=len(SLUGS) * more // 4)
            if goal == effort.pending[-1]:
                await _claims(on, f"{goal:,}, not analyzed", routes, effort, results)
            await on.analyze()
            await _claims(on, f"{goal:,}", routes, effort, results)
        await _behind_deferred(on, effort, results)
        _print_times(results, effort)
        await _print_statements(on, routes)


async def _claims(
    on: Ground, state: str, routes: dict[str, Route], effort: Effort, results: Rounds[Key], *, topped_up: bool = True
) -> None:
    """Series by turns over HTTP and without; what one takes is added again before the next."""
    for _ in range(effort.series):
        for name, route in routes.items():
            for over, url in ((HTTP, on.server.url), (ASYNCPG, on.database_url)):
                if topped_up:
                    await on.add(SLUGS, len(SLUGS) * CLAIMS)
                load = Load(over, url, [route], 1, 1, MOST_SECONDS, claims=CLAIMS, wait=True)
                results.add((state, name, over), *(await run_load(load)).claim_seconds)


async def _behind_deferred(on: Ground, effort: Effort, results: Rounds[Key]) -> None:
    """One endpoint with two queues: the one has spent its budget and holds the older todos, the other is free."""
    both = await on.endpoint("both", ["spent", "ready"], policy=False)
    await on.fill(["both"], 2 * effort.deferred)
    await on.admin.execute(
        "update switchboard.todos set created_at = created_at + interval '1 h' where queue_id ="
        " (select queue_id from switchboard.endpoint_queues where name = 'ready')"
    )
    owner = await on.services.accounts.human(OWNER)
    await on.services.policies.set(owner, "endpoint:both", "spent", {"max_claims_per_window": 0} | WINDOW)
    await on.analyze()
    for _ in range(effort.series):
        for over, url in ((HTTP, on.server.url), (ASYNCPG, on.database_url)):
            load = Load(over, url, [both], 1, 1, MOST_SECONDS, claims=CLAIMS)
            results.add((BEHIND, "policy", over), *(await run_load(load)).claim_seconds)


def _print_times(results: Rounds[Key], effort: Effort) -> None:
    rows: list[list[str] | None] = []
    for state, name in dict.fromkeys(key[:2] for key in results.figures):
        number, _, how = state.partition(", ")
        title = f"{number} pending{how and f', {how}'}, {name}"
        if state == BEHIND:
            title = f"{effort.deferred:,} pending, behind {effort.deferred:,} older deferred ones"
            rows.append(None)
        figures = [results.percentile((state, name, over), percent) for over in (HTTP, ASYNCPG) for percent in (50, 99)]
        medians = figures[0] / figures[2]
        rows.append([title, *(f"{figure * 1000:.2f}" for figure in figures), f"x {medians:.1f}"])
    few, many = f"{effort.pending[0]:,}", f"{effort.pending[-1]:,}"
    rows.append(None)
    for name in ("no policy", "policy"):
        grown = [
            results.percentile((many, name, over), percent) / results.percentile((few, name, over), percent)
            for over in (HTTP, ASYNCPG)
            for percent in (50, 99)
        ]
        rows.append([f"{many} to {few} pending, {name}", *(f"x {ratio:.2f}" for ratio in grown), ""])
    print_table(
        "One claim_next by a single worker, milliseconds",
        ["one queue", "HTTP p50", "p99", "asyncpg p50", "p99", "HTTP to asyncpg"],
        rows,
        "Beside what is pending, a quarter as many todos of the queue are done. HTTP: the whole request. asyncpg: the "
        "claim function alone, on a new connection. Not analyzed: the server has the plans that it made while the "
        "tables were almost empty. 0 pending: nothing is claimed.",
    )


async def _print_statements(on: Ground, routes: dict[str, Route]) -> None:
    if not on.counts_statements:
        return
    rows: list[list[str]] = []
    worker = await HttpWorker.connected(on.server.url, 1)
    for name, route in routes.items():
        await on.fill(["free", "bound"], 1000)
        held: list[int] = []

        async def claim(route: Route = route, held: list[int] = held) -> None:
            held.extend(await worker.claim(route))

        async def complete(route: Route = route, held: list[int] = held) -> None:
            await worker.complete(route, [held.pop()])

        rows.append(_row(f"claim_next, {name}", await on.statements_of(claim)))
        rows.append(_row(f"complete, {name}", await on.statements_of(complete)))
        await on.fill(["free", "bound"], 0)
        rows.append(_row(f"claim_next, {name}, nothing pending", await on.statements_of(claim)))
    await worker.close()
    print_table("Round trips to PostgreSQL a request", ["", "count", "statements"], rows)


def _row(name: str, statements: list[str]) -> list[str]:
    counted = Counter(statements)
    return [name, str(len(statements)), ", ".join(f"{one}{f' x{n}' if n > 1 else ''}" for one, n in counted.items())]
