"""Choosing rows: a box for each, one for all on the page, and how many are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reactpy import component, html, use_effect, use_ref, use_state

from switchboard_ui.core.events import PauseCause
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.query import Query
from switchboard_ui.core.selection import Selection


@component
def choose_row(selection: Selection[Any], row: int, last: Any) -> Any:
    """`last` is the row as it is listed now."""
    latest = use_ref(last)
    latest.current = last
    chosen = _followed(selection, lambda: row in selection)

    def toggle(event: Any) -> None:
        if event["target"]["checked"]:
            selection.choose({row: latest.current})
        else:
            selection.drop([row])

    return html.label(
        {"class": "choose"},
        html.input({"type": "checkbox", "id": f"choose-{row}", "checked": chosen, "onChange": toggle}),
        html.span({"class": "unseen"}, f"Select todo {row}"),
    )


@component
def choose_all(context: PageContext, selection: Selection[Any], rows_of: Callable[[], Mapping[int, Any]]) -> Any:
    """`rows_of` gives what is listed now. Some, but not all of it chosen: the box shows that as indeterminate."""

    def state() -> tuple[bool, bool]:
        listed = rows_of()
        count = sum(row in selection for row in listed)
        return bool(listed) and count == len(listed), 0 < count < len(listed)

    everything, some = _followed(selection, state)

    def toggle(event: Any) -> None:
        if event["target"]["checked"]:
            selection.choose(rows_of())
        else:
            selection.clear()
        context.voice.answer(f"{len(selection)} selected.")

    return html.label(
        {"class": "choose"},
        html.input(
            {
                "type": "checkbox",
                "id": "choose-all",
                "checked": everything,
                "indeterminate": some,
                "onChange": toggle,
            }
        ),
        html.span({"class": "unseen"}, "Select all on this page"),
    )


@component
def chosen_line(context: PageContext, selection: Selection[Any], query: Query[Any], everything: str) -> Any:
    """How many are chosen. While any are, their listing is paused, until they are let go or updates are wanted anyway.

    `everything`: what bulk actions are about when none is chosen.
    """
    reads = context.reads
    wanted, set_wanted = use_state(False)
    count = _followed(selection, lambda: len(selection))
    was = use_ref(0)

    def pace() -> Callable[[], None]:
        def settle() -> None:
            before, was.current = was.current, len(selection)
            if was.current and not before:
                reads.pause(query.key, PauseCause.SELECTION)
            elif before and not was.current:
                reads.resume(query.key, PauseCause.SELECTION)
                set_wanted(False)

        return selection.follow(settle)

    use_effect(pace, [])

    def resume(_: Any) -> None:
        reads.resume(query.key, PauseCause.SELECTION)
        set_wanted(True)
        context.voice.answer("The list is updated again; what is selected stays selected.")
        context.ports.tab.focus("choose-none")

    def let_go(_: Any) -> None:
        selection.clear()
        context.ports.tab.focus("choose-all")
        context.voice.answer("Nothing is selected.")

    if not count:
        return html.div({"class": "chosen"}, html.span({"id": "chosen"}, f"None selected. With {everything}:"))
    note = "the list goes on being updated." if wanted else "the list is paused meanwhile."
    return html.div(
        {"class": "chosen"},
        html.span({"id": "chosen"}, f"{count:,} selected; {note}"),
        html.button({"type": "button", "id": "choose-none", "onClick": let_go}, "Clear selection"),
        "" if wanted else html.button({"type": "button", "id": "choose-resume", "onClick": resume}, "Update it anyway"),
        html.span("With them:"),
    )


def _followed(selection: Selection[Any], value_of: Callable[[], Any]) -> Any:
    """A value of the selection; the component is drawn again when it has changed."""
    shown = use_ref(None)
    latest = use_ref(value_of)
    latest.current = value_of
    shown.current = value_of()
    _, redraw = use_state(0)

    def follow() -> Callable[[], None]:
        def changed() -> None:
            if latest.current() != shown.current:
                redraw(lambda count: count + 1)

        return selection.follow(changed)

    use_effect(follow, [])
    return shown.current
