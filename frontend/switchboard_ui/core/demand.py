"""The one pending marker of a key: what was asked for since the read that last answered it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Strength(IntEnum):
    """How much a mark may overrule. A stronger mark contains the weaker ones."""

    AUTOMATIC = 0
    """Cadence, watchdog, focus, local changes: waits for a paused key to run again."""
    FIRST = 1
    """A view's first read, or the rest of what the operator asked for: not held by a pause."""
    ASKED = 2
    """The operator asks: also tries again what was stopped, unsupported or signed out. Once."""


@dataclass(frozen=True, slots=True)
class Captured:
    """The part of a demand that a read answers if it succeeds."""

    generation: int
    strength: Strength


@dataclass(slots=True)
class Demand:
    """Generations count marks. Pending means: marked since the generation that was last answered."""

    generation: int = 0
    wanted: int = 0
    served: int = 0
    strength: Strength = Strength.AUTOMATIC
    ready_at: float = 0.0
    """Monotonic instant at which the pending demand is past its debounce."""
    _burst_from: float | None = None

    @property
    def pending(self) -> bool:
        return self.wanted > self.served

    def touch(self) -> int:
        """Count a change that asks for no read; the generation that a read must capture to cover it."""
        self.generation += 1
        return self.generation

    def mark(self, now: float, strength: Strength) -> int:
        """Demand a read without delay; the generation of the mark."""
        self._want(now, strength)
        self.ready_at = min(self.ready_at, now)
        return self.generation

    def mark_debounced(self, now: float, strength: Strength, quiet: float, longest: float) -> int:
        """Demand a read `quiet` seconds after the last mark of this burst, `longest` after its first at the latest."""
        self._want(now, strength)
        assert self._burst_from is not None
        # Once eligible it stays so: a stream of marks must not push a ready read back.
        if now < self.ready_at:
            self.ready_at = min(now + quiet, self._burst_from + longest)
        return self.generation

    def capture(self) -> Captured:
        """Take what a read that starts now will answer. Marks from here on are a burst of their own."""
        captured = Captured(self.generation, self.strength)
        self.strength = Strength.AUTOMATIC
        self._burst_from = None
        return captured

    def serve(self, captured: Captured) -> None:
        """A read succeeded: it answers what it captured and nothing marked later."""
        self.served = max(self.served, captured.generation)

    def hand_back(self, captured: Captured, now: float) -> None:
        """A read ended without an answer: its demand is as it was, and past its debounce.

        What the operator asked for overrules once only, or a refused request would become a loop.
        """
        self.strength = max(self.strength, min(captured.strength, Strength.FIRST))
        self.ready_at = min(self.ready_at, now)
        if self._burst_from is None:
            self._burst_from = now

    def _want(self, now: float, strength: Strength) -> None:
        self.wanted = self.touch()
        self.strength = max(self.strength, strength)
        if self._burst_from is None:
            self._burst_from = now
            self.ready_at = float("inf")
