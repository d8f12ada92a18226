"""ReactPy components to HTML text on the server: render once in a layout, then serialise its model.

The same rules as the tab's renderer: HTML's own attribute names; False and None leave an attribute out, True gives it
an empty value; a style is not an attribute of ours (the content security policy bars it).
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from reactpy.core.layout import Layout

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)

# A key is ReactPy's; a box is indeterminate by its property alone.
_NO_ATTRIBUTES = frozenset({"key", "indeterminate"})


async def render(component: Any) -> str:
    """The HTML of one component tree. Event handlers are left out; effects are stopped again."""
    async with Layout(component) as layout:
        update = await layout.render()
    return serialise(update["model"])


def serialise(model: Mapping[str, Any] | str) -> str:
    """A layout's model as HTML text. Raises RuntimeError for a component that failed: the page would lack it."""
    parts: list[str] = []
    _write(model, parts)
    return "".join(parts)


def _write(model: Mapping[str, Any] | str, parts: list[str]) -> None:
    if isinstance(model, str):
        parts.append(html.escape(model, quote=False))
        return
    if "error" in model:  # its text is empty unless ReactPy debugs; the layout has logged the exception
        raise RuntimeError("a component failed")
    tag = model.get("tagName") or ""
    if tag:
        parts.append(f"<{tag}{_attributes(model.get('attributes') or {})}>")
        if tag in _VOID:
            return
    for child in model.get("children") or ():
        _write(child, parts)
    if tag:
        parts.append(f"</{tag}>")


def _attributes(attributes: Mapping[str, Any]) -> str:
    text = ""
    for name, value in attributes.items():
        if name in _NO_ATTRIBUTES or value is None or value is False:
            continue
        text += f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'
    return text
