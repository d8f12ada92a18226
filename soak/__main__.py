"""`python -m soak [--minutes 10]`: prints the checker's table, and exits with 1 when anything was not in order."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

import structlog

from switchboard.store.embedded import temporary_postgres
from tests.support.databases import Databases

from .large import run_large
from .load import Soak, say

SETTINGS = {
    "max_connections": 300,
    "track_commit_timestamp": True,
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track": "all",
    "shared_buffers": "256MB",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long the load runs (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="of the choices that are left to chance")
    parser.add_argument("--only", choices=("load", "large"), help="the load, or the scenarios at full size")
    options = parser.parse_args()
    if not 0.1 <= options.minutes <= 24 * 60:
        parser.error("--minutes must be from 0.1 to 1440")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with temporary_postgres(SETTINGS) as url:
        return asyncio.run(_run(Databases(url), options))


async def _run(databases: Databases, options: argparse.Namespace) -> int:
    failed: list[str] = []
    clean = True
    if options.only != "load":
        failed = await run_large(databases)
    if options.only != "large":
        say(f"The load: {options.minutes:g} minutes, two servers, seed {options.seed}.")
        async with databases.fresh() as url:
            soaked = await Soak(url, options.minutes, options.seed).run()
        say(soaked.table())
        clean = soaked.clean
    for problem in failed:
        say(f"! {problem}")
    return 0 if clean and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
