"""The verbs that end or extend a claim: complete, fail, release, heartbeat."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from switchboard.core.identity import Caller
from switchboard.store.claims import ClaimStore
from switchboard.store.database import Database
from switchboard.store.rows import Row, todo
from switchboard_wire.encode import encode_json
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid
from switchboard_wire.todo import Todo
from switchboard_wire.worker import Changed, Complete, Completed, Fail, Heartbeat, Release, Verb

from .claim import ClaimService
from .grants import narrowed, require_verb


class DrainService:
    """Each verb acts on a todo that the caller's endpoint holds; lapsed, too, until it is reaped or taken over."""

    def __init__(self, database: Database, claim: ClaimService) -> None:
        self._claims = ClaimStore(database)
        self._claim = claim

    async def complete(self, caller: Caller, ask: Complete) -> Completed:
        """A refused or empty `next` leaves the completion as it stands."""
        if ask.next is not None:  # whatever is wrong with it is said before anything is changed
            require_verb(caller, Verb.CLAIM_NEXT)
            narrowed(caller, ask.next.queues)
        done = await self._end(caller, ask.todo_id, "completed", ask.fence, result=encode_json(ask.result))
        return Completed(done, None if ask.next is None else await self._claim.claim_next(caller, ask.next))

    async def fail(self, caller: Caller, ask: Fail) -> Changed:
        return Changed(await self._end(caller, ask.todo_id, "failed", ask.fence, error=ask.error, retry=ask.retry))

    async def release(self, caller: Caller, ask: Release) -> Changed:
        return Changed(await self._end(caller, ask.todo_id, "released", ask.fence))

    async def heartbeat(self, caller: Caller, ask: Heartbeat) -> Changed:
        lease = timedelta(seconds=ask.lease_seconds or caller.default_lease_seconds)
        row = await self._claims.extend_claim(ask.todo_id, caller.endpoint_id, _ids(caller), lease, _fence(ask.fence))
        return Changed(_changed(caller, row))

    async def _end(
        self,
        caller: Caller,
        todo_id: int,
        outcome: str,
        fence: str | None,
        *,
        result: str | None = None,
        error: str | None = None,
        retry: bool = True,
    ) -> Todo:
        row = await self._claims.end_claim(
            todo_id,
            caller.endpoint_id,
            _ids(caller),
            outcome,
            result=result,
            error=error,
            retry=retry,
            fence=_fence(fence),
        )
        return _changed(caller, row)


def _fence(text: str | None) -> UUID | None:
    try:
        return None if text is None else UUID(text)
    except ValueError as error:
        raise invalid("fence", "Give the fence that the claim answered.") from error


def _ids(caller: Caller) -> list[int]:
    return [queue.id for queue in caller.queues.values()]


def _changed(caller: Caller, row: Row) -> Todo:
    if row["outcome"] == "not_found":
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such todo in your queues.", field="todo_id")
    if row["outcome"] == "conflict":
        held = "under another claim" if row["state"] == "claimed" else row["state"]
        raise SwitchboardError(
            ErrorCode.CONFLICT,
            f"You do not hold this todo; it is {held}.",
            field="todo_id",
            details={"state": row["state"]},
        )
    claimant = caller.slug if row["lease_expires_at"] is not None or row["finished_at"] is not None else None
    return todo(row, caller.queue_by_id(row["queue_id"]), claimant)
