"""Answers in JSON: dataclasses straight to bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.responses import Response

from switchboard.core.raw_json import RawJson
from switchboard_wire.errors import SwitchboardError

JSON_HEADERS = {"cache-control": "no-store"}


def _default(value: Any) -> Any:
    if isinstance(value, RawJson):
        return orjson.Fragment(value.text)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def encode(value: Any) -> bytes:
    return orjson.dumps(value, _default, orjson.OPT_UTC_Z)


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Never cached: every answer is of its moment and of its reader."""
    return encoded_answer(encode(value), status, headers)


def encoded_answer(content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """As json_answer, of what is encoded already."""
    return Response(content, status, headers=JSON_HEADERS | dict(headers or {}), media_type="application/json")


def error_answer(error: SwitchboardError) -> Response:
    headers = {}
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    return json_answer(error.body(), error.status, headers)
