"""The least that answers the same requests over HTTP: Starlette, uvicorn, a pool of the same size, no checks.

`python -m bench.bare_server DATABASE_URL` prints its address and serves until it is told to end.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .bare import BareClaims

CONNECTIONS = 10


@contextmanager
def running_bare_server(database_url: str) -> Iterator[str]:
    """Its address."""
    command = [sys.executable, "-m", "bench.bare_server", database_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def _nothing(_: object) -> None:
    """No reset between uses, as in the server's own pool for claims."""


def _app(database_url: str) -> Starlette:
    pool: Any = None
    claims = BareClaims()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        nonlocal pool
        async with asyncpg.create_pool(
            database_url, min_size=CONNECTIONS, max_size=CONNECTIONS, reset=_nothing
        ) as pool:
            yield

    async def claim_next(request: Request) -> Response:
        ask = orjson.loads(await request.body())
        async with pool.acquire() as connection:
            rows = await claims.claim_next(connection, _credential(request), ask.get("queues"), ask.get("max", 1))
        return _answer({"todos": [_todo(row) for row in rows]})

    async def complete(request: Request) -> Response:
        ask = orjson.loads(await request.body())
        ends = ask.get("todos") or [ask]
        following = ask.get("next")
        async with pool.acquire() as connection:
            ended, claimed = await claims.complete(
                connection,
                _credential(request),
                [end["todo_id"] for end in ends],
                [orjson.dumps(end["result"]).decode() for end in ends],
                following is not None,
                following and following.get("queues"),
                (following or {}).get("max", 1),
            )
        answer: dict[str, Any] = {"todo": _todo(ended[0])}
        if "todos" in ask:
            answer = {"completed": [row["id"] for row in ended]}
        return _answer(answer | {"next": {"todos": [_todo(row) for row in claimed]}})

    routes = [
        Route("/api/v1/worker/claim_next", claim_next, methods=["POST"]),
        Route("/api/v1/worker/complete", complete, methods=["POST"]),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def _credential(request: Request) -> str:
    return request.headers["authorization"].removeprefix("Bearer ")


def _todo(row: asyncpg.Record) -> dict[str, Any]:
    todo = dict(row)
    todo["payload"] = orjson.Fragment(todo["payload"] or "null")
    todo["result"] = orjson.Fragment(todo["result"] or "null")
    return todo


def _answer(value: object) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


def main() -> None:
    """Serve until SIGTERM."""
    (database_url,) = sys.argv[1:]
    # the protocol is named, since asyncio turns off delays only where it is
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        config = uvicorn.Config(_app(database_url), log_config=None, access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
