"""A button that changes something: asks first where that is wise, sends once, and tells what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactpy import component, html, use_ref, use_state

from switchboard_ui.components.dialog import dialog
from switchboard_ui.core.actions import Done, Mutation, Refused
from switchboard_ui.core.page_context import PageContext


@dataclass(frozen=True)
class Confirmation:
    """`heading` asks, `content` names the set that is meant, `yes` repeats the verb."""

    heading: str
    content: tuple[Any, ...]
    yes: str
    no: str = "Leave it as it is"


@component
def action(
    context: PageContext,
    name: str,
    label: str,
    mutation: Mutation[Any],
    told: Callable[[Any], str],
    confirmation: Confirmation | None = None,
    *,
    about: str = "",
    danger: bool = False,
    blocked: str | None = None,
) -> Any:
    """`name` becomes the button's id; `told` words the answer ("3 todos are pending again").

    `about` names the row to those who hear the button alone: "Retry" of "todo 7". `blocked`: why it cannot be done now;
    the button stays where it is, and says so when it is pressed. On a read-only server: nothing.
    """
    asking, set_asking = use_state(False)
    sending, set_sending = use_state(False)
    outcome, set_outcome = use_state(("", ""))
    busy = use_ref(False)

    def refuse(_: Any) -> None:
        set_outcome(("refused", blocked or ""))
        context.voice.answer(blocked or "")

    def act(_: Any) -> None:
        if busy.current:
            # A second click before the button could be disabled.
            return
        busy.current = True
        set_asking(False)
        set_sending(True)
        set_outcome(("", ""))
        context.ports.tab.focus(name)
        context.actions.send(mutation, done)

    def done(result: Done[Any] | Refused) -> None:
        busy.current = False
        set_sending(False)
        refused = isinstance(result, Refused)
        text = result.text if isinstance(result, Refused) else told(result.answer)
        set_outcome(("refused" if refused else "done", text))
        context.voice.answer(text)

    def ask(_: Any) -> None:
        set_asking(True)

    def leave(_: Any) -> None:
        set_asking(False)
        context.ports.tab.focus(name)

    if context.read_only:
        return ""
    kind, text = outcome
    return html.span(
        {"class": "action"},
        html.button(
            {
                "type": "button",
                "id": name,
                "class": "danger" if danger else None,
                # Not disabled: that would lose the focus.
                "aria-disabled": "true" if sending or blocked else None,
                "onClick": refuse if blocked else act if confirmation is None else ask,
            },
            f"{label}…" if sending else label,
            html.span({"class": "unseen"}, f" {about}") if about else "",
        ),
        html.span({"class": f"outcome {kind}", "id": f"{name}-outcome"}, text) if text else "",
        _confirm(name, confirmation, act, leave, danger) if asking and confirmation is not None else "",
    )


def _confirm(
    name: str, asked: Confirmation, on_yes: Callable[[Any], Any], on_no: Callable[[Any], None], danger: bool
) -> Any:
    return dialog(
        f"{name}-dialog",
        asked.heading,
        on_no,
        *asked.content,
        html.div(
            {"class": "actions"},
            html.button(
                {
                    "type": "button",
                    "id": f"{name}-yes",
                    "class": "danger" if danger else "main-action",
                    "onClick": on_yes,
                },
                asked.yes,
            ),
            html.button({"type": "button", "id": f"{name}-no", "onClick": on_no}, asked.no),
        ),
    )
