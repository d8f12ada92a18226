"""`python -m bench.load_process` reads a Load as JSON from its standard input and answers with a Yield."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import orjson
import uvloop

from .bare_load import AsyncpgWorker
from .http_load import HttpWorker
from .load import Load, Route, Worker, Yield, perform


async def _run(load: Load) -> Yield:
    workers: list[Worker] = []
    for _ in range(load.workers):
        if load.over == "http":
            workers.append(await HttpWorker.connected(load.url, load.limit))
        else:
            workers.append(await AsyncpgWorker.connected(load.url, load.limit))
    return await perform(load, workers)


def _decoded(text: bytes) -> Load:
    value: dict[str, Any] = orjson.loads(text)
    return Load(**value | {"routes": [Route(**route) for route in value["routes"]]})


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.buffer.write(orjson.dumps(runner.run(_run(_decoded(sys.stdin.buffer.read())))))
