"""A bounded memory of released keys, so that leaving a view and coming back neither blanks it nor skips a pause."""

from __future__ import annotations

from collections import OrderedDict

from switchboard_ui.core.demand import Demand
from switchboard_ui.core.key_state import Cause, KeyState
from switchboard_ui.core.query import QueryKey


class KeptKeys:
    """At most `limit` keys, each for `seconds`: their data, floor, backoff and reprobe time, but no demand."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._kept: OrderedDict[QueryKey, tuple[float, KeyState]] = OrderedDict()

    def keep(self, state: KeyState, now: float) -> None:
        """Remember a released key; the longest remembered goes when there are too many."""
        self._expire(now)
        state.demand = Demand()
        state.flight = None
        state.pauses = set()
        # Whether the request is still refused is for its next first read to find out.
        state.stopped = False
        state.overdue = False
        state.outdate(Cause.KEPT)
        self._kept[state.key] = (now, state)
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)

    def take(self, key: QueryKey, now: float) -> KeyState | None:
        """Hand the key's state over to a new registration."""
        self._expire(now)
        entry = self._kept.pop(key, None)
        return None if entry is None else entry[1]

    def look(self, key: QueryKey) -> KeyState | None:
        entry = self._kept.get(key)
        return None if entry is None else entry[1]

    def states(self) -> list[KeyState]:
        """What is remembered, for another session or database to purge. The floors stay in any case."""
        return [state for _, state in self._kept.values()]

    def _expire(self, now: float) -> None:
        while self._kept:
            key, (since, _) = next(iter(self._kept.items()))
            if now - since < self._seconds:
                return
            del self._kept[key]
