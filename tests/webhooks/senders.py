"""Senders of webhooks, with signatures made by hand: the code under test signs nothing here."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from typing import Any

JSON = {"content-type": "application/json"}


def standard(
    secret: str, body: bytes, *, delivery: str = "msg_1", age: float = 0, at: int | None = None
) -> dict[str, str]:
    """The headers of a Standard Webhooks delivery, signed `age` seconds ago or at the second `at`."""
    timestamp = str(int(time.time() - age) if at is None else at)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = hmac.new(key, f"{delivery}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return JSON | {
        "webhook-id": delivery,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }


def github(
    secret: str, body: bytes, *, delivery: str = "5d3f8f40-0001", event: str = "push", **more: Any
) -> dict[str, str]:
    """The headers of a GitHub delivery."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return JSON | {
        "x-github-event": event,
        "x-github-delivery": delivery,
        "x-hub-signature-256": f"sha256={digest}",
        **more,
    }
