"""Strict JSON text to plain values: what a permissive parser would let through is refused here.

Refused: non-UTF-8, a byte order mark, duplicate keys, NaN and Infinity (also by overflow), lone surrogates, NUL in
strings, nesting beyond a bound, integers of absurd length, trailing data. Every refusal is an `invalid_argument`.
"""

from __future__ import annotations

import functools
import json
import math
import re
from typing import Any

from .errors import invalid

MAX_NESTING = 16
# The database writes the largest double as an integer of 309 digits; what is longer is an attack.
MAX_INTEGER_DIGITS = 320

# Strings are consumed whole, so that brackets inside them do not count.
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def decode_json(text: bytes | str, *, max_nesting: int = MAX_NESTING, max_integer: int | None = None) -> Any:
    """The value of one JSON text. Raises SwitchboardError(invalid_argument).

    `max_integer` bounds the magnitude of integers: the tab refuses what a browser would round (D4).
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise invalid("", f"The body is not UTF-8 (byte {error.start}).") from error
    else:
        _check_string(text)
    _check_nesting(text, max_nesting)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=functools.partial(_int, bound=max_integer),
        )
    except json.JSONDecodeError as error:
        raise invalid(
            "", f"The body is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})."
        ) from error
    if "\\u" in text:  # only an escape can smuggle these in
        _check_strings(value)
    return value


def _check_nesting(text: str, bound: int) -> None:
    depth = 0
    for match in _STRUCTURE.finditer(text):
        token = match.group()
        if token in "[{":
            depth += 1
            if depth > bound:
                raise invalid("", f"The body is nested deeper than {bound} levels.")
        elif token in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise invalid(_printable(name), "The key is given twice in one object.")
            seen.add(name)
    return members


def _constant(name: str) -> Any:
    raise invalid("", f"{name} is not a JSON number.")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise invalid("", "A number in the body is too large.")
    return number


def _int(text: str, bound: int | None) -> int:
    if len(text) > MAX_INTEGER_DIGITS:
        raise invalid("", "A number in the body is too large.")
    number = int(text)
    if bound is not None and abs(number) > bound:
        raise invalid("", f"The number {number} is beyond {bound}, which this client holds exactly.")
    return number


def _check_strings(value: Any) -> None:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            _check_string(item)
        elif isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend(item.keys())
            pending.extend(item.values())


def _check_string(text: str) -> None:
    if "\x00" in text:
        raise invalid("", "The body contains the character NUL.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise invalid("", "The body contains half of a surrogate pair.") from error


def _printable(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")[:200]
