"""Who listens to which key, and the terms that suit all listeners of one key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from switchboard_ui.core.observation import Observation
from switchboard_ui.core.query import Floor, Query, QueryKey, Terms

Listener = Callable[[Observation[Any]], None]


@dataclass(frozen=True, slots=True)
class _Subscription:
    query: Query[Any]
    listener: Listener


class Subscriptions:
    """Holds a listener from `add` to `remove` and not a moment longer."""

    def __init__(self) -> None:
        self._of_key: dict[QueryKey, dict[int, _Subscription]] = {}
        self._last = 0

    def add(self, query: Query[Any], listener: Listener) -> int:
        """A token for this one subscription."""
        self._last += 1
        self._of_key.setdefault(query.key, {})[self._last] = _Subscription(query, listener)
        return self._last

    def remove(self, key: QueryKey, token: int) -> bool:
        """Whether the subscription was still there."""
        of_key = self._of_key.get(key, {})
        if of_key.pop(token, None) is None:
            return False
        if not of_key:
            del self._of_key[key]
        return True

    def tokens(self, key: QueryKey) -> tuple[int, ...]:
        return tuple(self._of_key.get(key, ()))

    def listener(self, key: QueryKey, token: int) -> Listener | None:
        subscription = self._of_key.get(key, {}).get(token)
        return None if subscription is None else subscription.listener

    def query(self, key: QueryKey) -> Query[Any] | None:
        """The latest query of the key that somebody still listens to: the same read, the newest decoder."""
        of_key = self._of_key.get(key)
        return None if of_key is None else next(reversed(of_key.values())).query

    def terms(self, key: QueryKey) -> Terms | None:
        """The longest floor, the shortest cadence; manual only if every listener wants it so. None without one."""
        queries = [subscription.query for subscription in self._of_key.get(key, {}).values()]
        if not queries:
            return None
        automatic = [query for query in queries if not query.manual]
        cadences = [query.cadence for query in automatic if query.cadence is not None]
        floor = Floor.CACHED if any(query.floor is Floor.CACHED for query in queries) else Floor.UNCACHED
        return Terms(floor, min(cadences, default=None), not automatic, queries[0].route)
