"""A link to another place of the page: an ordinary link for a server's page, and no new document in the tab."""

from __future__ import annotations

from typing import Any

from reactpy import html


def page_link(address: str, *content: Any, **attributes: Any) -> Any:
    """The boot script follows links with data-route within the document (frontend/runtime/navigation.mjs)."""
    return html.a({"href": address, "data-route": "", **attributes}, *content)
