"""Several things that are stopped together."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def all_of(stops: Sequence[Callable[[], None]]) -> Callable[[], None]:
    """One function that calls each of these, in order."""

    def stop() -> None:
        for each in stops:
            each()

    return stop
