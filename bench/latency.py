"""How long one claim takes, with nothing and with much to claim, and what a request asks of PostgreSQL."""

from __future__ import annotations

from collections import Counter

from .ground import Ground, ground
from .http_load import HttpWorker
from .load import Load, Route, run_load
from .measure import Effort, Rounds, print_table

PENDING = 200_000
MOST_SECONDS = 4.0  # of one series of claims
EMPTY, UNSEEN, ANALYZED = "0 pending", f"{PENDING:,} pending, not analyzed", f"{PENDING:,} pending, analyzed"
HTTP, ASYNCPG = "http", "asyncpg"
Key = tuple[str, str, str]


async def measure(effort: Effort) -> None:
    """Prints one table of times and one of statements."""
    async with ground() as on:
        # The planner must not learn of the todos before it is told to.
        await on.admin.execute("alter table switchboard.todos set (autovacuum_enabled = off)")
        routes = {
            "no policy": await on.endpoint("free", ["free"], policy=False),
            "policy": await on.endpoint("bound", ["bound"], policy=True),
        }
        results: Rounds[Key] = Rounds()
        for _ in range(min(effort.rounds, 2)):
            await on.fill(["free", "bound"], 0)
            await _claims(on, EMPTY, routes, effort, results)
            await on.fill(["free", "bound"], 2 * PENDING, analyze=False)
            await _claims(on, UNSEEN, routes, effort, results)
            await on.admin.execute("analyze switchboard.todos")
            await _claims(on, ANALYZED, routes, effort, results)
        _print_times(routes, results)
        await _print_statements(on, routes)


async def _claims(on: Ground, state: str, routes: dict[str, Route], effort: Effort, results: Rounds[Key]) -> None:
    for name, route in routes.items():
        for over, url in ((HTTP, on.server.url), (ASYNCPG, on.database_url)):
            load = Load(over, url, [route], 1, 1, MOST_SECONDS, claims=effort.claims, wait=True, look_up=False)
            results.add((state, name, over), *(await run_load(load)).claim_seconds)


def _print_times(routes: dict[str, Route], results: Rounds[Key]) -> None:
    rows: list[list[str] | None] = []
    for state in (EMPTY, UNSEEN, ANALYZED):
        for name in routes:
            figures = [
                f"{results.percentile((state, name, over), percent) * 1000:.2f}"
                for over in (HTTP, ASYNCPG)
                for percent in (50, 99)
            ]
            rows.append([f"{state}, {name}", *figures])
    print_table(
        "One claim_next by a single worker, milliseconds",
        ["one queue", "HTTP p50", "p99", "asyncpg p50", "p99"],
        rows,
        "HTTP: the whole request. asyncpg: the claim function alone, on a new connection. The server keeps the plans "
        "that it made while the table was empty, as it would.",
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
            await worker.complete(route, held.pop())

        rows.append(_row(f"claim_next, {name}", await on.statements_of(claim)))
        rows.append(_row(f"complete, {name}", await on.statements_of(complete)))
        await on.fill(["free", "bound"], 0)
        rows.append(_row(f"claim_next, {name}, nothing pending", await on.statements_of(claim)))
    await worker.close()
    print_table("Round trips to PostgreSQL a request", ["", "count", "statements"], rows)


def _row(name: str, statements: list[str]) -> list[str]:
    counted = Counter(statements)
    return [name, str(len(statements)), ", ".join(f"{one}{f' x{n}' if n > 1 else ''}" for one, n in counted.items())]
