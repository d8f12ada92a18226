from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from zoneinfo import ZoneInfo

import pytest

from switchboard.core import windows
from switchboard.core.zones import canonical_name, zone, zone_names

from .oracle import Transition, at, seconds

SCAN_FROM = datetime(1969, 12, 1, tzinfo=UTC)
SCAN_TO = datetime(2038, 1, 31, tzinfo=UTC)
SCAN_STEP = 3 * 86_400


def transitions_of(name: str) -> tuple[Transition, ...]:
    """Every change of the zone's offset in the scanned years: compare the offset every three days, then second by
    second by halving. `test_zones.py` shows against the files themselves that this step misses none."""
    clock = zone(name)

    def offset(instant: int) -> int:
        utcoffset = at(instant).astimezone(clock).utcoffset()
        assert utcoffset is not None
        return round(utcoffset.total_seconds())

    found = []
    first = seconds(SCAN_FROM)
    before = offset(first)
    for following in range(first + SCAN_STEP, seconds(SCAN_TO) + 1, SCAN_STEP):
        after = offset(following)
        if after != before:
            low, high = following - SCAN_STEP, following
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == before else (low, middle)
            found.append(Transition(high, before, after))
            before = after
    return tuple(found)


@pytest.fixture(scope="session")
def transitions() -> dict[str, tuple[Transition, ...]]:
    """The transitions 1970-2037 of every zone, by canonical name; links are their targets, as `test_zones.py` shows."""
    return {name: transitions_of(name) for name in sorted({canonical_name(name) for name in zone_names()})}


_serial = count()


@pytest.fixture
def naming(monkeypatch: pytest.MonkeyPatch) -> Callable[[ZoneInfo], str]:
    """Give a zone of the test's own a name by which windows can be declared while the test runs."""
    named: dict[str, ZoneInfo] = {}

    def lookup(name: str) -> ZoneInfo:
        return named[name] if name in named else zone(name)

    def give(clock: ZoneInfo) -> str:
        # Never the same name twice: what a window means is remembered by name.
        name = f"Test/Zone{next(_serial)}"
        named[name] = clock
        return name

    monkeypatch.setattr(windows, "zone", lookup)
    return give
