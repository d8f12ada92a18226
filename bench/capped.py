"""What a cap costs where it does not bite: as many workers as may be in flight, all of them always at work."""

from __future__ import annotations

import asyncio

from .bare_server import running_bare_server
from .ground import Ground, ground
from .load import Load, Route, run_load
from .measure import Effort, Rounds, print_table, rotated

PROCESSES, WORKERS, JOB_SECONDS = 4, 10, 0.05
CAP = PROCESSES * WORKERS
FREE, CAPPED = "no policy", f"cap {CAP}"
SERVER, STARLETTE, ASYNCPG = "server", "bare Starlette", "bare asyncpg"
Key = tuple[str, str, bool]


async def measure(effort: Effort) -> None:
    """Prints one table."""
    async with ground() as on:
        routes = {
            FREE: await on.endpoint("free", ["free"], policy=False),
            CAPPED: await on.endpoint("capped", ["capped"], policy=True, max_in_flight=CAP),
        }
        results: Rounds[Key] = Rounds()
        with running_bare_server(on.database_url) as bare_url:
            targets = {
                SERVER: ("http", on.server.url),
                STARLETTE: ("http", bare_url),
                ASYNCPG: ("asyncpg", on.database_url),
            }
            for number in range(effort.rounds):
                for chained in (False, True):
                    for target, at in targets.items():
                        for name in rotated(list(routes), number):
                            rate = await _rate(on, at, routes[name], effort, chained=chained)
                            results.add((target, name, chained), rate)
    rows = [
        [
            f"{target}{', next with complete' if chained else ''}",
            f"{results.median((target, FREE, chained)):,.0f}",
            f"{results.median((target, CAPPED, chained)):,.0f}",
            f"{100 * (1 - results.ratio((target, CAPPED, chained), (target, FREE, chained))):.1f} %",
        ]
        for chained in (False, True)
        for target in (SERVER, STARLETTE, ASYNCPG)
    ]
    print_table(
        f"Jobs of {JOB_SECONDS * 1000:.0f} ms a second, {PROCESSES} processes of {WORKERS} workers",
        ["", FREE, CAPPED, "lost to the cap"],
        rows,
        f"At most {CAP / JOB_SECONDS:,.0f} if claiming took no time.",
    )


async def _rate(on: Ground, at: tuple[str, str], route: Route, effort: Effort, *, chained: bool) -> float:
    over, url = at
    seconds = 3 * effort.seconds
    await on.fill(["free", "capped"], int(2 * seconds * CAP / JOB_SECONDS))
    # A claim that comes before a completion of the same moment finds the cap full for once, and asks again.
    load = Load(over, url, [route], WORKERS, 1, seconds, chained=chained, hold=JOB_SECONDS, wait=True)
    done = await asyncio.gather(*(run_load(load) for _ in range(PROCESSES)))
    return sum(one.rate for one in done)
