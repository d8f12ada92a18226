"""Dataclasses back to JSON text, for whoever has no faster encoder (the tab, the CLI, tests)."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime
from enum import Enum
from typing import Any

from .instants import format_instant


def to_plain(value: Any) -> Any:
    """Dataclasses, tuples, enums and instants as JSON values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: to_plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(member) for member in value]
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, Enum):
        return value.value
    return value


def encode_json(value: Any) -> str:
    """Compact JSON text."""
    return json.dumps(to_plain(value), ensure_ascii=False, separators=(",", ":"))
