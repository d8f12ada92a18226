"""complete: one todo or a batch, and the next claim along with it, in one transaction."""

from __future__ import annotations

import structlog

from switchboard.core.identity import Caller
from switchboard.store.claims import ClaimStore, Completion
from switchboard.store.database import Database
from switchboard.store.errors import DatabaseUnavailable, LockTimeout, StaleCaller, StatementTimeout
from switchboard.store.rows import Row
from switchboard_wire.encode import encode_json
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.todo import TodoState
from switchboard_wire.worker import (
    ClaimNext,
    ClaimNextAnswer,
    Complete,
    Completed,
    CompletedBatch,
    RefusedCompletion,
    Verb,
)

from .claim import ClaimService
from .drain import changed, fence_token, refusal
from .grants import narrowed, require_verb

log = structlog.get_logger(__name__)


class CompleteService:
    """Each todo must be held by the caller's endpoint; lapsed, too, until it is reaped or taken over."""

    def __init__(self, database: Database, claim: ClaimService) -> None:
        self._claims = ClaimStore(database)
        self._claim = claim

    async def complete(self, caller: Caller, ask: Complete) -> Completed | CompletedBatch:
        """Raises not_found or conflict for a single todo; a batch tells them for each. Nothing is claimed then unless
        something was completed. A deferred or empty `next` leaves the completion as it stands."""
        if ask.next is not None:  # whatever is wrong with it is said before anything is changed
            require_verb(caller, Verb.CLAIM_NEXT)
            narrowed(caller, ask.next.queues)
        completions = [
            Completion(one.todo_id, encode_json(one.result), fence_token(one.fence, _field(ask, index)))
            for index, one in enumerate(ask.completions())
        ]
        following = None
        if ask.next is None:
            ended = await self._claims.complete(caller, completions)
        else:
            rows, asked = await self._claim.complete(caller, completions, ask.next)
            ended = rows[: len(completions)]
            if any(row["outcome"] == "changed" for row in ended):
                following = await self._next(caller, ask.next, rows[len(completions) :] if asked else None)
        if ask.todos is None:
            return Completed(changed(caller, ended[0]), following)
        return CompletedBatch(
            completed=tuple(row["id"] for row in ended if row["outcome"] == "changed"),
            refused=tuple(_refused(row) for row in ended if row["outcome"] != "changed"),
            next=following,
        )

    async def _next(self, caller: Caller, ask: ClaimNext, rows: list[Row] | None) -> ClaimNextAnswer | None:
        """The completion stands: whatever hinders the claim now must not hide that."""
        try:
            return await self._claim.claim_next_from(caller, ask, rows)
        except (SwitchboardError, StaleCaller, DatabaseUnavailable, LockTimeout, StatementTimeout) as error:
            log.info("next_not_claimed", endpoint=caller.slug, error=type(error).__name__)
            return None


def _field(ask: Complete, index: int) -> str:
    return "fence" if ask.todos is None else f"todos[{index}].fence"


def _refused(row: Row) -> RefusedCompletion:
    error = refusal(row)
    state = TodoState(row["state"]) if error.code is ErrorCode.CONFLICT else None
    return RefusedCompletion(row["id"], error.code, error.message, state)
