"""The gallery's own pages."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from switchboard_ui.gallery.families import FAMILIES, Family

GALLERY, STYLES = "/dev/gallery", "/dev/gallery.css"


def index_page() -> Any:
    """Every family with its states."""
    return _page(
        "Gallery",
        *(
            html.section(
                {"key": name, "class": "family"},
                html.h2(html.a({"href": f"{GALLERY}/{name}"}, family.heading)),
                _states(name, family),
            )
            for name, family in FAMILIES.items()
        ),
    )


def family_page(name: str) -> Any:
    """Each state under its own heading; links to them where they are whole pages."""
    family = FAMILIES[name]
    if family.whole_pages:
        return _page(family.heading, _states(name, family))
    return _page(
        family.heading,
        *(
            html.div(
                {"key": state, "class": "state-shown"},
                html.h2({"id": f"state-{state}"}, _words(state)),
                html.div({"class": "shown", "data-shown": state}, element),
            )
            for state, element in family.states().items()
        ),
    )


@component
def state_page(element: Any) -> Any:
    """One state that is a whole page. A component, since not every state is one."""
    return element


def _states(name: str, family: Family) -> Any:
    between = "/" if family.whole_pages else "#state-"
    return html.ul(
        *(
            html.li({"key": state}, html.a({"href": f"{GALLERY}/{name}{between}{state}"}, _words(state)))
            for state in family.states()
        )
    )


def _page(heading: str, *content: Any) -> Any:
    return html.div(
        {"class": "gallery"},
        html.link({"rel": "stylesheet", "href": STYLES}),
        html.header(
            {"class": "bar"},
            html.nav(
                {"aria-label": "Gallery"},
                html.ul(
                    html.li(html.a({"href": GALLERY}, "Gallery")),
                    *(
                        html.li({"key": name}, html.a({"href": f"{GALLERY}/{name}"}, family.heading))
                        for name, family in FAMILIES.items()
                    ),
                ),
            ),
        ),
        html.main({"class": "page"}, html.h1(heading), *content),
    )


def _words(state: str) -> str:
    return state.replace("-", " ").capitalize()
