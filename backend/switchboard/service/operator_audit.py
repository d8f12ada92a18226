"""The audit of operators' actions: a row in the transaction that changes, and the read of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard_wire.operator_actions import OperatorAction, OperatorAuditPage, OperatorAuditRecord

from .read_budget import ReadDeadline


async def audited(
    connection: Connection,
    human: Human,
    action: OperatorAction,
    target: Mapping[str, Any],
    queue_id: int | None,
    counts: Mapping[str, int],
    part_of: int | None = None,
) -> int:
    """The new record's id. Call it in the transaction of the change, so that neither stands without the other.

    Bulk work records each batch with what that batch changed: whatever ends the work early, a lost connection or a
    stopped server, the records so far say exactly what was done, and none is left that says "unfinished".
    """
    added: int = await statements.operator_audit.add(
        connection,
        human_id=human.id,
        action=action.value,
        target=orjson.dumps(target).decode(),
        queue_id=queue_id,
        counts=orjson.dumps(counts).decode(),
        part_of=part_of,
    )
    return added


class OperatorAudit:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def audit(self, human: Human, before_id: int | None, limit: int, deadline: ReadDeadline) -> OperatorAuditPage:
        """What this human did, and what others did to the queues that it may see; all, for an instance operator."""
        async with self._database.read(deadline.budget()) as connection:
            queues = await statements.queues.visible_queues(connection, human_id=human.id, operator=False)
            rows = await statements.operator_audit.visible(
                connection,
                human_id=human.id,
                operator=human.operator,
                queue_ids=[row["id"] for row in queues],
                before_id=before_id,
                limit=limit + 1,
            )
        records = tuple(
            OperatorAuditRecord(
                id=row["id"],
                at=row["at"],
                human=row["human"],
                action=row["action"],
                target=orjson.loads(row["target"]),
                queue_id=row["queue_id"],
                counts=orjson.loads(row["counts"]),
                part_of=row["part_of"],
            )
            for row in rows[:limit]
        )
        return OperatorAuditPage(records, records[-1].id if len(rows) > limit else None)
