"""The scenarios of the fault tests, at the sizes for which the tests have no time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.faults.ground import Ground, ground_on
from tests.faults.machine import Machine, bench
from tests.faults.scenarios import cancelled_anywhere, lost_and_refused, nineteen_exhausted, racers, roll, straddle
from tests.support.databases import Databases
from tests.support.loop_thread import loop_thread
from tests.support.servers import running_server

from .load import say


async def _five_hundred(ground: Ground) -> None:
    """500 racers at once over two servers, ten times, for a budget of ten."""
    with running_server(ground.url) as one, running_server(ground.url) as other:
        ground.servers = [one, other]
        await ground.start_of_run()
        for number in range(10):
            await racers(ground, 500, 10, f"racers-{number}")


def _machine(databases: Databases) -> None:
    with loop_thread() as loop, loop.entered(databases.fresh()) as url, bench(loop, url) as made:
        Machine.bench = made
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=400,
                stateful_step_count=60,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )


LARGE: dict[str, Callable[[Ground], Awaitable[None]]] = {
    "500 racers for 10, ten times": _five_hundred,
    "1,000 claims across a boundary": lambda ground: straddle(ground, 1000),
    "1,000 refused, 1,000 lost to a race": lambda ground: lost_and_refused(ground, 1000),
    "2,000 claims cancelled anywhere": lambda ground: cancelled_anywhere(ground, 2000),
    "19 spent queues, 100,000 deferred": lambda ground: nineteen_exhausted(ground, 100_000),
    "10,000 windows": lambda ground: roll(ground, 10_000),
}


async def run_large(databases: Databases) -> list[str]:
    """What failed, in words."""
    failed = []
    loop = asyncio.get_running_loop()
    for name, scenario in LARGE.items():
        began = loop.time()
        try:
            async with AsyncExitStack() as stack:
                url = await stack.enter_async_context(databases.fresh())
                await scenario(await stack.enter_async_context(ground_on(url)))
            verdict = "holds"
        except Exception as problem:
            failed.append(f"{name}: {type(problem).__name__}: {problem}"[:3000])
            verdict = "FAILED"
        say(f"{name:<40}{verdict:>8}{loop.time() - began:>8.1f} s")
    began = loop.time()
    try:
        await asyncio.to_thread(_machine, databases)
        verdict = "holds"
    except Exception as problem:
        failed.append(f"the state machine: {type(problem).__name__}: {problem}"[:3000])
        verdict = "FAILED"
    say(f"{'the state machine, 400 runs':<40}{verdict:>8}{loop.time() - began:>8.1f} s")
    return failed
