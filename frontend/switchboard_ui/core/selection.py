"""Which rows of a listing are chosen. They outlive refreshes, also those of them that a refresh brings no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

R = TypeVar("R")


class Selection(Generic[R]):
    """By id, each with the row as it was last listed."""

    def __init__(self) -> None:
        self._chosen: dict[int, R] = {}
        self._listeners: list[Callable[[], None]] = []

    def __contains__(self, row: int) -> bool:
        return row in self._chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @property
    def ids(self) -> tuple[int, ...]:
        """Ascending."""
        return tuple(sorted(self._chosen))

    def left(self, listed: Mapping[int, R]) -> dict[int, R]:
        """The chosen rows that are not listed any more; of those that are, the rows are remembered."""
        self._chosen.update((row, listed[row]) for row in self._chosen if row in listed)
        return {row: last for row, last in self._chosen.items() if row not in listed}

    def choose(self, rows: Mapping[int, R]) -> None:
        self._chosen.update(rows)
        self._tell()

    def drop(self, rows: Iterable[int]) -> None:
        for row in rows:
            self._chosen.pop(row, None)
        self._tell()

    def clear(self) -> None:
        self._chosen.clear()
        self._tell()

    def follow(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at each change, until the returned function is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()
