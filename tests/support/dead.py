"""Todos that died, and what is read of them and of the audit."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from switchboard.core.identity import Human
from switchboard.service.read_budget import ReadLimits, whole_read
from switchboard_wire.dead_letters import DeadLetterDetail, DlqDepth, DlqPage, DlqPageAnswer, DlqQuery
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operator_actions import OperatorAuditPage
from switchboard_wire.worker import Fail

from .scenario import Endpoint, World


async def died(world: World, endpoint: Endpoint, queue: str = "q", **fields: Any) -> int:
    """The id of one new todo that was claimed once and failed for good, with the error "broken"."""
    todo_id = await world.enqueue(endpoint, queue, **fields)
    await world.claim(endpoint, todo_id)
    await world.service.drain.fail(endpoint.caller, Fail(todo_id=todo_id, error="broken", retry=False))
    return todo_id


async def many_died(
    world: World,
    endpoint: Endpoint,
    number: int,
    queue: str = "q",
    *,
    at: datetime | None = None,
    apart: int = 1,
    keys: bool = False,
    kind: str = "test",
) -> list[int]:
    """The ids of so many dead todos, each `apart` microseconds after the one before; in one statement."""
    rows = await world.sql.fetch(
        "insert into switchboard.todos (queue_id, endpoint_id, kind, source, title, payload, state, attempt, error,"
        " idempotency_key, created_at, updated_at, finished_at)"
        " select $1, $2, $3, '', '', 'null', 'dead', 5, 'broken', case when $4 then 'k' || n end, c.at, c.at,"
        " c.at + n * $5 * interval '1 microsecond'"
        " from (select coalesce($6, switchboard.clock() - interval '1 hour') as at offset 0) c,"
        " generate_series(1, $7::integer) n order by n returning id",
        endpoint.queue_id(queue),
        endpoint.caller.endpoint_id,
        kind,
        keys,
        apart,
        at,
        number,
    )
    return sorted(row["id"] for row in rows)


async def listed(
    world: World, human: Human, job_filter: JobFilter | None = None, page: DlqPage | None = None
) -> DlqPageAnswer:
    async with whole_read(ReadLimits()) as deadline:
        return await world.service.dead_letters.query(
            human, DlqQuery(job_filter or JobFilter(), page or DlqPage()), deadline
        )


async def one(world: World, human: Human, todo_id: int) -> DeadLetterDetail:
    async with whole_read(ReadLimits()) as deadline:
        return await world.service.dead_letters.one(human, todo_id, deadline)


async def depth(world: World, human: Human) -> DlqDepth:
    async with whole_read(ReadLimits()) as deadline:
        return await world.service.dead_letters.depth(human, deadline)


async def audit(world: World, human: Human, before_id: int | None = None, limit: int = 1000) -> OperatorAuditPage:
    async with whole_read(ReadLimits()) as deadline:
        return await world.service.operator_audit.audit(human, before_id, limit, deadline)


async def audit_rows(world: World) -> list[dict[str, Any]]:
    """Every record as it is stored, oldest first, but for its id and time."""
    rows = await world.sql.fetch(
        "select h.name as human, action, target, queue_id, counts from switchboard.operator_audit a"
        " join switchboard.humans h on h.id = a.human_id order by a.id"
    )
    return [dict(row) | {"target": json.loads(row["target"]), "counts": json.loads(row["counts"])} for row in rows]
