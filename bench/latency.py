"""How long one claim takes, with nothing and with much to claim, and what a request asks of PostgreSQL."""

from __future__ import annotations

from collections import Counter

from .ground import Ground, ground
from .http_load import HttpWorker
from .load import Load, Route, run_load
from .measure import Effort, Rounds, print_table

MOST_SECONDS = 4.0  # of one series of claims
# Enough claims over enough connections that the server has a plan for each statement on each of them.
PLANNED, CONNECTIONS = 400, 10
EMPTY, UNSEEN, ANALYZED = "empty", "unseen", "analyzed"
HTTP, ASYNCPG = "http", "asyncpg"
Key = tuple[str, str, str]


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
        for _ in range(min(effort.rounds, 2)):
            await on.fill(["free", "bound"], 2 * PLANNED)
            for route in routes.values():
                await run_load(Load(HTTP, on.server.url, [route], CONNECTIONS, 1, MOST_SECONDS))
            await _claims(on, EMPTY, routes, effort, results)
            await on.grow(["free", "bound"], 2 * effort.pending, effort.pending)
            await _claims(on, UNSEEN, routes, effort, results)
            await on.analyze()
            await _claims(on, ANALYZED, routes, effort, results)
        _print_times(routes, results, effort.pending)
        await _print_statements(on, routes)


async def _claims(on: Ground, state: str, routes: dict[str, Route], effort: Effort, results: Rounds[Key]) -> None:
    for name, route in routes.items():
        for over, url in ((HTTP, on.server.url), (ASYNCPG, on.database_url)):
            load = Load(over, url, [route], 1, 1, MOST_SECONDS, claims=effort.claims, wait=True, look_up=False)
            results.add((state, name, over), *(await run_load(load)).claim_seconds)


def _print_times(routes: dict[str, Route], results: Rounds[Key], pending: int) -> None:
    rows: list[list[str] | None] = []
    for state, title in (
        (EMPTY, "0 pending"),
        (UNSEEN, f"{pending:,} pending, not analyzed"),
        (ANALYZED, f"{pending:,} pending, analyzed"),
    ):
        for name in routes:
            figures = [
                f"{results.percentile((state, name, over), percent) * 1000:.2f}"
                for over in (HTTP, ASYNCPG)
                for percent in (50, 99)
            ]
            rows.append([f"{title}, {name}", *figures])
    print_table(
        "One claim_next by a single worker, milliseconds",
        ["one queue", "HTTP p50", "p99", "asyncpg p50", "p99"],
        rows,
        f"Beside what is pending, {pending // 2:,} todos of the queue are done. HTTP: the whole request. asyncpg: the "
        "claim function alone, on a new connection. Not analyzed: the server has the plans "
        "that it made while the tables were almost empty.",
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
