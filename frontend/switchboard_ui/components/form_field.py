"""One field of a form: its label, its hint, what is wrong with it, and the control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reactpy import html


@dataclass(frozen=True, slots=True)
class FieldFault:
    """What is wrong with one field, as a sentence that tells what to enter."""

    field: str
    text: str


def form_field(
    identifier: str,
    label: str,
    hint: str,
    fault: str | None,
    value: str,
    *,
    name: str,
    lines: int = 1,
    options: Mapping[str, str] | None = None,
) -> Any:
    """`value` is what it shows at first; then it holds what is entered. `options`: words by value, to choose among."""
    about = [f"{identifier}-hint"] if hint else []
    if fault is not None:
        about.append(f"{identifier}-error")
    attributes = {
        "id": identifier,
        "name": name,
        "value": value,
        "aria-describedby": " ".join(about) or None,
        "aria-invalid": None if fault is None else "true",
    }
    return html.div(
        {"class": "field", "key": name},
        html.label({"for": identifier}, label),
        html.p({"class": "hint", "id": f"{identifier}-hint"}, hint) if hint else "",
        html.p({"class": "error", "id": f"{identifier}-error"}, html.span({"class": "unseen"}, "Error: "), fault)
        if fault is not None
        else "",
        _control(attributes, lines, options),
    )


def _control(attributes: dict[str, Any], lines: int, options: Mapping[str, str] | None) -> Any:
    if options is not None:
        return html.select(
            attributes,
            *(
                html.option({"key": each, "value": each, "selected": each == attributes["value"]}, words)
                for each, words in options.items()
            ),
        )
    typed = {**attributes, "autocomplete": "off", "spellcheck": "false"}
    if lines > 1:
        # HTML gives it no value but its content.
        return html.textarea({**typed, "value": None, "rows": str(lines)}, attributes["value"])
    return html.input({**typed, "type": "text"})
