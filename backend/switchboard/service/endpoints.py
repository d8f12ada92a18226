"""Endpoints: credentials and grants."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from switchboard.core.credentials import ENDPOINT_PREFIX, hash_of, new_credential
from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid
from switchboard_wire.worker import Verb

BASIC_VERBS = tuple(Verb)
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


@dataclass(frozen=True, slots=True)
class EndpointView:
    """An endpoint as the CLI lists it. `owner` is "human:<name>" or "team:<slug>"."""

    slug: str
    owner: str
    state: str
    verbs: tuple[str, ...]
    queues: tuple[str, ...]
    default_lease_seconds: int
    created_at: datetime


class Endpoints:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self, human: Human, slug: str, queues: Sequence[str], *, verbs: Sequence[Verb] = BASIC_VERBS, lease: int = 300
    ) -> str:
        """The new endpoint's credential, shown once. Its queues come into being with the grant (D7).

        Raises invalid_argument, or conflict when the slug is taken.
        """
        if not _SLUG.fullmatch(slug):
            raise invalid("slug", "Use 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen.")
        if not 60 <= lease <= 86_400:
            raise invalid("lease", "Give a whole number of seconds from 60 to 86400.")
        for index, name in enumerate(queues):
            if not 1 <= len(name) <= 200 or not name.isprintable():
                raise invalid(f"queues[{index}]", "Give 1 to 200 printable characters.")
        credential = new_credential(ENDPOINT_PREFIX, secrets.token_urlsafe)
        async with self._database.change() as connection:
            endpoint_id = await statements.endpoints.add_endpoint(
                connection,
                slug=slug,
                human_id=human.id,
                credential_hash=hash_of(credential),
                verbs=[verb.value for verb in verbs],
                default_lease_seconds=lease,
            )
            if endpoint_id is None:
                raise SwitchboardError(
                    ErrorCode.CONFLICT, f"There is an endpoint with the slug {slug} already.", field="slug"
                )
            for name in queues:
                queue_id = await statements.endpoints.add_queue(connection, endpoint_id=endpoint_id, name=name)
                await statements.endpoints.grant_queue(
                    connection, endpoint_id=endpoint_id, name=name, queue_id=queue_id
                )
        return credential

    async def renew(self, slug: str) -> str:
        """A new credential in place of the old one, which ends at once. Raises not_found."""
        credential = new_credential(ENDPOINT_PREFIX, secrets.token_urlsafe)
        async with self._database.change() as connection:
            row = await statements.endpoints.endpoint_by_slug(connection, slug=slug)
            if row is None:
                raise _unknown(slug)
            await statements.endpoints.renew_credential(
                connection, credential_hash=hash_of(credential), endpoint_id=row["id"]
            )
        return credential

    async def revoke(self, slug: str) -> None:
        """Its credential stops to work; its policies stay readable (D9). Raises not_found."""
        async with self._database.change() as connection:
            if await statements.endpoints.endpoint_by_slug(connection, slug=slug) is None:
                raise _unknown(slug)
            await statements.endpoints.revoke_endpoint(connection, slug=slug)

    async def list(self) -> tuple[EndpointView, ...]:
        async with self._database.session() as connection:
            rows = await statements.endpoints.endpoints(connection)
        return tuple(
            EndpointView(
                slug=row["slug"],
                owner=f"human:{row['human']}" if row["human"] is not None else f"team:{row['team']}",
                state=row["state"],
                verbs=tuple(row["verbs"]),
                queues=tuple(row["queues"]),
                default_lease_seconds=row["default_lease_seconds"],
                created_at=row["created_at"],
            )
            for row in rows
        )


def _unknown(slug: str) -> SwitchboardError:
    return SwitchboardError(ErrorCode.NOT_FOUND, f"There is no endpoint with the slug {slug}.", field="slug")
