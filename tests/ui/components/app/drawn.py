"""The states of the gallery, and the traps of rendering. Runs under CPython and in the tab alike."""

from __future__ import annotations

from typing import Any

from reactpy import Vdom, component, html

from switchboard_ui.components.frame import frame
from switchboard_ui.components.queue_card import queue_card
from switchboard_ui.components.sign_in import sign_in_form
from switchboard_ui.core.places import PageName
from switchboard_ui.gallery.families import FAMILIES
from switchboard_ui.gallery.queue_cards import card, todo

SPECIAL = "<b>&amp; \"double\" 'single' \u00a0 </script> <!-- -->  two  spaces\n\ttab 😀 \u202eback\u202c"
# ReactPy's own takes no children.
svg_text = Vdom("text")


@component
def counted(number: int) -> Any:
    return html.li({"id": f"counted-{number}"}, str(number))


@component
def nothing() -> Any:
    return None


@component
def bare_text() -> Any:
    return SPECIAL


def items() -> dict[str, Any]:
    """By name; made anew for each rendering."""
    states = {
        f"{name} {state}": element for name, family in FAMILIES.items() for state, element in family.states().items()
    }
    return states | {
        "special-card": queue_card(card(8, SPECIAL, scope=SPECIAL, waiting=(todo(81, title=SPECIAL),))),
        "special-frame": frame(PageName.BOARD, SPECIAL, html.p("content"), html.p("more"), announced=SPECIAL),
        "special-sign-in": sign_in_form('"><script>', SPECIAL, True),
        "text": html.p(SPECIAL),
        "text-in-pieces": html.p("one ", "two ", SPECIAL, html.b("three"), " four"),
        "text-from-a-component": html.p(bare_text()),
        "attributes": html.p({"data-text": SPECIAL, "lang": "en", "data-empty": "", "data-number": 3}, "x"),
        "none-and-false": html.p({"data-none": None, "hidden": False, "aria-label": None, "data-false": False}, "x"),
        "true": html.div(
            html.form({"novalidate": True, "method": "post"}),
            html.p({"hidden": True}, "x"),
            html.details({"open": True}, html.summary("x")),
            html.button({"disabled": True, "type": "submit", "formnovalidate": True}, "x"),
            html.select({"multiple": True, "aria-label": "x"}, html.option({"value": "a", "selected": True}, "a")),
        ),
        "fields": html.div(
            html.input({"id": "text", "type": "text", "value": SPECIAL.replace("\n\t", ""), "readonly": True}),
            html.input({"id": "empty", "type": "text", "value": ""}),
            html.input({"id": "ticked", "type": "checkbox", "checked": True, "value": "a"}),
            html.input({"id": "unticked", "type": "checkbox", "checked": False, "required": True}),
            html.label({"for": "text"}, "Text"),
        ),
        "svg": html.svg(
            {"viewBox": "0 0 10 10", "width": "100", "role": "img", "aria-label": "3 of 10", "class": "chart"},
            svg_text(SPECIAL),
            html.svg.g(
                {"fill": "none", "stroke-width": "2"}, html.svg.rect({"x": 0, "y": 0, "width": 3, "height": 10})
            ),
            svg_text({"x": "1", "y": "2", "text-anchor": "middle"}, "3 of 10"),
            html.svg.path({"d": "M0 0 L10 10", "clip-path": "none"}),
        ),
        "keyed": html.ul(
            *(html.li({"key": str(number), "id": f"keyed-{number}"}, str(number)) for number in (3, 1, 2)),
        ),
        "keyed-components": html.ul(*(counted(number, key=str(number)) for number in (3, 1, 2))),
        "keyed-in-a-list": html.ul([html.li({"key": name}, name) for name in "cab"]),
        "empty-children": html.div((), "", None, [], html.p(), html.p(""), nothing(), html.ul([])),
        "nested-lists": html.p(["a", ["b", ("c",)], ("d",)], "e"),
        "void": html.div(html.br(), html.hr({"class": "x"}), html.img({"alt": "", "width": "1"}), html.wbr()),
        "table": html.table(
            html.caption("Figures"),
            html.thead(html.tr(html.th({"scope": "col"}, "a"), html.th({"scope": "col", "colspan": "2"}, "b"))),
            html.tbody(html.tr({"key": "r"}, html.th({"scope": "row"}, "1"), html.td("2"), html.td("3"))),
        ),
    }


@component
def one(item: Any) -> Any:
    """An item by itself, for the server: not all of them are components."""
    return item


@component
def everything() -> Any:
    return html.div(
        *(html.section({"key": name, "data-item": name, "aria-label": name}, item) for name, item in items().items())
    )


def root(_: Any) -> Any:
    return everything()
