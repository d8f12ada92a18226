"""enqueue: a todo into a granted queue, deduplicated among the endpoint's live todos."""

from __future__ import annotations

from datetime import UTC, datetime

from switchboard.core.identity import Caller
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard.store.rows import Row, todo
from switchboard_wire.encode import encode_json
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid
from switchboard_wire.worker import Enqueue, Enqueued

from .admission_reads import queue_admissions, todo_admission
from .grants import granted_queue
from .known_policies import KnownPolicies

# The live todo may end between the refused insert and the look; then the insert is tried again.
MAX_ROUNDS = 5
# The driver takes these two for minus and plus infinity.
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class EnqueueService:
    def __init__(self, database: Database, known_policies: KnownPolicies) -> None:
        self._database = database
        self._known = known_policies

    async def enqueue(self, caller: Caller, ask: Enqueue) -> Enqueued:
        """The new todo, or the live one that holds the same idempotency key. Raises forbidden."""
        queue = granted_queue(caller, ask.queue)
        if ask.not_before is not None and not FIRST < ask.not_before < LAST:
            raise invalid("not_before", "Give a time between the years 1 and 9999.")
        async with self._database.session() as connection:
            row, duplicate = await self._insert(connection, caller, ask, queue.id)
            stands_in = next((one for one in caller.queues.values() if one.id == row["queue_id"]), None)
            if stands_in is None:
                raise SwitchboardError(
                    ErrorCode.CONFLICT,
                    "A live todo in a queue outside your grant holds this key.",
                    field="idempotency_key",
                )
            admissions = await queue_admissions(connection, self._known, [stands_in])
        admission = todo_admission(admissions, row["queue_id"], row["state"])
        return Enqueued(todo(row, stands_in, None, admission), duplicate)

    async def _insert(self, connection: object, caller: Caller, ask: Enqueue, queue_id: int) -> tuple[Row, bool]:
        for _ in range(MAX_ROUNDS):
            row = await statements.todos.enqueue(
                connection,
                queue_id=queue_id,
                endpoint_id=caller.endpoint_id,
                kind=ask.kind,
                source=ask.source,
                title=ask.title,
                payload=encode_json(ask.payload),
                tags=list(ask.tags),
                idempotency_key=ask.idempotency_key,
                max_attempts=ask.max_attempts,
                not_before=ask.not_before,
            )
            if row is not None:
                return row, False
            row = await statements.todos.live_todo_by_key(
                connection, endpoint_id=caller.endpoint_id, idempotency_key=ask.idempotency_key
            )
            if row is not None:
                return row, True
        raise SwitchboardError(ErrorCode.UNAVAILABLE, "Another sender uses this idempotency key; try again.")
