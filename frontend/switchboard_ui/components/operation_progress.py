"""How far an operation is: a bar beside its numbers, and words alone while the whole is not known."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.core.operations_view import Progress


def operation_progress(name: str, progress: Progress) -> Any:
    """`name` is the id of the words, which name the bar."""
    words = html.span({"id": name}, progress.text)
    if not progress.total:
        return html.span({"class": "progress"}, words)
    return html.span(
        {"class": "progress"},
        html.progress({"value": str(progress.done), "max": str(progress.total), "aria-labelledby": name}),
        " ",
        words,
    )
