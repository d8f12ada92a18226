"""Columns over time as they are drawn: heights, and every word that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """`label` tells its time, `text` its value in words. `height` is a fraction of the chart's, None: not known."""

    label: str
    text: str
    height: float | None
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Oldest column first. `top` words the value at full height; `limit` a line at a fraction of it, with its words.

    `summary` says in sentences what the picture shows.
    """

    heading: str
    summary: str
    columns: tuple[Column, ...]
    top: str
    limit: tuple[float, str] | None = None


def heights(values: Sequence[float | None], ceiling: float) -> list[float | None]:
    """Fractions of the ceiling, from a zero base; a ceiling of 0 leaves all of them on the ground."""
    return [None if value is None else (value / ceiling if ceiling else 0.0) for value in values]
