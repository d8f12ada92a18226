"""`python -m bench [throughput] [capped] [latency] [reads] [refresh] [startup] [--quick]`."""

from __future__ import annotations

import argparse
import asyncio
import time

from . import capped, latency, reads, refresh, startup, throughput
from .measure import NORMAL, QUICK, console, print_machine

MEASUREMENTS = {
    "throughput": throughput.measure,
    "capped": capped.measure,
    "latency": latency.measure,
    "reads": reads.measure,
    "refresh": refresh.measure,
    "startup": startup.measure,
}


def main() -> None:
    """Run the named measurements, or all."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure; compare within one run only.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(MEASUREMENTS)}; all if none is given")
    parser.add_argument("--quick", action="store_true", help="one short round each, in about a minute")
    options = parser.parse_args()
    for name in options.names:
        if name not in MEASUREMENTS:
            parser.error(f"there is no measurement {name}; there are {', '.join(MEASUREMENTS)}")
    print_machine()
    for name in options.names or MEASUREMENTS:
        begun = time.monotonic()
        asyncio.run(MEASUREMENTS[name](QUICK if options.quick else NORMAL))
        console.print(f"[dim]{name}: {time.monotonic() - begun:.0f} s[/dim]")


if __name__ == "__main__":
    main()
