"""The verbs that end or extend a claim: complete, fail, release, heartbeat."""

from __future__ import annotations

from datetime import timedelta

import orjson

from switchboard.core.identity import Caller
from switchboard.store.claims import ClaimStore
from switchboard.store.database import Database
from switchboard.store.rows import Row, todo
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import Changed, Complete, Fail, Heartbeat, Release


class DrainService:
    """Each verb acts on a todo that the caller's endpoint holds; lapsed, too, until it is reaped or taken over."""

    def __init__(self, database: Database) -> None:
        self._claims = ClaimStore(database)

    async def complete(self, caller: Caller, ask: Complete) -> Changed:
        return await self._end(caller, ask.todo_id, "completed", result=orjson.dumps(ask.result).decode())

    async def fail(self, caller: Caller, ask: Fail) -> Changed:
        return await self._end(caller, ask.todo_id, "failed", error=ask.error, retry=ask.retry)

    async def release(self, caller: Caller, ask: Release) -> Changed:
        return await self._end(caller, ask.todo_id, "released")

    async def heartbeat(self, caller: Caller, ask: Heartbeat) -> Changed:
        lease = timedelta(seconds=ask.lease_seconds or caller.default_lease_seconds)
        row = await self._claims.extend_claim(ask.todo_id, caller.endpoint_id, _ids(caller), lease)
        return _changed(caller, row)

    async def _end(
        self,
        caller: Caller,
        todo_id: int,
        outcome: str,
        *,
        result: str | None = None,
        error: str | None = None,
        retry: bool = True,
    ) -> Changed:
        row = await self._claims.end_claim(
            todo_id, caller.endpoint_id, _ids(caller), outcome, result=result, error=error, retry=retry
        )
        return _changed(caller, row)


def _ids(caller: Caller) -> list[int]:
    return [queue.id for queue in caller.queues.values()]


def _changed(caller: Caller, row: Row) -> Changed:
    if row["outcome"] == "not_found":
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such todo in your queues.", field="todo_id")
    if row["outcome"] == "conflict":
        raise SwitchboardError(
            ErrorCode.CONFLICT,
            f"You do not hold this todo; it is {row['state']}.",
            field="todo_id",
            details={"state": row["state"]},
        )
    claimant = caller.slug if row["lease_expires_at"] is not None or row["finished_at"] is not None else None
    return Changed(todo(row, caller.queue_by_id(row["queue_id"]), claimant))
