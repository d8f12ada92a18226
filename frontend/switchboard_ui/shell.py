"""Whole documents, rendered on the server from the page's own components (D2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reactpy import component, html

from switchboard_ui.components.board import board
from switchboard_ui.components.frame import frame
from switchboard_ui.components.freshness import freshness
from switchboard_ui.components.sign_in import sign_in_form
from switchboard_ui.components.sign_in import sign_out_form as sign_out_main
from switchboard_ui.core.board_view import board_view
from switchboard_ui.core.freshness_view import FreshnessView
from switchboard_ui.core.places import Place
from switchboard_ui.pages.unread import unread
from switchboard_wire.reads import JobsPage, QueuesPage


@dataclass(frozen=True, slots=True)
class Document:
    """Title and body of one document; `boot` is the address of the runtime's boot script."""

    title: str
    body: tuple[Any, ...]
    boot: str | None = None


@component
def document(page: Document, stylesheet: str, icon: str, reload: str | None = None) -> Any:
    """`reload` is the address of the script that shows changes in development."""
    head = [
        html.meta({"charset": "utf-8"}),
        html.meta({"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        html.meta({"name": "color-scheme", "content": "light dark"}),
        html.title(f"{page.title} - Switchboard"),
        html.link({"rel": "stylesheet", "href": stylesheet}),
        html.link({"rel": "icon", "href": icon, "type": "image/svg+xml"}),
    ]
    if page.boot is not None:
        head.append(html.script({"type": "module", "src": page.boot}))
    if reload is not None:
        head.append(html.script({"type": "module", "src": reload}))
    return html.html({"lang": "en"}, html.head(*head), html.body(*page.body))


def page_shell(place: Place, boot: str | None) -> Document:
    """A page without any data: title, landmarks, headings and placeholders of the size of what comes.

    It is what the tab's first render draws, so that nothing moves when the tab takes over.
    """
    plain = html.a({"href": "/plain/board"}, "Use the plain board")
    if boot is not None:
        # The link is for a runtime that never comes: nothing else could tell then.
        starting = "Starting the page. This takes some seconds the first time. "
        status = html.p({"id": "runtime-status", "role": "status", "class": "starting"}, starting, plain, " meanwhile.")
    else:
        missing = "The page's runtime is not built, so this page cannot start. "
        status = html.p({"id": "runtime-status", "role": "status", "class": "notice"}, missing, plain, ".")
    return Document(
        place.heading,
        (
            html.noscript(html.p({"class": "notice"}, "This page needs scripts. ", plain, ", which does not.")),
            html.div(
                {"id": "app"},
                frame(place.listed_under, place.heading, unread(place.page)),
            ),
            # Behind the page, so that the skip link stays its first stop; the style sheet puts it where it is seen.
            status,
        ),
        boot,
    )


def plain_board(queues: QueuesPage, jobs: JobsPage, observed_at: datetime) -> Document:
    """The board as one answer: no scripts, times in the policies' zones and UTC.

    It does not reload by itself: without scripts nobody could stop it (WCAG 2.2.1, 2.2.2).
    """
    view = board_view(queues, jobs, "UTC", observed_at)
    trust = FreshnessView(
        "fresh",
        f"As of {observed_at.day} {observed_at:%b %Y %H:%M:%S} UTC. This page does not update by itself.",
        ("/plain/board", "Read again"),
    )
    return Document("Plain board", (frame(None, "Plain board", freshness(trust), board(view)),))


def sign_in_page(csrf_token: str, *, name: str, failed: bool) -> Document:
    title = "Error: Sign in" if failed else "Sign in"
    return Document(title, (sign_in_form(csrf_token, name, failed),))


def sign_out_page(human: str, csrf_token: str) -> Document:
    return Document("Sign out", (sign_out_main(human, csrf_token),))
