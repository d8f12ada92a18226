"""Plain JSON values to frozen dataclasses, strictly: the dataclass is the schema.

A field without a default is required. `T | None` takes null, unless marked NOT_NULL (then None means "absent" only).
Unknown members are refused. Integers are never floats, booleans or strings. Every refusal is an `invalid_argument`
whose `field` is the path of the offending member.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, TypeVar

from .errors import invalid
from .instants import parse_instant

T = TypeVar("T")
Decode = Callable[[Any, str], Any]


@dataclass(frozen=True, slots=True)
class Between:
    """Bounds of an integer, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Length:
    """Bounds of a string's length in characters or of an array's in items, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Distinct:
    """The items of an array differ from each other."""


@dataclass(frozen=True, slots=True)
class NotNull:
    """The member may be absent, but null is refused."""


NOT_NULL = NotNull()
JsonObject = dict[str, Any]


def decode(shape: type[T], value: Any, path: str = "", *, refuse_unknown: bool = True) -> T:
    """`value` as an instance of the dataclass `shape`. Raises SwitchboardError(invalid_argument).

    Requests refuse unknown members. A client lets an answer's payload grow: `refuse_unknown=False` skips them.
    """
    result: T = _dataclass(typing.cast(Any, shape), refuse_unknown)(value, path)
    return result


@functools.cache
def _dataclass(shape: Any, refuse_unknown: bool) -> Decode:
    hints = typing.get_type_hints(shape, include_extras=True)
    members = {
        field.name: (
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
            _decoder(hints[field.name], refuse_unknown),
        )
        for field in dataclasses.fields(shape)
        if field.init
    }

    def run(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise invalid(path, "Give a JSON object.")
        for name in value:
            if refuse_unknown and name not in members:
                raise invalid(_join(path, name), "This field is unknown.")
        arguments = {}
        for name, (required, member) in members.items():
            if name in value:
                arguments[name] = member(value[name], _join(path, name))
            elif required:
                raise invalid(_join(path, name), "This field is required.")
        return shape(**arguments)

    return run


def _join(path: str, name: str) -> str:
    printable = name.encode("utf-8", "replace").decode("utf-8")[:200]
    return f"{path}.{printable}" if path else printable


def _decoder(hint: Any, refuse_unknown: bool) -> Decode:
    constraints: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *rest = typing.get_args(hint)
        constraints = tuple(rest)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType) and type(None) in args:
        (inner,) = [arg for arg in args if arg is not type(None)]
        return _optional(
            _decoder(Annotated[inner, *constraints] if constraints else inner, refuse_unknown), constraints
        )
    if hint is Any:
        return lambda value, path: value
    if hint is bool:
        return _bool
    if hint is int:
        return functools.partial(_int, bounds=_find(constraints, Between))
    if hint is str:
        return functools.partial(_str, bounds=_find(constraints, Length))
    if hint is datetime:
        return _instant
    if isinstance(hint, type) and issubclass(hint, Enum):
        return functools.partial(_enum, choices=hint)
    if dataclasses.is_dataclass(hint):
        return _dataclass(typing.cast(Any, hint), refuse_unknown)
    if origin is dict:
        return _object
    if origin is Mapping:
        return functools.partial(_mapping, member=_decoder(args[1], refuse_unknown))
    if origin is tuple and args[1:] == (...,):
        return functools.partial(
            _array,
            item=_decoder(args[0], refuse_unknown),
            bounds=_find(constraints, Length),
            distinct=_find(constraints, Distinct) is not None,
        )
    raise TypeError(f"no strict decoder for {hint!r}")


def _find(constraints: tuple[Any, ...], kind: type[T]) -> T | None:
    return next((constraint for constraint in constraints if isinstance(constraint, kind)), None)


def _optional(inner: Decode, constraints: tuple[Any, ...]) -> Decode:
    refuse_null = _find(constraints, NotNull) is not None

    def run(value: Any, path: str) -> Any:
        if value is None:
            if refuse_null:
                raise invalid(path, "This field may be left out, but not be null.")
            return None
        return inner(value, path)

    return run


def _bool(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise invalid(path, "Give true or false.")
    return value


def _int(value: Any, path: str, bounds: Between | None) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid(path, "Give a whole number." if bounds is None else _whole(bounds))
    if bounds is not None and not bounds.low <= value <= bounds.high:
        raise invalid(path, _whole(bounds))
    return value


def _whole(bounds: Between) -> str:
    return f"Give a whole number from {bounds.low} to {bounds.high}."


def _str(value: Any, path: str, bounds: Length | None) -> str:
    if not isinstance(value, str):
        raise invalid(path, "Give a string.")
    if bounds is not None and not bounds.low <= len(value) <= bounds.high:
        raise invalid(path, f"Give {bounds.low} to {bounds.high} characters.")
    if "\x00" in value:
        raise invalid(path, "The character NUL is not allowed.")
    return value


def _instant(value: Any, path: str) -> datetime:
    if not isinstance(value, str):
        raise invalid(path, "Give a date and time with an offset, such as 2026-11-02T08:00:00Z.")
    try:
        return parse_instant(value)
    except ValueError as error:
        raise invalid(path, str(error)) from error


def _enum(value: Any, path: str, choices: type[Enum]) -> Enum:
    if isinstance(value, str):
        for choice in choices:
            if choice.value == value:
                return choice
    raise invalid(path, f"Give one of: {', '.join(str(choice.value) for choice in choices)}.")


def _object(value: Any, path: str) -> Any:
    if not isinstance(value, dict):
        raise invalid(path, "Give a JSON object.")
    return value


def _mapping(value: Any, path: str, member: Decode) -> Any:
    return {name: member(item, _join(path, name)) for name, item in _object(value, path).items()}


def _array(value: Any, path: str, item: Decode, bounds: Length | None, distinct: bool) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise invalid(path, "Give an array.")
    if bounds is not None and not bounds.low <= len(value) <= bounds.high:
        raise invalid(path, f"Give {bounds.low} to {bounds.high} items.")
    items = tuple(item(member, f"{path}[{index}]") for index, member in enumerate(value))
    if distinct:
        seen: set[Any] = set()
        for index, member in enumerate(items):
            if member in seen:
                raise invalid(f"{path}[{index}]", "This item is given twice.")
            seen.add(member)
    return items
