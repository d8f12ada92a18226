"""What vouches for a webhook's delivery: a signature by one of two schemes, or the secret path alone."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Mapping
from enum import StrEnum

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

RandomBytes = Callable[[int], bytes]  # secrets.token_bytes, or a test's stand-in
Headers = Mapping[str, str]  # names in lower case; repeated ones joined by ", "

SECRET_BYTES = 32
# Standard Webhooks asks for 24 bytes at least. GitHub takes any text; shorter ones can be guessed from one delivery.
MIN_STANDARD_BYTES, MIN_GITHUB_CHARACTERS, MAX_SECRET = 24, 16, 500
_STANDARD_PREFIX = "whsec_"
_GITHUB_PREFIX = "sha256="


class Verification(StrEnum):
    """How deliveries of a webhook are verified."""

    STANDARD = "standard"
    GITHUB = "github"
    TOKEN = "token"


# The header that tells one delivery from another, and the one that names the event, where the scheme has one.
DELIVERY_ID_HEADERS: Mapping[Verification, str] = {
    Verification.STANDARD: "webhook-id",
    Verification.GITHUB: "x-github-delivery",
    Verification.TOKEN: "idempotency-key",
}
EVENT_TYPE_HEADERS: Mapping[Verification, str] = {Verification.GITHUB: "x-github-event"}


def new_secret(verification: Verification, random_bytes: RandomBytes) -> str | None:
    """A fresh signing secret in the scheme's own form; None where nothing is signed."""
    match verification:
        case Verification.STANDARD:
            return _STANDARD_PREFIX + base64.b64encode(random_bytes(SECRET_BYTES)).decode()
        case Verification.GITHUB:
            return base64.urlsafe_b64encode(random_bytes(SECRET_BYTES)).decode().rstrip("=")
        case Verification.TOKEN:
            return None


def fault_of_secret(verification: Verification, secret: str) -> str | None:
    """Why a secret that a sender made cannot be used, in a sentence; None when it can."""
    if len(secret) > MAX_SECRET or not (secret.isascii() and secret.isprintable()):
        return f"Give at most {MAX_SECRET} printable ASCII characters."
    if verification is Verification.GITHUB:
        if len(secret) < MIN_GITHUB_CHARACTERS:
            return f"Give at least {MIN_GITHUB_CHARACTERS} characters."
        return None
    try:
        encoded = secret.removeprefix(_STANDARD_PREFIX)
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except binascii.Error:
        return f"Give base64, as the sender shows it, with or without {_STANDARD_PREFIX}."
    return None if len(key) >= MIN_STANDARD_BYTES else f"Give at least {MIN_STANDARD_BYTES} bytes in base64."


def signature_stands(verification: Verification, secret: str, headers: Headers, body: bytes) -> bool:
    """Whether the body was signed under the secret, and for Standard Webhooks within five minutes of now."""
    match verification:
        case Verification.STANDARD:
            return _standard_stands(secret, headers, body)
        case Verification.GITHUB:
            return _github_stands(secret, headers.get("x-hub-signature-256", ""), body)
        case Verification.TOKEN:
            raise ValueError("nothing is signed under token trust")


def _standard_stands(secret: str, headers: Headers, body: bytes) -> bool:
    """The library reads the server's clock for its tolerance: that only bounds replays and decides no budget (D12)."""
    try:
        Webhook(secret).verify(body, dict(headers), json_parse=False)
    except (WebhookVerificationError, ValueError):
        # ValueError: a signature list, base64 or a body in which the library cannot look for a signature at all
        return False
    return True


def _github_stands(secret: str, given: str, body: bytes) -> bool:
    expected = _GITHUB_PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), given.encode())
