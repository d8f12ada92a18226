"""Claims and completions a second: the server, beside the same statements with nothing around them."""

from __future__ import annotations

from dataclasses import dataclass

from .bare_server import CONNECTIONS, running_bare_server
from .ground import Ground, ground
from .load import Load, Route, run_load
from .measure import Effort, Rounds, print_table, rotated

SERVER, STARLETTE, ASYNCPG = "server", "starlette", "asyncpg"
MOST_A_SECOND = {1: 5_000, 10: 12_000, 100: 40_000}  # so many todos are laid out for each second


@dataclass(frozen=True, slots=True)
class Scenario:
    """`slugs` own the queues; `routes` is how workers ask."""

    name: str
    slugs: list[str]
    routes: list[Route]
    workers: int = 8
    limit: int = 1
    chained: bool = False


async def measure(effort: Effort) -> None:
    """Prints one table."""
    async with ground() as on:
        scenarios = await _scenarios(on)
        results: Rounds[tuple[str, str]] = Rounds()
        with running_bare_server(on.database_url) as bare_url:
            targets = {
                SERVER: ("http", on.server.url),
                STARLETTE: ("http", bare_url),
                ASYNCPG: ("asyncpg", on.database_url),
            }
            for number in range(effort.rounds):
                for scenario in filter(None, scenarios):
                    for target in rotated(list(targets), number):
                        await on.fill(scenario.slugs, int(effort.seconds * MOST_A_SECOND[scenario.limit]))
                        over, url = targets[target]
                        load = Load(
                            over,
                            url,
                            scenario.routes,
                            scenario.workers,
                            scenario.limit,
                            effort.seconds,
                            chained=scenario.chained,
                        )
                        results.add((scenario.name, target), (await run_load(load)).rate)
    _print(scenarios, results)


async def _scenarios(on: Ground) -> list[Scenario | None]:
    free = [await on.endpoint("free", ["free"], policy=False)]
    hot = [await on.endpoint("hot", ["hot"], policy=True)]
    each = [await on.endpoint(f"one-{n}", [f"queue-{n}"], policy=True) for n in range(50)]
    slugs = [f"one-{n}" for n in range(50)]
    broad = [Route((await on.endpoint("broad", [f"queue-{n}" for n in range(50)], policy=True)).credential)]
    return [
        Scenario("no policy", ["free"], free),
        Scenario("one hot policy", ["hot"], hot),
        Scenario("50 policies, 50 endpoints", slugs, each),
        Scenario("50 policies, one endpoint asks all", ["broad"], broad),
        None,
        Scenario("no policy, 50 workers", ["free"], free, workers=50),
        Scenario("one hot policy, 50 workers", ["hot"], hot, workers=50),
        None,
        Scenario("no policy, next with complete", ["free"], free, chained=True),
        Scenario("one hot policy, next with complete", ["hot"], hot, chained=True),
        Scenario("50 policies, next with complete", slugs, each, chained=True),
        None,
        Scenario("no policy, max 10", ["free"], free, limit=10),
        Scenario("one hot policy, max 10", ["hot"], hot, limit=10),
        Scenario("50 policies, 50 endpoints, max 10", slugs, each, limit=10),
        Scenario("50 policies, one endpoint asks all, max 10", ["broad"], broad, limit=10),
        None,
        Scenario("no policy, max 100", ["free"], free, limit=100),
        Scenario("one hot policy, max 100", ["hot"], hot, limit=100),
    ]


def _print(scenarios: list[Scenario | None], results: Rounds[tuple[str, str]]) -> None:
    rows: list[list[str] | None] = []
    for scenario in scenarios:
        if scenario is None:
            rows.append(None)
            continue
        server, starlette, plain = ((scenario.name, target) for target in (SERVER, STARLETTE, ASYNCPG))
        rows.append(
            [
                scenario.name,
                f"{results.median(server):,.0f}",
                f"{results.median(starlette):,.0f}",
                f"x {results.ratio(server, starlette):.2f}",
                f"{results.median(plain):,.0f}",
                f"x {results.ratio(server, plain):.2f}",
            ]
        )
    print_table(
        "Todos claimed and completed a second, 8 workers unless said",
        ["", "server", "bare Starlette", "ratio to it", "bare asyncpg", "ratio to it"],
        rows,
        "A cycle is one claim and one completion of what was claimed, each committed and flushed, in two requests; "
        "next with complete: in one request and one transaction. Bare ones run the same statements: in handlers of "
        f"Starlette with a pool of {CONNECTIONS}, as the server has; by asyncpg on a connection for each worker, with "
        "no HTTP. The load comes from a process of its own.",
    )
