"""JSON text that passes through untouched, from the column to the answer's bytes."""

from __future__ import annotations


class RawJson:
    """One JSON text. The encoder splices it in, so that payloads are never parsed on their way out."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


JSON_NULL = RawJson("null")
