"""What commands print: text for people, or one JSON document with --json."""

from __future__ import annotations

import json
from typing import Any

import typer

from switchboard_wire.encode import to_plain


def print_json(value: Any) -> None:
    typer.echo(json.dumps(to_plain(value), ensure_ascii=False, indent=2))
