"""The query string of a GET, as strict as a body: unknown, repeated and empty parameters are refused."""

from __future__ import annotations

import dataclasses
import re
import typing
from typing import Annotated, Any, TypeVar
from urllib.parse import unquote_plus

from .errors import invalid
from .shape import decode

T = TypeVar("T")

_DIGITS = re.compile(r"-?[0-9]{1,19}", re.ASCII)


def decode_parameters(shape: type[T], query: str) -> T:
    """The raw query string as the dataclass `shape`, whose fields are strings, enums, instants or integers.

    Raises SwitchboardError(invalid_argument) that names the parameter.
    """
    whole = _integers(shape)
    members: dict[str, Any] = {}
    for part in query.split("&") if query else ():
        raw_name, _, raw = part.partition("=")
        name, text = _text(raw_name, "query"), _text(raw, raw_name)
        if not name:
            raise invalid("query", "A parameter has no name.")
        if name in members:
            raise invalid(name, "This parameter is given twice.")
        if not text:
            raise invalid(name, "This parameter is empty; leave it out instead.")
        members[name] = int(text) if name in whole and _DIGITS.fullmatch(text) else text
    return decode(shape, members)


def _text(raw: str, name: str) -> str:
    try:
        return unquote_plus(raw, errors="strict")
    except UnicodeDecodeError as error:
        raise invalid(name[:200], "This is not UTF-8.") from error


def _integers(shape: Any) -> frozenset[str]:
    hints = typing.get_type_hints(shape, include_extras=True)
    return frozenset(field.name for field in dataclasses.fields(shape) if int in _types(hints[field.name]))


def _types(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) is Annotated:
        hint = typing.get_args(hint)[0]
    return typing.get_args(hint) or (hint,)
