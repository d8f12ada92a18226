"""One of each component in each of its states, and the traps of rendering. Runs under CPython and in the tab alike."""

from __future__ import annotations

from typing import Any

from reactpy import Vdom, component, html

from switchboard_ui.components.admission_chip import admission_chip
from switchboard_ui.components.board import board
from switchboard_ui.components.board_controls import board_controls
from switchboard_ui.components.frame import frame
from switchboard_ui.components.freshness import freshness
from switchboard_ui.components.queue_card import queue_card
from switchboard_ui.components.sign_in import sign_in_form, sign_out_form
from switchboard_ui.components.update_controls import update_buttons
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.board_view import BoardView, Chip, QueueCard, WaitingTodo
from switchboard_ui.core.freshness_view import FreshnessView, reading
from switchboard_ui.core.places import PageName
from switchboard_ui.core.zoned_time import ZonedTime

SPECIAL = "<b>&amp; \"double\" 'single' \u00a0 </script> <!-- -->  two  spaces\n\ttab 😀 \u202eback\u202c"
MIDNIGHT = ZonedTime("2026-12-01T08:00:00Z", "00:00 PST")
# ReactPy's own takes no children.
svg_text = Vdom("text")
BOTH = ZonedTime("2026-12-01T08:00:00Z", "00:00 PST (America/Los_Angeles) · 09:00 your time")

CHIPS = {
    "exact": Chip("deferred · budget", "window_exhausted", "eligible", MIDNIGHT),
    "possible": Chip("deferred · in flight", "in_flight_full", "possibly eligible from", MIDNIGHT),
    "paused": Chip("deferred · paused", "paused"),
    "unavailable": Chip("deferred · unavailable", "admission_unavailable"),
}


def todo(number: int, chip: Chip | None = None, attempt: str | None = None, title: str = "Look") -> WaitingTodo:
    return WaitingTodo(number, title, "investigation", MIDNIGHT, attempt, chip)


def card(number: int, **more: Any) -> QueueCard:
    values: dict[str, Any] = {
        "id": number,
        "name": f"queue {number}",
        "scope": "endpoint:research",
        "status": "admitted",
        "reason": None,
        "has_policy": True,
        "used": None,
        "in_flight": "0 in flight",
        "resets": None,
        "fault": None,
        "pending": "0 waiting",
        "waiting": (),
        "more": None,
    }
    return QueueCard(**(values | more))


CARDS = {
    "exhausted": card(
        1,
        status="budget used up",
        reason="window_exhausted",
        used="100 of 100 used",
        resets=BOTH,
        pending="2 waiting",
        waiting=(todo(12, CHIPS["exact"], "tried 1 of 5"), todo(11, CHIPS["exact"])),
    ),
    "full": card(2, status="in flight full", reason="in_flight_full", waiting=(todo(21, CHIPS["possible"]),)),
    "paused": card(3, status="paused", reason="paused", waiting=(todo(31, CHIPS["paused"]),)),
    "faulty": card(4, status="unavailable", reason="admission_unavailable", fault="the zone Mars/Base is unknown"),
    "free": card(5, has_policy=False, waiting=(todo(51),)),
    "unknown": card(6, waiting=None),
    "partial": card(7, waiting=(todo(71),), more="Showing the newest 1 of more than 10,000 waiting."),
    "special": card(8, name=SPECIAL, scope=SPECIAL, waiting=(todo(81, title=SPECIAL),)),
}


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
    return {
        **{f"chip-{name}": admission_chip(chip) for name, chip in CHIPS.items()},
        **{f"card-{name}": queue_card(one) for name, one in CARDS.items()},
        "zoned": zoned(BOTH),
        "board-unread": board(BoardView(None)),
        "board-empty": board(BoardView(())),
        "board-narrowed": board(BoardView((), narrowed=True)),
        "board-full": board(BoardView(tuple(CARDS.values()))),
        "freshness-loading": freshness(reading("the board")),
        "freshness-fresh": freshness(FreshnessView("fresh", "Up to date as of 08:30:00, 7 s ago.")),
        "freshness-signed-out": freshness(FreshnessView("signed_out", "You are signed out.", ("/sign-in", "Sign in"))),
        "controls": board_controls(update_buttons()),
        "controls-paused": board_controls(update_buttons(paused=True)),
        "frame": frame(PageName.BOARD, SPECIAL, html.p("content"), html.p("more"), announced="Queue a: paused."),
        "frame-elsewhere": frame(None, "Plain board"),
        "sign-in": sign_in_form("token", "", False),
        "sign-in-failed": sign_in_form('"><script>', SPECIAL, True),
        "sign-out": sign_out_form("ada", "token"),
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
