"""Small pages for the tests of the runtime. Each function is a root component of its own."""

from __future__ import annotations

import asyncio
import json
import random
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from reactpy import Vdom, component, event, hooks, html

from switchboard_ui.ports import NetworkError, Ports, Request

# Drawn at import: in a memory snapshot all tabs share it.
DRAWN_AT_IMPORT = random.random()
TICK = 0.05


def use_tick(ports: Ports) -> int:
    """Re-render every 50 ms, as a page full of refreshes would."""
    tick, set_tick = hooks.use_state(0)

    def ticking() -> None:
        def fire() -> None:
            set_tick(lambda count: count + 1)
            ports.timer.arm(ports.clock.now() + TICK, fire)

        ports.timer.arm(ports.clock.now() + TICK, fire)

    hooks.use_effect(ticking, [])
    return tick


@component
def fields(ports: Ports) -> Any:
    """Inputs of each kind on a page that never rests."""
    tick = use_tick(ports)
    text, set_text = hooks.use_state("")
    heard, set_heard = hooks.use_state("")
    delegated, set_delegated = hooks.use_state("")
    choice, set_choice = hooks.use_state("b")
    checked, set_checked = hooks.use_state(False)

    def clear(_event: Any) -> None:
        set_text("")
        set_checked(False)
        set_choice("a")

    return html.section(
        html.output({"id": "tick"}, str(tick)),
        html.label({"for": "plain"}, f"draft, refreshed {tick} times"),
        html.input({"id": "plain", "onInput": lambda e: set_heard(e["target"]["value"])}),
        html.p({"id": "heard"}, heard),
        html.input({"id": "echo", "value": text, "onInput": lambda e: set_text(e["target"]["value"])}),
        html.p({"id": "echoed"}, text),
        html.div(
            {"onInput": lambda e: set_delegated(e["target"]["value"])},
            html.input({"id": "delegated", "value": delegated, "data-tick": str(tick)}),
        ),
        html.textarea({"id": "area", "rows": 3, "data-tick": str(tick)}),
        html.select(
            {"id": "choice", "value": choice, "onChange": lambda e: set_choice(e["target"]["value"])},
            [html.option({"value": name, "key": name}, f"{name} {tick}") for name in "abc"],
        ),
        html.p({"id": "chosen"}, choice),
        html.input(
            {
                "id": "box",
                "type": "checkbox",
                "checked": checked,
                "onChange": lambda e: set_checked(e["target"]["checked"]),
            }
        ),
        html.p({"id": "ticked"}, str(checked)),
        html.button({"id": "clear", "onClick": clear}, "clear"),
    )


@component
def row(name: str, tick: int) -> Any:
    return html.tr(
        {"id": f"row-{name}"},
        html.td(name),
        html.td(html.input({"aria-label": name, "id": f"input-{name}"})),
        html.td(str(tick)),
    )


@component
def rows(ports: Ports) -> Any:
    """Keyed rows that are refreshed, reordered and removed."""
    tick = use_tick(ports)
    order, set_order = hooks.use_state(("a", "b", "c", "d", "e"))
    return html.section(
        html.output({"id": "tick"}, str(tick)),
        html.button({"id": "reverse", "onClick": lambda e: set_order(lambda names: names[::-1])}, "reverse"),
        html.button({"id": "drop", "onClick": lambda e: set_order(lambda names: names[1:])}, "drop the first"),
        html.table(html.tbody([row(name, tick, key=name) for name in order])),
        html.ul([html.li({"key": name, "id": f"item-{name}"}, f"{name} {tick}") for name in order]),
    )


@component
def forms(ports: Ports) -> Any:
    """A form, key filters, links: what events carry."""
    seen, set_seen = hooks.use_state("")

    def see(e: Any) -> None:
        set_seen(json.dumps(e, sort_keys=True))

    return html.section(
        html.form(
            {"id": "form", "onSubmit": event(see, prevent_default=True)},
            html.input({"name": "queue", "id": "queue", "value": "investigations"}),
            html.input({"type": "checkbox", "name": "verb", "value": "claim", "checked": True}),
            html.input({"type": "checkbox", "name": "verb", "value": "drain", "checked": True}),
            html.input({"type": "checkbox", "name": "off", "value": "x"}),
            html.button({"name": "action", "value": "save"}, "save"),
        ),
        html.div(
            {
                "id": "keys",
                "tabindex": "0",
                "data-keys": "ArrowDown Space",
                "onKeyDown": event(see, prevent_default=True, stop_propagation=True),
            },
            "keys",
        ),
        html.a({"id": "link", "href": "/elsewhere", "onClick": event(see, prevent_default=True)}, "a link"),
        html.button({"id": "nested", "data-job": "42", "onClick": see}, html.span({"id": "inner"}, "inner")),
        html.input({"id": "none", "disabled": False, "class": "quiet", "title": None, "readonly": True}),
        html.pre({"id": "seen"}, seen),
    )


@component
def drawing(ports: Ports) -> Any:
    """Inline SVG."""
    wide, set_wide = hooks.use_state(False)
    text = Vdom("text")
    return html.section(
        html.svg(
            {"id": "chart", "viewBox": "0 0 10 10", "width": "200", "role": "img", "aria-label": "a chart"},
            html.svg.g(
                {"class": "bars"},
                html.svg.rect({"id": "bar", "width": "8" if wide else "4", "height": "2", "fill": "currentColor"}),
                text({"id": "label", "x": "1", "y": "9", "text-anchor": "start"}, "8 of 10"),
            ),
        ),
        html.button({"id": "widen", "onClick": lambda e: set_wide(True)}, "widen"),
    )


@component
def facts(ports: Ports) -> Any:
    """What this tab knows of itself."""
    summer = datetime(2026, 7, 1, 12, tzinfo=UTC).astimezone(ZoneInfo("America/Los_Angeles"))
    known = {
        "random": random.random(),
        "drawn_at_import": DRAWN_AT_IMPORT,
        "summer": summer.isoformat(),
        "zone": ports.tab.zone(),
        "path": ports.tab.path(),
        "visible": ports.tab.visible(),
        "wall": ports.clock.wall().isoformat(),
        "now": ports.clock.now(),
        "recalled": ports.tab.recall("choice"),
    }
    ports.tab.remember("choice", "dense")
    ports.tab.set_title("Facts")
    return html.pre({"id": "facts"}, json.dumps(known))


@component
def zones(ports: Ports) -> Any:
    """How many of the zones can be read."""
    names = available_timezones()
    readable = sum(ZoneInfo(name).key == name for name in names)
    return html.pre({"id": "zones"}, f"{readable} of {len(names)}")


@component
def reads(ports: Ports) -> Any:
    """The fetch port."""
    outcome, set_outcome = hooks.use_state("")
    running: Any = hooks.use_ref(None)

    async def read(request: Request) -> None:
        try:
            response = await ports.fetch(request)
            told = [response.status, response.text, response.redirected, response.headers.get("content-type")]
            set_outcome(json.dumps(told))
        except NetworkError:
            set_outcome("network error")
        except asyncio.CancelledError:
            set_outcome("cancelled")
            raise
        except ValueError:
            set_outcome("refused")

    def button(name: str, request: Request) -> Any:
        def go(_event: Any) -> None:
            running.current = asyncio.ensure_future(read(request))

        return html.button({"id": name, "onClick": go}, name)

    return html.section(
        button("get", Request("GET", "/echo?x=1")),
        button("post", Request("POST", "/echo", '{"big": 9007199254740993}')),
        button("redirected", Request("GET", "/moved")),
        button("broken", Request("GET", "/broken")),
        button("foreign", Request("GET", "//example.invalid/")),
        button("slow", Request("GET", "/slow")),
        html.button({"id": "cancel", "onClick": lambda e: running.current.cancel()}, "cancel"),
        html.p({"id": "outcome"}, outcome),
    )


@component
def lifecycle(ports: Ports) -> Any:
    """What the tab reports, and focus on what is still to come."""
    seen, set_seen = hooks.use_state("")
    heading, set_heading = hooks.use_state(False)

    def listen() -> None:
        ports.tab.on_lifecycle(lambda change: set_seen(lambda before: f"{before} {change}"))

    def look(_event: Any) -> None:
        ports.tab.focus("heading")
        set_heading(True)

    hooks.use_effect(listen, [])
    return html.section(
        html.p({"id": "seen"}, seen),
        html.button({"id": "look", "onClick": look}, "look"),
        html.h1({"id": "heading"}, "Here") if heading else None,
    )


@component
def broken(ports: Ports) -> Any:
    """One part fails, the other does not."""
    return html.section(fails(), html.p({"id": "whole"}, "whole"))


@component
def fails() -> Any:
    raise LookupError("no such part")


@component
def early(ports: Ports) -> Any:
    """Takes over an input that the server had already drawn."""
    heard, set_heard = hooks.use_state("")
    return html.main(
        html.h1("Early"),
        html.input({"id": "early", "onInput": lambda e: set_heard(e["target"]["value"])}),
        html.p({"id": "heard"}, heard),
    )


@component
def stops(ports: Ports) -> Any:
    """Cannot be rendered any more after a click."""
    stopped, set_stopped = hooks.use_state(False)
    endless: list[Any] = []
    endless.append(endless)
    return html.main(
        html.p({"id": "last"}, "the last that was known"),
        html.button({"id": "stop", "onClick": lambda e: set_stopped(True)}, "stop"),
        html.p({"data-endless": endless}) if stopped else None,
    )
