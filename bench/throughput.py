"""Claims and completions a second: the server, beside the same statements with nothing around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from .bare_server import CONNECTIONS, running_bare_server
from .ground import Ground, ground
from .http_load import HttpWorker
from .load import Load, Route, run_load
from .measure import Effort, Rounds, print_table, rotated

WORKERS = 8
SERVER, STARLETTE, ASYNCPG = "server", "starlette", "asyncpg"
LOOK_UP = "endpoints.caller_by_credential"
MOST_A_SECOND = {1: 5_000, 10: 12_000}  # so many todos are laid out for each second


@dataclass(frozen=True, slots=True)
class Scenario:
    """`slugs` own the queues; `routes` is how workers ask."""

    name: str
    slugs: list[str]
    routes: list[Route]


async def measure(effort: Effort) -> None:
    """Prints one table."""
    async with ground() as on, _scenarios(on) as scenarios:
        look_up = await _looks_up(on, scenarios[0])
        results: Rounds[tuple[str, int, str]] = Rounds()
        with running_bare_server(on.database_url, look_up=look_up) as bare_url:
            targets = {
                SERVER: ("http", on.server.url),
                STARLETTE: ("http", bare_url),
                ASYNCPG: ("asyncpg", on.database_url),
            }
            for number in range(effort.rounds):
                for scenario in scenarios:
                    for limit in MOST_A_SECOND:
                        for target in rotated(list(targets), number):
                            await on.fill(scenario.slugs, int(effort.seconds * MOST_A_SECOND[limit]))
                            over, url = targets[target]
                            load = Load(over, url, scenario.routes, WORKERS, limit, effort.seconds, look_up=look_up)
                            results.add((scenario.name, limit, target), (await run_load(load)).rate)
    _print(scenarios, results, look_up=look_up)


@asynccontextmanager
async def _scenarios(on: Ground) -> AsyncIterator[list[Scenario]]:
    free = await on.endpoint("free", ["free"], policy=False)
    hot = await on.endpoint("hot", ["hot"], policy=True)
    fifty = [await on.endpoint(f"one-{n}", [f"queue-{n}"], policy=True) for n in range(50)]
    broad = await on.endpoint("broad", [f"queue-{n}" for n in range(50)], policy=True)
    yield [
        Scenario("no policy", ["free"], [free]),
        Scenario("one hot policy", ["hot"], [hot]),
        Scenario("50 policies, 50 endpoints", [f"one-{n}" for n in range(50)], fifty),
        Scenario("50 policies, one endpoint asks all", ["broad"], [Route(broad.credential)]),
    ]


async def _looks_up(on: Ground, scenario: Scenario) -> bool:
    """Whether the server looks the caller up at each request, so that the bare ones do what it does."""
    if not on.counts_statements:
        return True
    await on.fill(scenario.slugs, 200)
    worker = await HttpWorker.connected(on.server.url, 1)
    asked = await on.statements_of(lambda: worker.claim(scenario.routes[0]))
    await worker.close()
    return LOOK_UP in asked


def _print(scenarios: list[Scenario], results: Rounds[tuple[str, int, str]], *, look_up: bool) -> None:
    rows: list[list[str] | None] = []
    for limit in MOST_A_SECOND:
        for scenario in scenarios:
            server, starlette, plain = ((scenario.name, limit, target) for target in (SERVER, STARLETTE, ASYNCPG))
            rows.append(
                [
                    f"{scenario.name}{', max 10' if limit > 1 else ''}",
                    f"{results.median(server):,.0f}",
                    f"{results.median(starlette):,.0f}",
                    f"x {results.ratio(server, starlette):.2f}",
                    f"{results.median(plain):,.0f}",
                    f"x {results.ratio(server, plain):.2f}",
                ]
            )
        rows.append(None)
    print_table(
        f"Todos claimed and completed a second, {WORKERS} workers",
        ["", "server", "bare Starlette", "ratio to it", "bare asyncpg", "ratio to it"],
        rows,
        "A todo is one completion and one claim (max 10: a tenth of one), each committed and flushed. Bare ones run "
        f"the same statements, the caller's look-up {'included' if look_up else 'left out'}: in handlers of Starlette "
        f"with a pool of {CONNECTIONS}, as the server has; by asyncpg on {WORKERS} connections, with no HTTP. The load "
        "comes from a process of its own.",
    )
