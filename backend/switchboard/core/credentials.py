"""Credentials: shown once, stored as a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

ENDPOINT_PREFIX, OPERATOR_PREFIX, SESSION_PREFIX = "sbk_", "sbo_", "sbs_"
SECRET_BYTES = 32

RandomText = Callable[[int], str]  # secrets.token_urlsafe, or a test's stand-in


def new_credential(prefix: str, random_text: RandomText) -> str:
    """A fresh credential of 32 random bytes; what it is for shows in its prefix."""
    return prefix + random_text(SECRET_BYTES)


def hash_of(credential: str) -> bytes:
    """What is stored. The secret has 256 random bits, so that one round of SHA-256 is enough."""
    return hashlib.sha256(credential.encode()).digest()
