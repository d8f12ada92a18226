"""Generation-fenced caches: what a change overtook is never published and never joined. Deterministic, by barriers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from switchboard.core.cache_generations import Generation
from switchboard.service.read_cache import MOST_FILLS, ReadCache
from switchboard_wire.errors import SwitchboardError


@dataclass
class Source:
    """Reads that answer only when told to. `begun` counts them; each answers with what was true when it began."""

    truth: str = "old"
    begun: int = 0
    cancelled: int = 0
    gates: list[asyncio.Future[None]] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self) -> str:
        self.begun += 1
        seen = self.truth
        gate: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.gates.append(gate)
        self.started.set()
        try:
            await gate
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return seen

    async def begun_as(self, number: int) -> asyncio.Future[None]:
        while self.begun < number:
            self.started.clear()
            await self.started.wait()
        return self.gates[number - 1]


class Rig:
    def __init__(self, ttl: float = 60.0) -> None:
        self.generation = Generation()
        self.cache = ReadCache(self.generation, ttl)
        self.source = Source()

    def ask(self, key: str = "queues") -> asyncio.Task[tuple[str, bool]]:
        async def get() -> tuple[str, bool]:
            kept, hit = await self.cache.get(key, self.source.read, retry_after=5)
            return kept.value, hit

        return asyncio.create_task(get())

    def change(self, truth: str) -> None:
        self.source.truth = truth
        self.generation.advance()


async def test_readers_of_one_moment_share_one_fill_and_later_ones_find_it() -> None:
    rig = Rig()
    first, second = rig.ask(), rig.ask()
    (await rig.source.begun_as(1)).set_result(None)
    assert (await first, await second) == (("old", False), ("old", False))
    assert await rig.ask() == ("old", True)
    assert rig.source.begun == 1


async def test_an_old_fill_that_ends_after_an_invalidation_is_not_published_and_its_reader_gets_the_new() -> None:
    rig = Rig()
    reader = rig.ask()
    old = await rig.source.begun_as(1)
    rig.change("new")
    old.set_result(None)
    (await rig.source.begun_as(2)).set_result(None)
    assert await reader == ("new", False)
    assert await rig.ask() == ("new", True)


async def test_a_reader_after_an_invalidation_does_not_join_the_older_fill() -> None:
    rig = Rig()
    before = rig.ask()
    old = await rig.source.begun_as(1)
    rig.change("new")
    after = rig.ask()
    (await rig.source.begun_as(2)).set_result(None)
    assert await after == ("new", False)
    # the older fill ends last, and changes nothing: its reader finds what is newer
    old.set_result(None)
    assert await before == ("new", True)
    assert rig.source.begun == 2


async def test_an_invalidation_makes_what_was_kept_useless() -> None:
    rig = Rig()
    first = rig.ask()
    (await rig.source.begun_as(1)).set_result(None)
    await first
    rig.change("new")
    second = rig.ask()
    (await rig.source.begun_as(2)).set_result(None)
    assert await second == ("new", False)


async def test_fills_that_are_overtaken_again_and_again_end_in_an_error_and_not_in_old_figures() -> None:
    rig = Rig()
    reader = rig.ask()
    for number in range(1, MOST_FILLS + 1):
        gate = await rig.source.begun_as(number)
        rig.change(f"change {number}")
        gate.set_result(None)
    with pytest.raises(SwitchboardError) as refusal:
        await reader
    assert (refusal.value.code.value, refusal.value.retry_after) == ("unavailable", 5)
    assert rig.source.begun == MOST_FILLS


async def test_a_fill_outlives_the_reader_who_began_it_while_another_waits() -> None:
    rig = Rig()
    first, second = rig.ask(), rig.ask()
    gate = await rig.source.begun_as(1)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    gate.set_result(None)
    assert await second == ("old", False)
    assert (rig.source.begun, rig.source.cancelled) == (1, 0)


async def test_a_fill_ends_with_its_last_reader_and_the_next_reader_begins_anew() -> None:
    rig = Rig()
    only = rig.ask()
    await rig.source.begun_as(1)
    only.cancel()
    await asyncio.gather(only, return_exceptions=True)
    next_one = rig.ask()
    (await rig.source.begun_as(2)).set_result(None)
    assert await next_one == ("old", False)
    assert rig.source.cancelled == 1


async def test_a_failed_fill_fails_its_readers_and_is_not_kept() -> None:
    rig = Rig()
    readers = [rig.ask(), rig.ask()]
    (await rig.source.begun_as(1)).set_exception(SwitchboardError.__new__(SwitchboardError))
    told = await asyncio.gather(*readers, return_exceptions=True)
    assert [type(one) for one in told] == [SwitchboardError, SwitchboardError]
    again = rig.ask()
    (await rig.source.begun_as(2)).set_result(None)
    assert await again == ("old", False)


async def test_keys_do_not_share() -> None:
    rig = Rig()
    ada, bob = rig.ask("ada"), rig.ask("bob")
    (await rig.source.begun_as(1)).set_result(None)
    (await rig.source.begun_as(2)).set_result(None)
    assert (await ada, await bob) == (("old", False), ("old", False))
