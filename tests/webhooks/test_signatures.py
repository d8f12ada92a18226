"""Signatures by themselves: published examples, and whatever a sender may put into the headers."""

from __future__ import annotations

import pytest

from switchboard.core.webhook_signatures import Verification, fault_of_secret, new_secret, signature_stands

from . import senders

STANDARD_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
GITHUB_SECRET = "It's a Secret to Everybody"


def test_the_hand_made_sender_agrees_with_the_published_example_of_standard_webhooks() -> None:
    headers = senders.standard(
        STANDARD_SECRET, b'{"test": 2432232314}', delivery="msg_p5jXN8AQM9LWM0D4loKWxJek", at=1614265330
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_githubs_published_example_stands() -> None:
    headers = {"x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}
    assert signature_stands(Verification.GITHUB, GITHUB_SECRET, headers, b"Hello, World!")
    assert not signature_stands(Verification.GITHUB, GITHUB_SECRET, headers, b"Hello, World?")
    assert not signature_stands(Verification.GITHUB, GITHUB_SECRET + ".", headers, b"Hello, World!")


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "sha256=",
        "sha1=0123",
        "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        "sha256=é\xff",
    ],
)
def test_any_other_github_signature_does_not(given: str | None) -> None:
    headers = {} if given is None else {"x-hub-signature-256": given}
    assert not signature_stands(Verification.GITHUB, GITHUB_SECRET, headers, b"Hello, World!")


@pytest.mark.parametrize(("age", "stands"), [(0, True), (290, True), (-290, True), (310, False), (-310, False)])
def test_a_standard_signature_stands_within_five_minutes(age: float, stands: bool) -> None:
    headers = senders.standard(STANDARD_SECRET, b"{}", age=age)
    assert signature_stands(Verification.STANDARD, STANDARD_SECRET, headers, b"{}") is stands


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-id", "msg_2"),
        ("webhook-id", ""),
        ("webhook-timestamp", "nan"),
        ("webhook-timestamp", "inf"),
        ("webhook-timestamp", "yesterday"),
        ("webhook-timestamp", "9" * 400),
        ("webhook-signature", ""),
        ("webhook-signature", "v1"),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v1,a"),
        ("webhook-signature", "v1,a,b"),
        ("webhook-signature", "v1a,AAAA"),
        ("webhook-signature", "v1,é"),
        ("webhook-signature", "v1," + "A" * 43 + "="),
    ],
)
def test_a_changed_standard_header_does_not(name: str, value: str) -> None:
    headers = senders.standard(STANDARD_SECRET, b"{}") | {name: value}
    assert not signature_stands(Verification.STANDARD, STANDARD_SECRET, headers, b"{}")


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_every_standard_header_is_needed(name: str) -> None:
    headers = senders.standard(STANDARD_SECRET, b"{}")
    del headers[name]
    assert not signature_stands(Verification.STANDARD, STANDARD_SECRET, headers, b"{}")


def test_one_of_several_standard_signatures_is_enough_while_a_sender_rotates_its_secret() -> None:
    headers = senders.standard(STANDARD_SECRET, b"{}")
    headers["webhook-signature"] = f"v1,{'A' * 43}= {headers['webhook-signature']}"
    assert signature_stands(Verification.STANDARD, STANDARD_SECRET, headers, b"{}")


def test_a_body_that_is_not_text_has_no_standard_signature() -> None:
    headers = senders.standard(STANDARD_SECRET, b"\xff")
    assert not signature_stands(Verification.STANDARD, STANDARD_SECRET, headers, b"\xff")


def test_new_secrets_have_the_form_of_their_scheme() -> None:
    assert new_secret(Verification.STANDARD, bytes) == "whsec_" + "A" * 43 + "="
    assert new_secret(Verification.GITHUB, bytes) == "A" * 43
    assert new_secret(Verification.TOKEN, bytes) is None


@pytest.mark.parametrize("verification", [Verification.STANDARD, Verification.GITHUB])
def test_new_secrets_are_good_ones(verification: Verification) -> None:
    secret = new_secret(verification, bytes)
    assert secret is not None
    assert fault_of_secret(verification, secret) is None


@pytest.mark.parametrize(
    ("verification", "secret", "good"),
    [
        (Verification.STANDARD, STANDARD_SECRET, True),
        (Verification.STANDARD, STANDARD_SECRET.removeprefix("whsec_"), True),
        (Verification.STANDARD, "whsec_" + "A" * 30, False),
        (Verification.STANDARD, "whsec_not base64, although long enough to be one", False),
        (Verification.STANDARD, "", False),
        (Verification.GITHUB, GITHUB_SECRET, True),
        (Verification.GITHUB, "hunter2", False),
        (Verification.GITHUB, "a" * 501, False),
        (Verification.GITHUB, "sixteen bytes, ü", False),
    ],
)
def test_a_senders_own_secret_is_checked(verification: Verification, secret: str, good: bool) -> None:
    assert (fault_of_secret(verification, secret) is None) is good
