"""What all measurements share: how much to do, medians and percentiles, and how results are printed."""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from rich.console import Console
from rich.table import Table

K = TypeVar("K", bound=Hashable)

console = Console(width=132, highlight=False)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to do. `seconds` is one run of a load, `series` times 200 claims are timed at each number of `pending`
    todos, and behind `deferred` older ones that wait for a budget."""

    rounds: int
    seconds: float
    series: int
    pending: tuple[int, ...]
    deferred: int
    visits: int


NORMAL = Effort(
    rounds=3, seconds=1.0, series=5, pending=(1_000, 100_000, 200_000, 1_000_000), deferred=100_000, visits=5
)
QUICK = Effort(rounds=1, seconds=0.4, series=1, pending=(1_000, 50_000), deferred=10_000, visits=1)


@dataclass(slots=True)
class Rounds(Generic[K]):
    """Figures of several rounds, by what was measured. Rounds are interleaved, so that noise meets all alike."""

    figures: dict[K, list[float]] = field(default_factory=dict)

    def add(self, key: K, *figures: float) -> None:
        self.figures.setdefault(key, []).extend(figures)

    def median(self, key: K) -> float:
        return statistics.median(self.figures[key])

    def percentile(self, key: K, percent: float) -> float:
        return percentile(self.figures[key], percent)

    def ratio(self, key: K, to: K) -> float:
        """The median of the rounds' own ratios: a slow round is slow on both sides."""
        return statistics.median(a / b for a, b in zip(self.figures[key], self.figures[to], strict=True))


def percentile(figures: Sequence[float], percent: float) -> float:
    """By nearest rank: a value that was measured, never one in between."""
    ordered = sorted(figures)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def rotated(items: Sequence[K], number: int) -> list[K]:
    """The items, starting elsewhere each round, so that none always runs first."""
    start = number % len(items)
    return [*items[start:], *items[:start]]


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str] | None], *notes: str) -> None:
    """The first column holds names, the others figures. A row that is None draws a line."""
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=not number)
    for row in rows:
        if row is None:
            table.add_section()
        else:
            table.add_row(*row)
    console.print()
    console.print(table)
    for note in notes:
        console.print(f"[dim]{note}[/dim]")


def print_machine() -> None:
    """What the figures depend on most."""
    console.print(
        f"[dim]{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start; "
        f"one flush to disk takes {_flush_ms():.2f} ms here[/dim]"
    )


def _flush_ms() -> float:
    """The median time of one 8 KiB write with fdatasync, where the databases of this run will lie."""
    took = []
    with tempfile.TemporaryFile() as file:
        for _ in range(100):
            begun = time.perf_counter()
            os.pwrite(file.fileno(), b"\0" * 8192, 0)
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - begun)
    return statistics.median(took) * 1000
