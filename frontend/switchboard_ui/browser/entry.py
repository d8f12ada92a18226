"""Where the boot script hands over to Python."""

from __future__ import annotations

import asyncio
import importlib
import json
import random  # noqa: TID251 - reseeds it, see start()
import traceback
from collections.abc import Callable
from typing import Any

from reactpy.types import Component

from switchboard_ui.browser.clock import BrowserClock
from switchboard_ui.browser.fetch import BrowserFetch
from switchboard_ui.browser.layout import TabLayout
from switchboard_ui.browser.report import report, report_everything
from switchboard_ui.browser.tab import BrowserTab
from switchboard_ui.browser.ticker import BrowserTicker
from switchboard_ui.browser.timer import BrowserTimer
from switchboard_ui.ports import Ports

# The loop holds its tasks weakly.
_running: set[asyncio.Task[None]] = set()


def start(root: str, send: Callable[[str], None], failed: Callable[[str], None]) -> Callable[[str], None]:
    """Render the component that `root` ("module:function of the ports") names.

    Each update goes to `send` as JSON. The answer is the function that takes events as JSON, in the order in
    which they happen. `failed` is told why when nothing more will be rendered.
    """
    # A tab restored from a memory snapshot would otherwise draw the same numbers as every other tab.
    random.seed()
    report_everything()
    clock = BrowserClock()
    tab = BrowserTab()
    ports = Ports(fetch=BrowserFetch(), clock=clock, timer=BrowserTimer(clock), ticker=BrowserTicker(tab), tab=tab)
    module, _, name = root.partition(":")
    component = getattr(importlib.import_module(module), name)(ports)
    events: asyncio.Queue[str] = asyncio.Queue()
    task = asyncio.ensure_future(_render(component, send, failed, events))
    _running.add(task)
    task.add_done_callback(_running.discard)
    return events.put_nowait


async def _render(
    component: Component, send: Callable[[str], None], failed: Callable[[str], None], events: asyncio.Queue[str]
) -> None:
    try:
        async with TabLayout(component) as layout:
            delivering = asyncio.ensure_future(_deliver(layout, events))
            try:
                while True:
                    send(_encode(await layout.render()))
            finally:
                delivering.cancel()
    except Exception:
        failed(traceback.format_exc())


async def _deliver(layout: TabLayout, events: asyncio.Queue[str]) -> None:
    while True:
        await layout.deliver(json.loads(await events.get()))


def _encode(update: Any) -> str:
    return json.dumps(update, ensure_ascii=False, separators=(",", ":"), default=_as_text)


def _as_text(value: Any) -> str:
    report(f"A component gave an attribute or a key that JSON does not know: {value!r}")
    return str(value)
