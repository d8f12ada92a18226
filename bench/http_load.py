"""A worker over HTTP: one keep-alive connection, one request at a time, and as little work as can be in between.

A general client would take longer for a request than the server does. To this machine only; how much and how long is
bounded by `bench.load`.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import orjson

from .load import Route, Worker

MAX_ANSWER = 4 * 1024 * 1024


class HttpFailure(Exception):
    """An answer that is none, or not 200."""


class HttpWorker(Worker):
    """Speaks the worker API. Use `connected`."""

    def __init__(self, address: tuple[str, int], limit: int) -> None:
        self._host = address[0]
        self._limit = limit
        self._connection: _Connection
        self._heads: dict[tuple[str, str], bytes] = {}

    @classmethod
    async def connected(cls, url: str, limit: int) -> HttpWorker:
        """`limit` is the `max` of each claim. Raises ValueError for any address but a loopback one."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
        if parts.scheme != "http" or not ipaddress.ip_address(host).is_loopback:
            raise ValueError(f"{url} is not on this machine")
        worker = cls((host, port), limit)
        _, worker._connection = await asyncio.get_running_loop().create_connection(_Connection, host, port)
        return worker

    async def claim(self, route: Route) -> list[int]:
        answer = await self._call(route, "claim_next", self._ask(route))
        return [todo["id"] for todo in answer["todos"]]

    async def complete(self, route: Route, todo_ids: list[int], following: Route | None = None) -> list[int]:
        ends = [{"todo_id": todo_id, "result": {"ok": True}} for todo_id in todo_ids]
        body: dict[str, Any] = ends[0] if self._limit == 1 else {"todos": ends}
        if following is None:
            await self._call(route, "complete", body)
            return []
        answer = await self._call(route, "complete", body | {"next": self._ask(following)})
        return [todo["id"] for todo in answer["next"]["todos"]]

    def _ask(self, route: Route) -> dict[str, Any]:
        body: dict[str, Any] = {}
        if route.queues is not None:
            body["queues"] = route.queues
        if self._limit > 1:
            body["max"] = self._limit
        return body

    async def close(self) -> None:
        self._connection.close()

    async def _call(self, route: Route, verb: str, body: Mapping[str, Any]) -> Any:
        content = orjson.dumps(body)
        head = self._heads.get((verb, route.credential))
        if head is None:
            head = self._heads[verb, route.credential] = (
                f"POST /api/v1/worker/{verb} HTTP/1.1\r\nHost: {self._host}\r\n"
                f"Authorization: Bearer {route.credential}\r\nContent-Type: application/json\r\nContent-Length: "
            ).encode()
        status, answer = await self._connection.exchange(b"%b%d\r\n\r\n%b" % (head, len(content), content))
        if status != 200:
            raise HttpFailure(f"{verb} answered {status}: {answer[:500].decode(errors='replace')}")
        return orjson.loads(answer)


class _Connection(asyncio.Protocol):
    """Sends one request and gives its answer, which must tell its length."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._waiting: asyncio.Future[tuple[int, bytes]] | None = None
        self._received = bytearray()
        self._body_at = self._end = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by its class

    def exchange(self, request: bytes) -> asyncio.Future[tuple[int, bytes]]:
        self._waiting = asyncio.get_running_loop().create_future()
        self._received.clear()
        self._end = 0
        self._transport.write(request)
        return self._waiting

    def data_received(self, data: bytes) -> None:
        waiting = self._waiting
        if waiting is None or waiting.done():
            return
        self._received += data
        if not self._end:
            head_end = self._received.find(b"\r\n\r\n")
            if head_end < 0:
                return
            self._body_at = head_end + 4
            length = _content_length(bytes(self._received[:head_end]))
            if length is None or length > MAX_ANSWER:
                waiting.set_exception(HttpFailure("an answer of no length, or too long"))
                return
            self._end = self._body_at + length
        if len(self._received) >= self._end:
            status = int(self._received[9:12])
            waiting.set_result((status, bytes(self._received[self._body_at : self._end])))

    def connection_lost(self, error: Exception | None) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(HttpFailure("the connection was closed"))

    def close(self) -> None:
        self._transport.close()


def _content_length(head: bytes) -> int | None:
    name = b"\r\ncontent-length:"
    at = head.lower().find(name)
    return None if at < 0 else int(head[at + len(name) :].partition(b"\r\n")[0])
