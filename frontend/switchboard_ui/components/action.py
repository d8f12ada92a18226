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


@dataclass(frozen=True)
class ActionState:
    """Where an action is. `outcome` is a sentence, empty before there is one; `refused`: nothing came of it."""

    asking: bool = False
    sending: bool = False
    outcome: str = ""
    refused: bool = False
    blocked: bool = False


Handler = Callable[[Any], Any]


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
    then: Callable[[], None] | None = None,
) -> Any:
    """`name` becomes the button's id; `told` words the answer ("3 todos are pending again").

    `about` names the row to those who hear the button alone: "Retry" of "todo 7". `blocked`: why it cannot be done now;
    the button stays where it is, and says so when it is pressed. `then` is called once it is done, for what goes away
    with its button. On a read-only server: nothing.
    """
    asking, set_asking = use_state(False)
    sending, set_sending = use_state(False)
    outcome, set_outcome = use_state(("", False))
    busy = use_ref(False)

    def refuse(_: Any) -> None:
        set_outcome((blocked or "", True))
        context.voice.answer(blocked or "")

    def act(_: Any) -> None:
        if busy.current:
            # A second click before the button could be disabled.
            return
        busy.current = True
        set_asking(False)
        set_sending(True)
        set_outcome(("", False))
        context.ports.tab.focus(name)
        context.actions.send(mutation, done)

    def done(result: Done[Any] | Refused) -> None:
        busy.current = False
        set_sending(False)
        refused = isinstance(result, Refused)
        text = result.text if isinstance(result, Refused) else told(result.answer)
        set_outcome((text, refused))
        context.voice.answer(text)
        if then is not None and not refused:
            then()

    def ask(_: Any) -> None:
        set_asking(True)

    def leave(_: Any) -> None:
        set_asking(False)
        context.ports.tab.focus(name)

    if context.read_only:
        return ""
    return drawn_action(
        name,
        label,
        ActionState(asking, sending, *outcome, blocked=blocked is not None),
        confirmation,
        refuse if blocked else act if confirmation is None else ask,
        act,
        leave,
        about=about,
        danger=danger,
    )


def _nothing(_: Any) -> None:
    """The gallery draws the same without anything behind it."""


def drawn_action(
    name: str,
    label: str,
    state: ActionState,
    confirmation: Confirmation | None = None,
    on_press: Handler = _nothing,
    on_yes: Handler = _nothing,
    on_no: Handler = _nothing,
    *,
    about: str = "",
    danger: bool = False,
) -> Any:
    return html.span(
        {"class": "action"},
        html.button(
            {
                "type": "button",
                "id": name,
                "class": "danger" if danger else None,
                # Not disabled: that would lose the focus.
                "aria-disabled": "true" if state.sending or state.blocked else None,
                "onClick": on_press,
            },
            f"{label}…" if state.sending else label,
            html.span({"class": "unseen"}, f" {about}") if about else "",
        ),
        html.span(
            {"class": f"outcome {'refused' if state.refused else 'done'}", "id": f"{name}-outcome"}, state.outcome
        )
        if state.outcome
        else "",
        _confirm(name, confirmation, on_yes, on_no, danger) if state.asking and confirmation is not None else "",
    )


def _confirm(name: str, asked: Confirmation, on_yes: Handler, on_no: Handler, danger: bool) -> Any:
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
