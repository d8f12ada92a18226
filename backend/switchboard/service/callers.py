"""Who is behind a credential."""

from __future__ import annotations

from datetime import timedelta

from switchboard.core.credentials import ENDPOINT_PREFIX, OPERATOR_PREFIX, SESSION_PREFIX, hash_of
from switchboard.core.identity import Caller, Human, QueueIdentity
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard_wire.worker import Verb

SESSION_LIFETIME = timedelta(days=7)
MOST_REMEMBERED = 10_000


class Callers:
    """Each look-up is one statement; None means: nobody, revoked or expired."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._remembered: dict[bytes, Caller] = {}

    async def remembered(self, credential: str) -> Caller | None:
        """As `endpoint`, without a statement where this process has met the credential before. Only for what raises
        StaleCaller when the endpoint has changed since."""
        return self._remembered.get(hash_of(credential)) or await self.endpoint(credential)

    async def endpoint(self, credential: str) -> Caller | None:
        if not credential.startswith(ENDPOINT_PREFIX):
            return None
        credential_hash = hash_of(credential)
        async with self._database.session() as connection:
            row = await statements.endpoints.caller_by_credential(connection, credential_hash=credential_hash)
        self._remembered.pop(credential_hash, None)
        if row is None:
            return None
        if len(self._remembered) >= MOST_REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
        caller = Caller(
            endpoint_id=row["id"],
            slug=row["slug"],
            # a newer release may have granted verbs that this one does not know
            verbs=frozenset(verb for verb in Verb if verb.value in row["verbs"]),
            queues={
                name: QueueIdentity(queue_id, scope, name)
                for name, queue_id, scope in zip(row["queue_names"], row["queue_ids"], row["queue_scopes"], strict=True)
            },
            default_lease_seconds=row["default_lease_seconds"],
            version=row["version"],
        )
        self._remembered[credential_hash] = caller
        return caller

    async def human_by_operator_token(self, token: str) -> Human | None:
        if not token.startswith(OPERATOR_PREFIX):
            return None
        async with self._database.session() as connection:
            row = await statements.accounts.human_by_operator_token(connection, token_hash=hash_of(token))
        return None if row is None else Human(row["id"], row["name"], row["operator"])

    async def human_by_session(self, token: str) -> tuple[Human, str] | None:
        """The human and the session's CSRF token."""
        if not token.startswith(SESSION_PREFIX):
            return None
        async with self._database.session() as connection:
            row = await statements.accounts.human_by_session(connection, token_hash=hash_of(token))
        return None if row is None else (Human(row["id"], row["name"], row["operator"]), row["csrf_token"])
