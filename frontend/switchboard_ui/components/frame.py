"""What stands around every page: skip link, landmarks, navigation, one main, one polite live region."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.components.page_link import page_link
from switchboard_ui.core.places import PAGES, PageName


@component
def frame(current: PageName | None, heading: str, *content: Any, announced: Any = "") -> Any:
    """`current` is marked in the navigation; `announced` is what the live region holds."""
    return html.div(
        {"class": "frame"},
        html.a({"class": "skip", "href": "#main"}, "Skip to main content"),
        html.header(
            {"class": "bar"},
            page_link("/board", "Switchboard", **{"class": "brand"}),
            html.nav(
                {"aria-label": "Pages"},
                html.ul(
                    *(
                        html.li(
                            {"key": page.name.value},
                            page_link(
                                page.path, page.heading, **{"aria-current": "page" if page.name == current else None}
                            ),
                        )
                        for page in PAGES.values()
                        if not page.of_one_row
                    )
                ),
            ),
            html.nav({"aria-label": "Account", "class": "account"}, html.a({"href": "/sign-out"}, "Sign out")),
        ),
        html.main(
            {"id": "main", "tabindex": "-1", "class": "page", "key": "main"},
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
