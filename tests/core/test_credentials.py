"""A credential is 32 random bytes behind a prefix that says what it is for; only its hash is kept."""

from __future__ import annotations

import hashlib

from switchboard.core.credentials import ENDPOINT_PREFIX, OPERATOR_PREFIX, SESSION_PREFIX, hash_of, new_credential


def test_a_new_credential_asks_for_32_bytes_and_carries_its_prefix() -> None:
    asked: list[int] = []

    def random_text(size: int) -> str:
        asked.append(size)
        return "random"

    assert new_credential(ENDPOINT_PREFIX, random_text) == "sbk_random"
    assert asked == [32]
    assert len({ENDPOINT_PREFIX, OPERATOR_PREFIX, SESSION_PREFIX}) == 3


def test_what_is_stored_is_the_sha_256_of_the_whole_credential() -> None:
    assert hash_of("sbk_random") == hashlib.sha256(b"sbk_random").digest()
