"""What the tab adds to ReactPy's layout; needs no browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from reactpy import component, hooks, html
from reactpy.config import REACTPY_ASYNC_RENDERING
from reactpy.core._life_cycle_hook import LifeCycleHook

from switchboard_ui.browser.layout import TabLayout


@pytest.fixture(autouse=True)
def _reactpy_as_before() -> Iterator[None]:
    start_effects = LifeCycleHook.affect_layout_did_render
    asynchronous = REACTPY_ASYNC_RENDERING.current
    yield
    LifeCycleHook.affect_layout_did_render = start_effects  # type: ignore[method-assign]
    REACTPY_ASYNC_RENDERING.current = asynchronous


@component
def row(name: str) -> Any:
    return html.tr(html.td(name))


@component
def table(seen: dict[str, Any]) -> Any:
    """Tells the test its hook and how to have it rendered again."""
    number, set_number = hooks.use_state(0)
    seen.update(hook=hooks.HOOK_STACK.current_hook(), set_number=set_number)
    return html.table({"onClick": lambda event: set_number(number + 1)}, [row(name, key=name) for name in "ab"], number)


async def test_keyed_components_are_named_in_the_update() -> None:
    async with TabLayout(table({})) as layout:
        update = await layout.render()
    rows = update["model"]["children"][0]["children"][:2]
    assert [row["key"] for row in rows] == ["a", "b"]


async def test_a_render_tells_which_events_it_knew() -> None:
    async with TabLayout(table({})) as layout:
        first = await layout.render()
        target = first["model"]["children"][0]["eventHandlers"]["onClick"]["target"]
        await layout.deliver({"type": "layout-event", "target": target, "seq": 0, "data": [{}]})
        second = await layout.render()
        await layout.deliver({"type": "layout-event", "target": target, "seq": 7, "data": [{}]})
        third = await layout.render()
    assert [first["ack"], second["ack"], third["ack"]] == [-1, 0, 7]


async def test_renders_leave_nothing_behind() -> None:
    seen: dict[str, Any] = {}
    async with TabLayout(table(seen)) as layout:
        await layout.render()
        for number in range(1, 20):
            seen["set_number"](number)
            await layout.render()
        assert seen["hook"]._effect_stops == []
        assert seen["hook"]._effect_tasks == []
