"""Callers of the worker API over HTTP: one connection each, which a test may cut at any moment.

A general client would hide what these are for: when exactly a request leaves, and that a caller is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

import orjson

ANSWER_SECONDS = 60.0


class NoAnswer(Exception):
    """The connection ended before the answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`body` is the JSON; `code` is the error's code, None for a success. Header names are in lower case."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str | None:
        return None if self.status == 200 else str(self.body["error"]["code"])

    @property
    def ids(self) -> list[int]:
        """What a claim_next claimed."""
        return [todo["id"] for todo in self.body["todos"]]


class Claimer:
    """One keep-alive connection with one credential; connects when it must."""

    def __init__(self, url: str, credential: str) -> None:
        self._url = url
        self._credential = credential
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def connect(self) -> None:
        """Idempotent. Raises OSError."""
        if self._streams is None:
            parts = urlsplit(self._url)
            self._streams = await asyncio.open_connection(parts.hostname, parts.port)

    async def call(self, verb: str, **body: Any) -> Answer:
        """The answer to a worker verb. Raises NoAnswer or OSError when the server goes away."""
        return await self.request("POST", f"/api/v1/worker/{verb}", body)

    async def request(self, method: str, path: str, body: Any = None) -> Answer:
        await self.send(method, path, body)
        return await self.receive()

    async def send(self, method: str, path: str, body: Any = None) -> None:
        await self.connect()
        assert self._streams is not None
        content = b"" if body is None else orjson.dumps(body)
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: claimer\r\nAuthorization: Bearer {self._credential}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self._streams[1].write(head.encode() + content)
        await self._streams[1].drain()

    async def receive(self) -> Answer:
        assert self._streams is not None
        reader = self._streams[0]
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:] if line)}
                body = await reader.readexactly(int(headers["content-length"]))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            await self.close()
            raise NoAnswer(str(error)) from error
        if headers.get("connection", "").lower() == "close":
            await self.close()
        return Answer(int(head[0].split(" ")[1]), orjson.loads(body), headers)

    async def close(self) -> None:
        """Hangs up, whatever was asked. Idempotent."""
        streams, self._streams = self._streams, None
        if streams is not None:
            streams[1].transport.abort()


@asynccontextmanager
async def claimers(number: int, urls: Sequence[str], credentials: Sequence[str]) -> AsyncIterator[list[Claimer]]:
    """So many connected claimers, spread over the servers and the credentials."""
    made = [
        Claimer(urls[index % len(urls)], credentials[index // len(urls) % len(credentials)]) for index in range(number)
    ]
    try:
        await asyncio.gather(*(one.connect() for one in made))
        yield made
    finally:
        await asyncio.gather(*(one.close() for one in made))


async def race(number: int, urls: Sequence[str], credentials: Sequence[str], **ask: Any) -> list[Answer]:
    """As many claim_next calls at once, each on a connection of its own that stood before."""
    async with claimers(number, urls, credentials) as racers:
        return list(await asyncio.gather(*(racer.call("claim_next", **ask) for racer in racers)))


def randomness(seed: int) -> Random:
    """The same choices for the same seed."""
    return Random(seed)


@dataclass(slots=True)
class Tally:
    """What workers were told: all of it must be found in the database afterwards."""

    claimed: Counter[int] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    enqueued: set[int] = field(default_factory=set)
    empty: int = 0
    away: int = 0
    more: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by every claim; whoever waits for claims clears it."""


class WorkerLoop:
    """Claims and ends what it claims, in one way or another, whatever becomes of the servers, until `stop` is set.

    `ends` weighs complete, fail, release, hold (the lease lapses) and hang up (the caller goes in mid-request).
    """

    def __init__(
        self,
        claimer: Claimer,
        tally: Tally,
        stop: asyncio.Event,
        random: Random,
        *,
        ends: Mapping[str, int],
        ask: Mapping[str, Any],
        pause: float = 0.02,
    ) -> None:
        self._claimer = claimer
        self._tally = tally
        self._stop = stop
        self._random = random
        self._ends = list(ends)
        self._weights = list(ends.values())
        self._ask = dict(ask)
        self._pause_seconds = pause

    async def run(self) -> None:
        while not self._stop.is_set():
            end = self._random.choices(self._ends, self._weights)[0]
            if end == "hang up":
                await self._hang_up()
                continue
            answer = await self._told("claim_next", self._ask)
            if answer is None or answer.status != 200:
                await self._pause()
                continue
            if answer.body["empty"]:
                self._tally.empty += 1
                self._tally.refusals.update(one["reason"] for one in answer.body["deferred"])
                await self._pause()
            for todo in answer.body["todos"]:
                self._tally.claimed[todo["id"]] += 1
                self._tally.more.set()
                self._tally.ended[end] += 1
                if end != "hold":
                    await self._end(end, todo)
        await self._claimer.close()

    async def _end(self, verb: str, todo: dict[str, Any]) -> None:
        body = {"todo_id": todo["id"]} | ({} if todo["fence"] is None else {"fence": todo["fence"]})
        while not self._stop.is_set():
            answer = await self._told(verb, body)
            if answer is not None and answer.status < 500:
                return
            await self._pause()

    async def _told(self, verb: str, body: Mapping[str, Any]) -> Answer | None:
        try:
            answer = await self._claimer.call(verb, **body)
        except (NoAnswer, OSError, TimeoutError):
            await self._claimer.close()
            self._tally.away += 1
            return None
        if answer.code is not None:
            self._tally.errors[f"{verb}: {answer.code}"] += 1
        return answer

    async def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            await self._claimer.send("POST", "/api/v1/worker/claim_next", self._ask)
            await asyncio.sleep(
                self._random.random() * 0.01
            )  # allow-sleep: it hangs up anywhere in the claim, by chance
        await self._claimer.close()

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), self._pause_seconds * (0.5 + self._random.random()))
