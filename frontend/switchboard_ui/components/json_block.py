"""A JSON value to be read and copied."""

from __future__ import annotations

from typing import Any

from reactpy import component, html, use_state

from switchboard_ui.core.page_context import PageContext


@component
def json_block(context: PageContext, name: str, heading: str, text: str) -> Any:
    """`name` becomes the ids' stem; `text` is the value as it is shown and copied."""
    said, set_said = use_state("")

    def copy(_: Any) -> None:
        def told(copied: bool) -> None:
            sentence = f"{heading} copied." if copied else "The browser does not let this page copy."
            set_said(sentence)
            context.voice.answer(sentence)

        context.ports.tab.copy(text, told)

    return html.section(
        {"class": "json", "aria-labelledby": f"{name}-heading"},
        html.div(
            {"class": "json-head"},
            html.h2({"id": f"{name}-heading"}, heading),
            html.button(
                {"type": "button", "id": f"{name}-copy", "onClick": copy},
                "Copy",
                html.span({"class": "unseen"}, f" {heading.lower()}"),
            ),
            html.span({"class": "quiet"}, said) if said else "",
        ),
        html.pre({"id": name, "tabindex": "0", "aria-labelledby": f"{name}-heading", "role": "region"}, text),
    )
