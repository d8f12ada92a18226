"""Webhooks: who may deliver, how that is verified, and into which queues."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from switchboard.core.credentials import hash_of, new_credential
from switchboard.core.identity import Human
from switchboard.core.webhook_signatures import EVENT_TYPE_HEADERS, Verification, fault_of_secret, new_secret
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid

TOKEN_PREFIX = "sbw_"
MAX_TARGETS = 50
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,100}")


@dataclass(frozen=True, slots=True)
class Target:
    """A queue of an endpoint's own."""

    endpoint: str
    queue: str


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """What a human asks for. Without `title` and `title_header` the title is the scheme's event type, else the name."""

    name: str
    verification: Verification
    targets: Sequence[Target]
    kind: str = "webhook"
    title: str | None = None
    title_header: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class WebhookAccess:
    """What the sender is given, shown once. `secret` is None under token trust."""

    name: str
    token: str
    secret: str | None


@dataclass(frozen=True, slots=True)
class TargetView:
    """`state` is active, or why deliveries skip it: endpoint_revoked, queue_not_granted or not_accepted."""

    endpoint: str
    queue: str
    state: str


@dataclass(frozen=True, slots=True)
class WebhookView:
    """A webhook as the CLI lists it."""

    name: str
    human: str
    verification: Verification
    kind: str
    title: str
    title_header: str | None
    state: str
    targets: tuple[TargetView, ...]
    created_at: datetime
    last_event_at: datetime | None


class Webhooks:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, human: Human, ask: NewWebhook) -> WebhookAccess:
        """A new webhook. Raises invalid_argument, or conflict when an active one has the name."""
        title, title_header = _checked(ask)
        token = new_credential(TOKEN_PREFIX, secrets.token_urlsafe)
        secret = new_secret(ask.verification, secrets.token_bytes)
        async with self._database.change() as connection:
            webhook_id = await statements.webhooks.add_webhook(
                connection,
                human_id=human.id,
                name=ask.name,
                token_hash=hash_of(token),
                verification=ask.verification.value,
                secret=secret,
                kind=ask.kind,
                title=title,
                title_header=title_header,
            )
            if webhook_id is None:
                raise SwitchboardError(
                    ErrorCode.CONFLICT, f"There is an active webhook named {ask.name} already.", field="name"
                )
            for index, target in enumerate(ask.targets):
                row = await statements.webhooks.target_queue(
                    connection, slug=target.endpoint, name=target.queue, human_id=human.id
                )
                if row is None:  # in the same words for what does not exist and for what is not open to this human
                    raise invalid(
                        f"targets[{index}]",
                        f"{target.endpoint}:{target.queue} is neither a queue of an active endpoint of yours "
                        "nor one whose owner accepts your webhooks.",
                    )
                await statements.webhooks.add_target(
                    connection, webhook_id=webhook_id, endpoint_id=row["endpoint_id"], queue_id=row["queue_id"]
                )
        return WebhookAccess(ask.name, token, secret)

    async def renew_secret(self, name: str, given: str | None = None) -> str:
        """A new signing secret in place of the old one, which ends at once: ours, or the one that the sender made.

        Raises not_found, invalid_argument, or conflict under token trust.
        """
        async with self._database.change() as connection:
            value = await statements.webhooks.verification_of(connection, name=name)
            if value is None:
                raise _unknown(name)
            verification = Verification(value)
            secret = new_secret(verification, secrets.token_bytes)
            if secret is None:
                raise SwitchboardError(
                    ErrorCode.CONFLICT, "This webhook's deliveries are not signed; its path is the secret."
                )
            if given is not None:
                fault = fault_of_secret(verification, given)
                if fault is not None:
                    raise invalid("secret", fault)
                secret = given
            if await statements.webhooks.set_secret(connection, name=name, secret=secret) is None:
                raise _unknown(name)
        return secret

    async def revoke(self, name: str) -> None:
        """Its path answers as one that never was; its todos and events stay. Raises not_found."""
        async with self._database.session() as connection:
            if await statements.webhooks.revoke_webhook(connection, name=name) is None:
                raise _unknown(name)

    async def list(self) -> tuple[WebhookView, ...]:
        async with self._database.change() as connection:
            rows = await statements.webhooks.webhooks(connection)
            targets = await statements.webhooks.targets(connection)
        return tuple(
            WebhookView(
                name=row["name"],
                human=row["human"],
                verification=Verification(row["verification"]),
                kind=row["kind"],
                title=row["title"],
                title_header=row["title_header"],
                state=row["state"],
                targets=tuple(
                    TargetView(target["endpoint"], target["queue"], target["state"])
                    for target in targets
                    if target["webhook_id"] == row["id"]
                ),
                created_at=row["created_at"],
                last_event_at=row["last_event_at"],
            )
            for row in rows
        )

    async def accept(self, human: Human, target: Target, sender: Human) -> None:
        """Opens a queue of `human`'s to every webhook of `sender`'s. Raises not_found, or conflict for one's own."""
        if human.id == sender.id:
            raise SwitchboardError(ErrorCode.CONFLICT, "Your own webhooks need no acceptance.")
        async with self._database.change() as connection:
            queue_id = await self._own_queue(connection, human, target)
            await statements.webhooks.accept_webhooks(connection, queue_id=queue_id, human_id=sender.id)

    async def stop_accepting(self, human: Human, target: Target, sender: Human) -> None:
        """From now on `sender`'s deliveries skip this queue; todos that are there stay. Raises not_found."""
        async with self._database.change() as connection:
            queue_id = await self._own_queue(connection, human, target)
            stopped = await statements.webhooks.stop_accepting_webhooks(
                connection, queue_id=queue_id, human_id=sender.id
            )
            if stopped is None:
                raise SwitchboardError(ErrorCode.NOT_FOUND, f"This queue accepts no webhooks of {sender.name}.")

    async def _own_queue(self, connection: object, human: Human, target: Target) -> int:
        queue_id: int | None = await statements.webhooks.own_queue(
            connection, slug=target.endpoint, name=target.queue, human_id=human.id
        )
        if queue_id is None:
            raise SwitchboardError(
                ErrorCode.NOT_FOUND, f"{human.name} owns no queue {target.endpoint}:{target.queue}.", field="target"
            )
        return queue_id


def _checked(ask: NewWebhook) -> tuple[str, str | None]:
    """The fixed title and the header to take it from. Raises invalid_argument."""
    if not _NAME.fullmatch(ask.name):
        raise invalid("name", "Use 1 to 63 lower-case letters, digits, dots, underscores and hyphens.")
    for field, text in (("kind", ask.kind), ("title", ask.title)):
        if text is not None and not (1 <= len(text) <= 200 and text.isprintable()):
            raise invalid(field, "Give 1 to 200 printable characters.")
    if ask.title is not None and ask.title_header is not None:
        raise invalid("title_header", "Give a fixed title or a header, not both.")
    if ask.title_header is not None and not _HEADER_NAME.fullmatch(ask.title_header):
        raise invalid("title_header", "Give a header's name, such as X-Event-Type.")
    if not 1 <= len(ask.targets) <= MAX_TARGETS:
        raise invalid("targets", f"Give 1 to {MAX_TARGETS} targets.")
    for index, target in enumerate(ask.targets):
        if any(other.endpoint == target.endpoint for other in ask.targets[:index]):
            raise invalid(f"targets[{index}]", f"{target.endpoint} is a target already; each endpoint gets one todo.")
    if ask.title is not None:
        return ask.title, None
    header = ask.title_header or EVENT_TYPE_HEADERS.get(ask.verification)
    return ask.name, None if header is None else header.lower()


def _unknown(name: str) -> SwitchboardError:
    return SwitchboardError(ErrorCode.NOT_FOUND, f"There is no active webhook named {name}.", field="name")
