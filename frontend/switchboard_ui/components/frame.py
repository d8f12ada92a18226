"""What stands around every page: skip link, landmarks, navigation, one main, one polite live region."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

PAGES = (("/board", "Board"),)


@component
def frame(current: str, heading: str, *content: Any, announced: Any = "") -> Any:
    """`current` is the address of the page, for the navigation's mark; `announced` is what the live region holds."""
    return html.div(
        {"class": "frame"},
        html.a({"class": "skip", "href": "#main"}, "Skip to main content"),
        html.header(
            {"class": "bar"},
            html.a({"class": "brand", "href": "/board"}, "Switchboard"),
            html.nav(
                {"aria-label": "Pages"},
                html.ul(
                    *(
                        html.li(
                            {"key": address},
                            html.a({"href": address, "aria-current": "page" if address == current else None}, name),
                        )
                        for address, name in PAGES
                    )
                ),
            ),
            html.nav({"aria-label": "Account", "class": "account"}, html.a({"href": "/sign-out"}, "Sign out")),
        ),
        html.main(
            {"id": "main", "tabindex": "-1", "class": "page"},
            html.h1({"id": "heading", "tabindex": "-1"}, heading),
            *content,
        ),
        html.div({"class": "unseen", "role": "status", "id": "announcements", "key": "announcements"}, announced),
        html.footer(
            {"class": "foot"},
            html.p(
                "Every figure is as old as the page says. ", html.a({"href": "/plain/board"}, "Board without scripts")
            ),
        ),
    )
