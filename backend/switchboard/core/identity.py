"""Who calls: a human, or an endpoint with its grant."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard_wire.worker import Verb


@dataclass(frozen=True, slots=True)
class Human:
    """A signed-in person. `operator` reads everything and manages only what is theirs (D6)."""

    id: int
    name: str
    operator: bool


@dataclass(frozen=True, slots=True)
class QueueIdentity:
    """One row of `queues`. `scope` is "endpoint:<slug>" or "team:<slug>"."""

    id: int
    scope: str
    name: str


@dataclass(frozen=True, slots=True)
class Caller:
    """An active endpoint: what its bearer credential may do, and on which queues (by name).

    `version` moves with any of it, and the claim path checks it; None for one whom another than its credential let in.
    """

    endpoint_id: int
    slug: str
    verbs: frozenset[Verb]
    queues: dict[str, QueueIdentity]
    default_lease_seconds: int
    version: int | None = None

    def queue_by_id(self, queue_id: int) -> QueueIdentity:
        return next(queue for queue in self.queues.values() if queue.id == queue_id)
