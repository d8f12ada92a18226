"""Named facts, one below the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reactpy import html

UNKNOWN = "unknown"


def facts(named: Iterable[tuple[str, Any]]) -> Any:
    """A description list; None is worded as unknown, never left out and never 0."""
    return html.dl(
        {"class": "facts"},
        *(
            html.div({"key": name}, html.dt(name), html.dd(UNKNOWN if value is None else value))
            for name, value in named
        ),
    )
