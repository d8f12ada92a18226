"""Which queue identities a human reads, and which it manages (D6)."""

from __future__ import annotations

from switchboard.core.identity import Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Connection


async def visible_queues(connection: Connection, human: Human, name: str | None = None) -> dict[int, QueueIdentity]:
    """By id, ordered by scope and name; only those called `name`, where it is given."""
    rows = await statements.queues.visible_queues(connection, human_id=human.id, operator=human.operator)
    return {
        row["id"]: QueueIdentity(row["id"], row["scope"], row["name"])
        for row in rows
        if name is None or row["name"] == name
    }


async def manageable_queues(connection: Connection, human_id: int, name: str | None = None) -> dict[int, QueueIdentity]:
    """As visible_queues, but never widened by the operator flag, and without what others configure."""
    rows = await statements.queues.visible_queues(connection, human_id=human_id, operator=False)
    return {
        row["id"]: QueueIdentity(row["id"], row["scope"], row["name"])
        for row in rows
        if row["manageable"] and (name is None or row["name"] == name)
    }
