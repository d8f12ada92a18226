"""`python -m bench.rivals.awa_reads VENV [--todos 200000]`: the same reads on Awa's dashboard and on ours.

VENV is a virtual environment of its own that holds the rival: `python -m venv VENV && VENV/bin/pip install
'awa-pg[ui]==0.6.9'`. Both work on the same number of waiting jobs over 200 queues, each on a PostgreSQL of its own with
the same settings, and answer the same client by turns.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx

from bench.ground import DURABLE, OWNER, ground
from bench.measure import Rounds, console, print_machine, print_table
from switchboard.store.embedded import temporary_postgres

QUEUES, ROUNDS = 200, 20
OURS, THEIRS = "Switchboard", "Awa 0.6.9"

_FILL = """
import sys, awa
client, todos, queues = awa.Client(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for first in range(0, todos, 5000):
    numbers = range(first, min(first + 5000, todos))
    client.insert_many_copy(
        [{"note": "as long as a small todo is"} for _ in numbers], kind="bench",
        opts=[{"queue": f"queue-{n % queues}"} for n in numbers])
client.close()
"""

# What is asked of each, by what it is for. None: the rival has no such read.
ASKS: list[tuple[str, tuple[str, str, Any], tuple[str, str, Any] | None]] = [
    ("50 jobs, no filter", ("POST", "/api/v1/jobs/query", {}), ("GET", "/api/jobs?limit=50", None)),
    (
        "50 jobs of a queue",
        ("POST", "/api/v1/jobs/query", {"queue": "queue-7"}),
        ("GET", "/api/jobs?limit=50&queue=queue-7", None),
    ),
    (
        "an absent tag",
        ("POST", "/api/v1/jobs/query", {"tags": ["absent"]}),
        ("GET", "/api/jobs?limit=50&tag=absent", None),
    ),
    ("every queue", ("GET", "/api/queues", None), ("GET", "/api/queues", None)),
    ("how many match", ("POST", "/api/v1/jobs/count", {"queue": "queue-7"}), None),
]


async def measure(their_url: str, todos: int) -> None:
    """Prints one table."""
    async with _ours(todos) as ours, httpx.AsyncClient(base_url=their_url, timeout=120) as theirs:
        times: Rounds[tuple[str, str]] = Rounds()
        problems: dict[tuple[str, str], str] = {}
        for _ in range(ROUNDS):
            for name, our_ask, their_ask in ASKS:
                for who, client, ask in ((OURS, ours, our_ask), (THEIRS, theirs, their_ask)):
                    if ask is None:
                        continue
                    begun = time.perf_counter()
                    answer = await client.request(ask[0], ask[1], json=_body(ask[1], ask[2]))
                    times.add((who, name), time.perf_counter() - begun)
                    if answer.status_code != 200:
                        problems[who, name] = str(answer.status_code)
    rows = []
    for name, _, their_ask in ASKS:
        row = [name]
        for who in (OURS, THEIRS):
            if (who, name) in problems:
                row += [problems[who, name], ""]
            elif (who, name) in times.figures:
                row += [f"{times.percentile((who, name), percent) * 1000:.1f}" for percent in (50, 95)]
            else:
                row += ["none", ""]
        rows.append([*row, "" if their_ask is None else f"x {times.ratio((OURS, name), (THEIRS, name)):.2f}"])
    print_table(
        f"Reads on {todos:,} waiting jobs in {QUEUES} queues, milliseconds",
        ["", f"{OURS} p50", "p95", f"{THEIRS} p50", "p95", "ratio"],
        rows,
        "Caches are as each has them by default, so that all but the first read of every queue are hits on both sides. "
        "Ours answers who asks, and what each waiting job waits for; theirs has no sign-in and no budgets.",
    )


def _body(path: str, filter_: Any) -> Any:
    if filter_ is None:
        return None
    return {"version": 1, "filter": filter_} | ({} if path.endswith("count") else {"page": {"limit": 50}})


@contextlib.asynccontextmanager
async def _ours(todos: int) -> AsyncIterator[httpx.AsyncClient]:
    async with ground() as on:
        await on.endpoint("many", [f"queue-{number}" for number in range(QUEUES)], policy=False)
        await on.add(["many"], todos)
        await on.admin.execute("vacuum analyze switchboard.todos")
        token = await on.services.accounts.new_operator_token(await on.services.accounts.human(OWNER), "bench")
        headers = {"authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=on.server.url, headers=headers, timeout=120) as client:
            yield client


@contextlib.contextmanager
def _theirs(venv: Path, todos: int) -> Iterator[str]:
    """The address of their server, filled and answering."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with temporary_postgres(DURABLE) as url:
        awa = [str(venv / "bin" / "awa"), "--database-url", url]
        quiet = os.environ | {"RUST_LOG": "error"}
        subprocess.run([*awa, "migrate"], check=True, capture_output=True, env=quiet)
        subprocess.run([venv / "bin" / "python", "-c", _FILL, url, str(todos), str(QUEUES)], check=True)
        with subprocess.Popen([*awa, "serve", "--port", str(port)], env=quiet, stdout=subprocess.DEVNULL) as server:
            try:
                while server.poll() is None:
                    with contextlib.suppress(httpx.ConnectError):
                        httpx.get(f"http://127.0.0.1:{port}/api/capabilities")
                        break
                yield f"http://127.0.0.1:{port}"
            finally:
                server.terminate()


def main() -> None:
    """The rival's environment comes from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.rivals.awa_reads")
    parser.add_argument("venv", type=Path, help="a virtual environment that holds awa-pg[ui]")
    parser.add_argument("--todos", type=int, default=200_000, help="waiting jobs on each side, at most 1,000,000")
    options = parser.parse_args()
    if not 1_000 <= options.todos <= 1_000_000:
        parser.error("--todos must be from 1000 to 1000000")
    print_machine()
    begun = time.monotonic()
    with _theirs(options.venv, options.todos) as url:
        asyncio.run(measure(url, options.todos))
    console.print(f"[dim]{time.monotonic() - begun:.0f} s[/dim]")


if __name__ == "__main__":
    main()
