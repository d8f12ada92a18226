"""Hypothesis strategies for the contract's dataclasses, read off their own type hints and bounds."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any

from hypothesis import strategies as st

from switchboard_wire.encode import to_plain
from switchboard_wire.shape import Between, Distinct, Length, NotNull

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(CHARACTERS, max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(CHARACTERS, max_size=8), inner, max_size=3),
    max_leaves=5,
)


def values_of(shape: type[Any]) -> st.SearchStrategy[Any]:
    """Instances of the dataclass `shape` that its own decoder must accept."""
    hints = typing.get_type_hints(shape, include_extras=True)
    return st.builds(shape, **{field.name: _values(hints[field.name]) for field in dataclasses.fields(shape)})


def request_members(value: Any) -> dict[str, Any]:
    """The JSON members that ask for `value`: a null that would be refused is left out."""
    hints = typing.get_type_hints(type(value), include_extras=True)
    members = {}
    for field in dataclasses.fields(value):
        member = getattr(value, field.name)
        if member is None and any(isinstance(one, NotNull) for one in typing.get_args(hints[field.name])[1:]):
            continue
        members[field.name] = _member(member)
    return members


def _member(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return request_members(value)
    return [_member(item) for item in value] if isinstance(value, tuple) else to_plain(value)


def _values(hint: Any) -> st.SearchStrategy[Any]:
    constraints: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *rest = typing.get_args(hint)
        constraints = tuple(rest)
    between = next((one for one in constraints if isinstance(one, Between)), Between(-(2**63), 2**63 - 1))
    length = next((one for one in constraints if isinstance(one, Length)), Length(0, 5))
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        (inner,) = [one for one in arguments if one is not type(None)]
        return st.none() | _values(Annotated[inner, *constraints] if constraints else inner)
    if hint is Any:
        return JSON_VALUES
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.integers(between.low, between.high)
    if hint is str:
        return st.text(CHARACTERS, min_size=length.low, max_size=min(length.high, length.low + 12))
    if hint is datetime:
        return st.datetimes(timezones=st.just(UTC))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    if dataclasses.is_dataclass(hint):
        return values_of(typing.cast(type[Any], hint))
    if origin is Mapping:
        return st.dictionaries(st.text(CHARACTERS, max_size=8), _values(arguments[1]), max_size=3)
    if origin is tuple:
        distinct = any(isinstance(one, Distinct) for one in constraints)
        most = min(length.high, max(length.low, 3))
        return st.lists(_values(arguments[0]), min_size=length.low, max_size=most, unique=distinct).map(tuple)
    raise TypeError(f"no values for {hint!r}")
