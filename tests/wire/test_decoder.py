"""The strict decoder gives what a JSON text says, and answers anything else with one kind of refusal."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_wire.decoder import decode_json
from switchboard_wire.errors import ErrorCode, SwitchboardError

CHARACTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | CHARACTERS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(CHARACTERS, inner, max_size=4),
    max_leaves=12,
)


def refusal_of(text: bytes | str) -> SwitchboardError | None:
    try:
        decode_json(text)
    except SwitchboardError as refusal:
        return refusal
    return None


def depth(value: Any) -> int:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (1 if isinstance(value, dict | list) else 0) + max((depth(member) for member in members), default=0)


@given(VALUES.filter(lambda value: depth(value) <= 16), st.booleans(), st.sampled_from([None, 2]))
def test_what_json_writes_is_read_back(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert decode_json(text) == value
    assert decode_json(text.encode()) == value


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_any_bytes_are_read_or_refused_as_invalid_argument(text: bytes | str) -> None:
    refusal = refusal_of(text)
    assert refusal is None or (refusal.code is ErrorCode.INVALID_ARGUMENT and refusal.field)


@given(st.text(st.sampled_from('[]{}",:\\u0d8e1 ntf-.'), max_size=60))
def test_what_looks_like_json_is_read_or_refused_as_invalid_argument(text: str) -> None:
    refusal = refusal_of(text)
    assert refusal is None or refusal.code is ErrorCode.INVALID_ARGUMENT


def test_integers_and_floats_are_told_apart() -> None:
    one, point, exponent, minus = decode_json(b"[1, 1.0, 1e0, -0]")
    assert [type(number) for number in (one, point, exponent, minus)] == [int, float, float, int]


def test_a_number_that_underflows_is_zero_not_an_error() -> None:
    assert decode_json(b"1e-999") == 0.0
    assert math.copysign(1, decode_json(b"-1e-999")) == -1


@pytest.mark.parametrize("bound", [1, 16, 64])
def test_nesting_is_allowed_up_to_the_bound_and_not_beyond(bound: int) -> None:
    decode_json(b"[" * bound + b"]" * bound, max_nesting=bound)
    with pytest.raises(SwitchboardError, match=f"deeper than {bound} levels"):
        decode_json(b"[" * (bound + 1) + b"]" * (bound + 1), max_nesting=bound)


def test_deep_nesting_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(SwitchboardError, match="deeper than 16 levels"):
        decode_json(b'{"a":' * 200_000)


@pytest.mark.parametrize("text", [b"9007199254740992", b'{"ids":[1,-9007199254740992]}'])
def test_the_tab_refuses_an_integer_that_a_browser_would_round(text: bytes) -> None:
    with pytest.raises(SwitchboardError, match="beyond 9007199254740991"):
        decode_json(text, max_integer=2**53 - 1)


def test_the_tab_takes_every_integer_that_a_browser_holds() -> None:
    assert decode_json(b"[9007199254740991, -9007199254740991]", max_integer=2**53 - 1) == [2**53 - 1, -(2**53) + 1]


def test_the_name_of_a_duplicate_key_is_cut_to_a_printable_size() -> None:
    with pytest.raises(SwitchboardError) as refusal:
        decode_json(json.dumps("k" * 5000).join(["{", ":1,", ":2}"]))
    assert refusal.value.field == "k" * 200
