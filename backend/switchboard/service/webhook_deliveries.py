"""Deliveries of webhooks: verified, recorded once, and made into a todo for each target."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta

import orjson
import structlog

from switchboard.core.credentials import hash_of
from switchboard.core.webhook_signatures import DELIVERY_ID_HEADERS, Headers, Verification, signature_stands
from switchboard.store import statements
from switchboard.store.database import Database
from switchboard_wire.decoder import decode_json
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid

from .webhooks import TOKEN_PREFIX

log = structlog.get_logger(__name__)

MAX_DELIVERY_ID = MAX_TITLE = 200
PAYLOAD_NESTING = 64
KEEP_EVENTS = timedelta(days=30)
BATCH = 500
# The event may be forgotten between the refused insert and the look; then the insert is tried again.
MAX_ROUNDS = 2


@dataclass(frozen=True, slots=True, repr=False)  # it holds the secret
class Webhook:
    """An active webhook, as a delivery needs it. `key` is what the path's token was stored as."""

    id: int
    key: bytes
    name: str
    verification: Verification
    secret: str | None
    title: str
    title_header: str | None


@dataclass(frozen=True, slots=True)
class Delivered:
    """`todos` counts what this delivery made, `skipped` the targets that take none now.

    `duplicate`: the event stood before, and nothing was made.
    """

    event_id: int
    todos: int
    skipped: int
    duplicate: bool


class WebhookDeliveries:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def webhook(self, token: str) -> Webhook:
        """Raises not_found, in the same words for a token that never was and for a revoked one."""
        if not token.startswith(TOKEN_PREFIX):
            raise unknown_webhook()
        key = hash_of(token)
        async with self._database.session() as connection:
            row = await statements.webhooks.webhook_by_token(connection, token_hash=key)
        if row is None:
            raise unknown_webhook()
        return Webhook(
            id=row["id"],
            key=key,
            name=row["name"],
            verification=Verification(row["verification"]),
            secret=row["secret"],
            title=row["title"],
            title_header=row["title_header"],
        )

    async def deliver(self, webhook: Webhook, headers: Headers, body: bytes) -> Delivered:
        """Commits the event with all its todos, or nothing. Raises unauthenticated or invalid_argument.

        The configured webhook alone says where the todos go; of the delivery come payload, title and delivery id.
        """
        if webhook.secret is not None and not signature_stands(webhook.verification, webhook.secret, headers, body):
            log.warning("webhook_signature_refused", webhook=webhook.name)
            raise SwitchboardError(
                ErrorCode.UNAUTHENTICATED, "The signature is missing, is not of this body and secret, or is too old."
            )
        payload = _payload(webhook.verification, headers, body)
        delivery_id = _delivery_id(webhook.verification, headers, body)
        async with self._database.transaction() as connection:
            await statements.webhooks.bound_lock_wait(connection)
            if not await statements.webhooks.storable(connection, body=payload):
                raise invalid("", "A number in the body is too large or too fine to be kept.")
            for _ in range(MAX_ROUNDS):
                row = await statements.webhooks.record_delivery(
                    connection,
                    webhook_id=webhook.id,
                    delivery_id=delivery_id,
                    body=payload,
                    idempotency_key=_idempotency_key(webhook, delivery_id),
                    title=_title(webhook, headers),
                )
                if row is not None:
                    return Delivered(row["event_id"], row["todos"], row["skipped"], duplicate=False)
                event_id = await statements.webhooks.recorded_event(
                    connection, webhook_id=webhook.id, delivery_id=delivery_id
                )
                if event_id is not None:
                    return Delivered(event_id, todos=0, skipped=0, duplicate=True)
        raise unknown_webhook()  # revoked while its body arrived


class WebhookRetention:
    """Forgets events after 30 days, but none whose todos are still to be done."""

    def __init__(self, database: Database, *, keep: timedelta = KEEP_EVENTS) -> None:
        self._database = database
        self._keep = keep

    async def run_once(self) -> bool:
        async with self._database.session() as connection:
            count = await statements.webhooks.forget_events(connection, age=self._keep, batch=BATCH)
        if count:
            log.info("webhook_events_forgotten", count=count)
        return bool(count >= BATCH)


def unknown_webhook() -> SwitchboardError:
    return SwitchboardError(ErrorCode.NOT_FOUND, "There is no such webhook.")


def _payload(verification: Verification, headers: Headers, body: bytes) -> str:
    """The body as JSON text: as it was sent, so that no number is rounded; text is one JSON string."""
    mime = headers.get("content-type", "").partition(";")[0].strip().lower()
    if verification is not Verification.TOKEN:
        if mime == "application/x-www-form-urlencoded" or body.startswith(b"payload="):
            raise invalid(
                "Content-Type",
                "Form-encoded deliveries are refused; set the sender's content type to application/json.",
            )
    elif mime != "application/json" and not mime.endswith("+json"):
        return _text(body)
    decode_json(body, max_nesting=PAYLOAD_NESTING)
    return body.decode()


def _text(body: bytes) -> str:
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise invalid("", f"The body is neither declared as JSON nor UTF-8 text (byte {error.start}).") from error
    if "\x00" in text:
        raise invalid("", "The body contains the character NUL.")
    return orjson.dumps(text).decode()


def _delivery_id(verification: Verification, headers: Headers, body: bytes) -> str:
    name = DELIVERY_ID_HEADERS[verification]
    given = headers.get(name)
    if given is None:
        if verification is Verification.TOKEN:
            return f"sha256:{hashlib.sha256(body).hexdigest()}"
        raise invalid(name, "This header is required: it tells a redelivery from a new delivery.")
    if not (1 <= len(given) <= MAX_DELIVERY_ID and given.isascii() and given.isprintable()):
        raise invalid(name, f"Give 1 to {MAX_DELIVERY_ID} printable ASCII characters.")
    return given


def _idempotency_key(webhook: Webhook, delivery_id: str) -> str:
    """Of webhook and delivery, and not to be guessed: a worker that took the key first would swallow the delivery."""
    digest = hashlib.sha256(webhook.key + delivery_id.encode()).hexdigest()
    return f"webhook:{webhook.id}:{digest}"


def _title(webhook: Webhook, headers: Headers) -> str:
    """The event's type as its header names it, where that is the rule and there is one; else the fixed text."""
    given = headers.get(webhook.title_header, "") if webhook.title_header else ""
    printable = "".join(character for character in given if character.isprintable()).strip()
    return printable[:MAX_TITLE] or webhook.title
