"""Humans: accounts, passwords, browser sessions and operator tokens (D35)."""

from __future__ import annotations

import asyncio
import re
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from switchboard.core.credentials import OPERATOR_PREFIX, SESSION_PREFIX, hash_of, new_credential
from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid

from .callers import SESSION_LIFETIME

MIN_PASSWORD, MAX_PASSWORD = 8, 200
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")


class Accounts:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._hasher = PasswordHasher()
        # Checked when the name is unknown, so that a guess of names costs the same time as a guess of passwords.
        self._nobody = self._hasher.hash(secrets.token_urlsafe())

    async def add_human(self, name: str, password: str, *, operator: bool) -> Human:
        """Raises invalid_argument, or conflict when the name is taken."""
        if not _NAME.fullmatch(name):
            raise invalid("name", "Use 1 to 63 lower-case letters, digits, dots, underscores and hyphens.")
        hashed = await self._hashed(password)
        async with self._database.session() as connection:
            human_id = await statements.accounts.add_human(
                connection, name=name, password_hash=hashed, operator=operator
            )
        if human_id is None:
            raise SwitchboardError(ErrorCode.CONFLICT, f"There is a human named {name} already.", field="name")
        return Human(human_id, name, operator)

    async def set_password(self, human: Human, password: str) -> None:
        """Raises invalid_argument."""
        hashed = await self._hashed(password)
        async with self._database.session() as connection:
            await statements.accounts.set_password(connection, human_id=human.id, password_hash=hashed)

    async def _hashed(self, password: str) -> str:
        if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
            raise invalid("password", f"Give {MIN_PASSWORD} to {MAX_PASSWORD} characters.")
        return await asyncio.to_thread(self._hasher.hash, password)

    async def human(self, name: str) -> Human:
        """Raises not_found."""
        async with self._database.session() as connection:
            row = await statements.accounts.human_by_name(connection, name=name)
        if row is None:
            raise SwitchboardError(ErrorCode.NOT_FOUND, f"There is no human named {name}.", field="name")
        return Human(row["id"], row["name"], row["operator"])

    async def sign_in(self, name: str, password: str) -> str | None:
        """The new session's token, shown to the browser once; None when name and password do not match."""
        row = None
        if _NAME.fullmatch(name):
            async with self._database.session() as connection:
                row = await statements.accounts.human_by_name(connection, name=name)
        hashed = self._nobody if row is None or row["password_hash"] is None else row["password_hash"]
        matches = await asyncio.to_thread(self._matches, hashed, password[:MAX_PASSWORD])
        if row is None or not matches:
            return None
        token = new_credential(SESSION_PREFIX, secrets.token_urlsafe)
        async with self._database.session() as connection:
            await statements.accounts.open_session(
                connection,
                token_hash=hash_of(token),
                human_id=row["id"],
                csrf_token=secrets.token_urlsafe(),
                lifetime=SESSION_LIFETIME,
            )
        return token

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    async def sign_out(self, token: str) -> None:
        async with self._database.session() as connection:
            await statements.accounts.close_session(connection, token_hash=hash_of(token))

    async def new_operator_token(self, human: Human, label: str) -> str:
        """A bearer token for the operator API, shown once; an older one of the same label ends."""
        token = new_credential(OPERATOR_PREFIX, secrets.token_urlsafe)
        async with self._database.transaction() as connection:
            await statements.accounts.revoke_operator_tokens(connection, human_id=human.id, label=label)
            await statements.accounts.add_operator_token(
                connection, human_id=human.id, label=label, token_hash=hash_of(token)
            )
        return token
