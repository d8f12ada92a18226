"""The verbs that end a claim without completing it, or extend it: fail, release, heartbeat."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from switchboard.core.identity import Caller
from switchboard.store.claims import ClaimStore
from switchboard.store.database import Database
from switchboard.store.rows import Row, todo
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid
from switchboard_wire.todo import Todo, TodoState
from switchboard_wire.worker import Changed, Fail, Heartbeat, Release


class DrainService:
    """Each verb acts on a todo that the caller's endpoint holds; lapsed, too, until it is reaped or taken over."""

    def __init__(self, database: Database) -> None:
        self._claims = ClaimStore(database)

    async def fail(self, caller: Caller, ask: Fail) -> Changed:
        fence = fence_token(ask.fence)
        row = await self._claims.end_claim(caller, ask.todo_id, "failed", fence, error=ask.error, retry=ask.retry)
        return Changed(changed(caller, row))

    async def release(self, caller: Caller, ask: Release) -> Changed:
        row = await self._claims.end_claim(caller, ask.todo_id, "released", fence_token(ask.fence))
        return Changed(changed(caller, row))

    async def heartbeat(self, caller: Caller, ask: Heartbeat) -> Changed:
        lease = timedelta(seconds=ask.lease_seconds or caller.default_lease_seconds)
        row = await self._claims.extend_claim(caller, ask.todo_id, lease, fence_token(ask.fence))
        return Changed(changed(caller, row))


def fence_token(text: str | None, field: str = "fence") -> UUID | None:
    """Raises invalid_argument for what no claim has answered."""
    try:
        return None if text is None else UUID(text)
    except ValueError as error:
        raise invalid(field, "Give the fence that the claim answered.") from error


def changed(caller: Caller, row: Row) -> Todo:
    """The todo as the verb left it. Raises what `refusal` says."""
    if row["outcome"] != "changed":
        raise refusal(row)
    claimant = None if row["state"] == TodoState.PENDING else caller.slug
    return todo(row, caller.queue_by_id(row["queue_id"]), claimant)


def refusal(row: Row) -> SwitchboardError:
    """Why a verb did not change the todo: not_found or conflict."""
    if row["outcome"] == "not_found":
        return SwitchboardError(ErrorCode.NOT_FOUND, "There is no such todo in your queues.", field="todo_id")
    held = "under another claim" if row["state"] == "claimed" else row["state"]
    return SwitchboardError(
        ErrorCode.CONFLICT,
        f"You do not hold this todo; it is {held}.",
        field="todo_id",
        details={"state": row["state"]},
    )
