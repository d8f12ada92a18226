"""What the verbs must do, in memory and without concurrency: the judge of the state machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from switchboard.core.windows import Interval, definition, window_at
from switchboard_wire.policy import Window

REAPER = timedelta(seconds=30)
LIVE = ("scheduled", "pending", "claimed", "failed")


@dataclass(slots=True)
class Todo:
    id: int
    queue: int
    endpoint: int
    created: datetime
    state: str
    max_attempts: int
    key: str | None = None
    not_before: datetime | None = None
    attempt: int = 0
    claims: int = 0
    holder: int | None = None
    lease: datetime | None = None
    fence: str | None = None
    retry_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """A policy. `broken`: its zone is unknown, so that it cannot be evaluated."""

    cap: int | None
    limit: int | None
    window: Window | None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Claimed:
    ids: list[int]
    in_flight: int | None = None
    used: int | None = None
    held_back: int = 0


@dataclass(slots=True)
class Model:
    now: datetime
    todos: dict[int, Todo] = field(default_factory=dict)
    policies: dict[int, Limits] = field(default_factory=dict)
    usage: Counter[tuple[int, str, datetime]] = field(default_factory=Counter)

    # What stands

    def in_state(self, queue: int, state: str) -> list[Todo]:
        return sorted(
            (todo for todo in self.todos.values() if todo.queue == queue and todo.state == state),
            key=lambda todo: (todo.created, todo.id),
        )

    def interval(self, queue: int) -> Interval | None:
        policy = self.policies.get(queue)
        if policy is None or policy.window is None or policy.broken:
            return None
        return window_at(policy.window, self.now)

    def used(self, queue: int) -> int | None:
        interval = self.interval(queue)
        if interval is None:
            return None
        return self.usage[self._key(queue, interval)]

    def _key(self, queue: int, interval: Interval) -> tuple[int, str, datetime]:
        window = self.policies[queue].window
        assert window is not None
        return queue, definition(window), interval.start

    def reason(self, queue: int, *, more: int = 0, charged: int = 0, takeover: bool = False) -> str | None:
        """Why one more claim is refused, after `more` new ones in flight and `charged` charges in this call."""
        policy = self.policies.get(queue)
        if policy is None:
            return None
        if policy.broken:
            return "admission_unavailable"
        if policy.cap == 0 or policy.limit == 0:
            return "paused"
        used = self.used(queue)
        if policy.limit is not None and used is not None and used + charged >= policy.limit:
            return "window_exhausted"
        in_flight = len(self.in_state(queue, "claimed")) + more - takeover
        if policy.cap is not None and in_flight >= policy.cap:
            return "in_flight_full"
        return None

    def next_eligible(self, queue: int, reason: str | None) -> tuple[datetime | None, bool | None]:
        if reason == "window_exhausted":
            interval = self.interval(queue)
            assert interval is not None
            return interval.end, True
        if reason == "in_flight_full":
            live = [todo.lease for todo in self.in_state(queue, "claimed") if todo.lease and todo.lease > self.now]
            return min(live, default=self.now) + REAPER, False
        return None, None

    def deferred(self, queues: Sequence[int]) -> list[tuple[int, str, int, datetime | None, bool | None]]:
        """What an empty answer must list, in the order of the queues."""
        listed = []
        for queue in queues:
            reason, pending = self.reason(queue), len(self.in_state(queue, "pending"))
            if reason is not None and pending:
                listed.append((queue, reason, pending, *self.next_eligible(queue, reason)))
        return listed

    # Claims

    def _lapsed(self, queue: int) -> list[Todo]:
        return [
            todo
            for todo in self.in_state(queue, "claimed")
            if todo.lease is not None and todo.lease <= self.now and todo.attempt < todo.max_attempts
        ]

    def _due(self, queue: int) -> list[Todo]:
        return [
            todo
            for todo in self.in_state(queue, "failed")
            if todo.retry_at is not None and todo.retry_at <= self.now and todo.attempt < todo.max_attempts
        ]

    def choose(self, queues: Sequence[int], most: int) -> tuple[int, Claimed] | None:
        """The queue and the todos that claim_next must claim now; None when it must answer empty."""
        heads = []
        for queue in queues:
            claimable = self.in_state(queue, "pending") + self._lapsed(queue) + self._due(queue)
            if claimable:
                heads.append((min((todo.created, todo.id) for todo in claimable), queue))
        for _, queue in sorted(heads):
            chosen = self._choose_in(queue, most)
            if chosen is not None:
                return queue, chosen
        return None

    def _choose_in(self, queue: int, most: int) -> Claimed | None:
        lapsed = self._lapsed(queue)
        fresh = self.in_state(queue, "pending")[:most] + self._due(queue)[:most]
        if self.reason(queue) is not None:
            if self.reason(queue) != "in_flight_full":
                return None
            fresh = []
        candidates = sorted(fresh + lapsed[:most], key=lambda todo: (todo.created, todo.id))
        ids: list[int] = []
        more = 0
        for todo in candidates:
            if len(ids) == most:
                break
            takeover = todo in lapsed
            reason = self.reason(queue, more=more, charged=len(ids), takeover=takeover)
            if reason is None:
                ids.append(todo.id)
                more += not takeover
            elif reason != "in_flight_full":
                break
        if not ids:
            return None
        if queue not in self.policies:
            return Claimed(ids)
        used = self.used(queue)
        return Claimed(
            ids,
            len(self.in_state(queue, "claimed")) + more,
            None if used is None else used + len(ids),
            min(len(candidates), most) - len(ids),
        )

    def why_not(self, todo: Todo) -> str | None:
        """Why `claim` of this todo is refused: conflict, or the reason of a deferral."""
        takeover = todo in self._lapsed(todo.queue)
        if todo.state != "pending" and not takeover and todo not in self._due(todo.queue):
            return "conflict"
        return self.reason(todo.queue, takeover=takeover)

    def take(self, ids: Sequence[int], endpoint: int, lease: timedelta, fences: Sequence[str | None]) -> None:
        for todo_id, fence in zip(ids, fences, strict=True):
            todo = self.todos[todo_id]
            interval = self.interval(todo.queue)
            if interval is not None:
                self.usage[self._key(todo.queue, interval)] += 1
            todo.state, todo.holder, todo.lease, todo.fence = "claimed", endpoint, self.now + lease, fence
            todo.attempt += 1
            todo.claims += 1
            todo.retry_at = None

    # What ends or moves a todo

    def holds(self, todo: Todo, endpoint: int, fence: str | None) -> bool:
        return todo.state == "claimed" and todo.holder == endpoint and todo.fence == fence

    def end(self, todo: Todo, verb: str, *, retry: bool = True) -> None:
        todo.lease = todo.fence = None
        match verb:
            case "complete":
                todo.state = "done"
            case "release":
                todo.state, todo.holder = "pending", None
                todo.attempt -= 1
            case "fail" if retry and todo.attempt < todo.max_attempts:
                todo.state = "failed"
                todo.retry_at = self.now + min(timedelta(seconds=30) * 2 ** (todo.attempt - 1), timedelta(seconds=900))
            case "fail":
                todo.state = "dead"

    def reap(self) -> None:
        for todo in self.todos.values():
            if todo.state == "claimed" and todo.lease is not None and todo.lease <= self.now:
                todo.state = "dead" if todo.attempt >= todo.max_attempts else "pending"
                todo.holder = todo.lease = todo.fence = None

    def promote(self) -> None:
        for todo in self.todos.values():
            if todo.state == "failed" and todo.retry_at is not None and todo.retry_at <= self.now:
                todo.state, todo.retry_at = "pending", None
            elif todo.state == "scheduled" and todo.not_before is not None and todo.not_before <= self.now:
                todo.state = "pending"

    def twin(self, endpoint: int, key: str | None, besides: int | None = None) -> Todo | None:
        """The live todo that holds this idempotency key."""
        if key is None:
            return None
        for todo in self.todos.values():
            if (todo.endpoint, todo.key) == (endpoint, key) and todo.state in LIVE and todo.id != besides:
                return todo
        return None

    def rows(self) -> list[tuple[Any, ...]]:
        """As `switchboard.todos` must be."""
        return [
            (todo.id, todo.queue, todo.state, todo.attempt, todo.claims, todo.lease, todo.retry_at, todo.fence)
            for _, todo in sorted(self.todos.items())
        ]

    def charges(self) -> dict[tuple[int, str, datetime], int]:
        return dict(+self.usage)
