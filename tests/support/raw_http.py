"""HTTP by hand over one socket, for what a well-behaved client would never send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.support.waiting import within_bound


@dataclass(frozen=True)
class RawAnswer:
    """`headers` by lower-case name; the last of a name wins."""

    status: int
    headers: dict[str, str]
    body: bytes


class RawConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await within_bound(self._writer.drain())

    async def answer(self) -> RawAnswer:
        """The next answer, whole. Raises TimeoutError when none comes."""
        head = (await within_bound(self._reader.readuntil(b"\r\n\r\n"))).decode("latin-1").splitlines()
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await within_bound(self._reader.readexactly(int(headers["content-length"])))
        return RawAnswer(int(head[0].split()[1]), headers, body)

    async def close(self) -> None:
        self._writer.close()
        await within_bound(self._writer.wait_closed())


@asynccontextmanager
async def raw_connection(url: str) -> AsyncIterator[RawConnection]:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        yield RawConnection(reader, writer)
    finally:
        writer.close()


def head(method: str, target: str, **headers: str) -> bytes:
    """A request's head; `content_length="5"` is the header Content-Length."""
    lines = [f"{method} {target} HTTP/1.1", "Host: switchboard.test"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
