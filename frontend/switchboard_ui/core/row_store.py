"""Rows of one listing, each with its own listeners, so that a refresh redraws the rows that changed and no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Generic, TypeVar

R = TypeVar("R")
RowId = int | str


class RowStore(Generic[R]):
    """Rows by id, in the order in which they are shown. Rows compare by value."""

    def __init__(self) -> None:
        self.rows: dict[RowId, R] = {}
        self._listeners: dict[RowId, list[Callable[[], None]]] = {}

    def replace(self, rows: Mapping[RowId, R]) -> bool:
        """Take over a new reading; listeners of changed rows are called.

        Tells whether ids came, went or moved: then the listing itself is to be drawn, and no row is told.
        """
        before, self.rows = self.rows, dict(rows)
        if list(before) != list(self.rows):
            return True
        for changed in [row for row in before if before[row] != self.rows[row]]:
            for listener in list(self._listeners.get(changed, ())):
                listener()
        return False

    def follow(self, row: RowId, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at each change of the row, until the returned function is called."""
        self._listeners.setdefault(row, []).append(listener)
        return partial(self._unfollow, row, listener)

    def _unfollow(self, row: RowId, listener: Callable[[], None]) -> None:
        listeners = self._listeners[row]
        listeners.remove(listener)
        if not listeners:
            del self._listeners[row]
