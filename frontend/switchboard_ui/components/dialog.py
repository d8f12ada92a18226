"""A modal dialog: the browser keeps focus in it and closes it with Escape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import event, html


def dialog(name: str, heading: str, on_close: Callable[[Any], None], *content: Any) -> Any:
    """Shown for as long as it is rendered (the renderer opens each dialog as a modal one).

    `name` becomes its id. Focus it leaves is the caller's to place: `tab.focus(id)` of the control that opened it.
    """

    @event(prevent_default=True)
    def cancelled(happened: Any) -> None:
        # The browser would close it by itself, and the model would not know.
        on_close(happened)

    return html.dialog(
        {"id": name, "key": name, "class": "dialog", "aria-labelledby": f"{name}-heading", "onCancel": cancelled},
        html.h2({"id": f"{name}-heading", "tabindex": "-1", "autofocus": True}, heading),
        *content,
    )
