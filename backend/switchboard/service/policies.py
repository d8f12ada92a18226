"""Managing policies: every change is audited in its own transaction (SPEC-0030 REQ-10)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson

from switchboard.core.identity import Human, QueueIdentity
from switchboard.core.known_policy import as_stored, columns_of, validated
from switchboard.store import statements
from switchboard.store.database import Connection, Database, ReadBudget
from switchboard.store.errors import LockTimeout
from switchboard.store.rows import Row, policy_columns
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator import AuditAction, AuditRecord, PolicyList, PolicyView, decode_policy

from .admission_reads import queue_admissions
from .known_policies import KnownPolicies
from .reach import manageable_queues

BUDGET = ReadBudget(statement_ms=5000, lock_ms=1000)
AUDIT_SHOWN = 50
# Creating a policy holds all claims up for a moment, so it tries briefly and often instead of once and long.
CREATE_ATTEMPTS, CREATE_PAUSE_SECONDS = 100, 0.05


# What a policy's columns become, None for no policy: from the locked row, or None where there is none. It runs in the
# transaction that writes, where it may write more, and raise.
Columns = dict[str, Any]
Decide = Callable[[Connection, Row | None], Awaitable[Columns | None]]


class _AnotherWasFirst(Exception):
    """A policy was made while we waited to make one."""


class PolicyService:
    """Foreign, unknown and unmanageable queue identities are refused in the same words (D7)."""

    def __init__(self, database: Database, known_policies: KnownPolicies) -> None:
        self._database = database
        self._known = known_policies

    async def list(self, human: Human) -> PolicyList:
        """Every queue identity that this human may manage, with its policy where it has one."""
        async with self._database.read(BUDGET) as connection:
            queues = await manageable_queues(connection, human.id)
            admissions = await queue_admissions(connection, self._known, queues.values())
        return PolicyList(tuple(admissions[queue_id] for queue_id in queues))

    async def show(self, human: Human, scope: str, name: str) -> PolicyView:
        """Raises not_found."""
        async with self._database.read(BUDGET) as connection:
            queue, _ = await _manageable(connection, human, scope, name)
            return await self._view(connection, queue)

    async def manageable(self, connection: Connection, human: Human, scope: str, name: str) -> QueueIdentity:
        """The queue identity, for a change to what belongs to it. Raises not_found, or conflict when it is revoked."""
        queue, revoked = await _manageable(connection, human, scope, name)
        refuse_revoked(revoked)
        return queue

    async def require_manageable(self, human: Human, scope: str, name: str) -> None:
        """Raises not_found."""
        async with self._database.session() as connection:
            await _manageable(connection, human, scope, name)

    async def set(self, human: Human, scope: str, name: str, body: object) -> PolicyView:
        """Replaces the whole policy (D11). Raises invalid_argument, not_found, or conflict for a revoked endpoint."""
        # Who may not manage the queue learns nothing from how a body is judged, so the queue goes first.
        async with self._database.session() as connection:
            queue, revoked = await _manageable(connection, human, scope, name)
        policy = validated(decode_policy(body))
        refuse_revoked(revoked)

        async def replace(_: Connection, __: Row | None) -> Columns:
            return columns_of(policy)

        await self.edit(human, queue.id, replace)
        async with self._database.read(BUDGET) as connection:
            return await self._view(connection, queue)

    async def edit(self, human: Human, queue_id: int, decide: Decide) -> None:
        """Changes the policy of a queue that the caller found manageable to what `decide` says, and audits it."""
        for attempt in itertools.count(1):
            try:
                if not await self.change(human, queue_id, decide):
                    await self._create(human, queue_id, decide)
                return
            except _AnotherWasFirst:
                continue
            except LockTimeout:
                if attempt == CREATE_ATTEMPTS:
                    raise
                await asyncio.sleep(CREATE_PAUSE_SECONDS)  # noqa: TID251 - lets the claims pass that waited with us

    async def change(self, human: Human, queue_id: int, decide: Decide) -> bool:
        """As `edit`, but makes no policy where there is none: then it is False."""
        async with self._database.change() as connection:
            before = await statements.policies.lock_policy(connection, queue_id=queue_id)
            if before is None:
                return False
            columns = await decide(connection, before)
            if columns is None:
                await statements.policies.delete_policy(connection, queue_id=queue_id)
                await _audit(connection, human, queue_id, AuditAction.DELETE, before, None)
                return True
            after = await statements.policies.update_policy(connection, queue_id=queue_id, human_id=human.id, **columns)
            await _audit(connection, human, queue_id, AuditAction.CHANGE, before, after)
        return True

    async def _create(self, human: Human, queue_id: int, decide: Decide) -> None:
        """Raises _AnotherWasFirst, and LockTimeout while long transactions look at policies."""
        async with self._database.change() as connection:
            await statements.policies.exclude_claims(connection)
            columns = await decide(connection, None)
            if columns is None:
                return
            after = await statements.policies.insert_policy(connection, queue_id=queue_id, human_id=human.id, **columns)
            if after is None:
                # what `decide` wrote for a queue without a policy goes with this transaction
                raise _AnotherWasFirst
            await _audit(connection, human, queue_id, AuditAction.CREATE, None, after)

    async def clear(self, human: Human, scope: str, name: str) -> bool:
        """True when there was a policy. Raises not_found, or conflict for a revoked endpoint."""
        async with self._database.change() as connection:
            queue, revoked = await _manageable(connection, human, scope, name)
            refuse_revoked(revoked)
            before = await statements.policies.delete_policy(connection, queue_id=queue.id)
            if before is None:
                return False
            await _audit(connection, human, queue.id, AuditAction.DELETE, before, None)
        return True

    async def _view(self, connection: Connection, queue: QueueIdentity) -> PolicyView:
        admission = (await queue_admissions(connection, self._known, [queue]))[queue.id]
        authors = await statements.policies.policy_authors(connection, queue_id=queue.id)
        audit = await statements.policies.audit_of_queue(connection, queue_id=queue.id, limit=AUDIT_SHOWN)
        return PolicyView(
            admission=admission,
            created_by=None if authors is None else authors["created_by"],
            updated_by=None if authors is None else authors["updated_by"],
            created_at=None if authors is None else authors["created_at"],
            updated_at=None if authors is None else authors["updated_at"],
            audit=tuple(audit_record(row) for row in audit),
        )


async def _manageable(connection: Connection, human: Human, scope: str, name: str) -> tuple[QueueIdentity, bool]:
    kind, _, key = scope.partition(":")
    row = None
    if kind in ("endpoint", "team") and key and 1 <= len(name) <= 200 and "\x00" not in key + name:
        row = await statements.queues.manageable_queue(
            connection, human_id=human.id, scope_kind=kind, scope_key=key, name=name
        )
    if row is None:
        raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such queue that you may manage.")
    return QueueIdentity(row["id"], row["scope"], row["name"]), row["endpoint_state"] == "revoked"


def refuse_revoked(revoked: bool) -> None:
    if revoked:
        raise SwitchboardError(ErrorCode.CONFLICT, "The endpoint of this queue is revoked; its policy is read-only.")


async def _audit(
    connection: Connection, human: Human, queue_id: int, action: AuditAction, before: Row | None, after: Row | None
) -> None:
    await statements.policies.add_audit(
        connection,
        queue_id=queue_id,
        action=action.value,
        human_id=human.id,
        endpoint_id=None,
        before=_stored(before),
        after=_stored(after),
    )


def _stored(row: Row | None) -> str | None:
    return None if row is None else orjson.dumps(as_stored(policy_columns(row))).decode()


def audit_record(row: Row) -> AuditRecord:
    """A row of `audit_of_queue`."""
    return AuditRecord(
        at=row["at"],
        action=AuditAction(row["action"]),
        human=row["human"],
        endpoint=row["endpoint"],
        before=_past(row["before"]),
        after=_past(row["after"]),
    )


def _past(text: str | None) -> Mapping[str, Any] | None:
    """As it was stored: what was valid then may not be today, and the audit shows it all the same."""
    stored: Mapping[str, Any] | None = None if text is None else orjson.loads(text)
    return stored
