"""From page to page of a listing, by links with addresses of their own. Nobody knows how many pages there are."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.page_link import page_link
from switchboard_ui.core.places import Place


def pagination(place: Place, next_cursor: str | None) -> Any:
    """`next_cursor` None: this is the last page, as far as is known."""
    cursors = place.cursors
    if not cursors and next_cursor is None:
        return ""
    links: list[tuple[str, str, str]] = []
    if len(cursors) > 1:
        links.append(("newest", place.with_cursors(()).address, "Newest"))
    if cursors:
        links.append(("previous", place.with_cursors(cursors[:-1]).address, "Previous page"))
    if next_cursor is not None:
        links.append(("next", place.with_cursors((*cursors, next_cursor)).address, "Next page"))
    number = f"Page {len(cursors) + 1}{', more available' if next_cursor is not None else ', the last one'}"
    return html.nav(
        {"class": "pagination", "aria-label": "Pagination"},
        html.span(number),
        *(page_link(address, text, id=f"page-{name}", key=name) for name, address, text in links),
    )
