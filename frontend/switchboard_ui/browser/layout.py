"""ReactPy's layout, made fit for a page that stays open for days."""

from __future__ import annotations

from collections import deque
from contextlib import AsyncExitStack
from typing import Any

from reactpy.config import REACTPY_ASYNC_RENDERING
from reactpy.core._life_cycle_hook import LifeCycleHook
from reactpy.core.layout import Layout
from reactpy.types import Component

_start_effects = LifeCycleHook.affect_layout_did_render


async def _start_effects_if_any(hook: LifeCycleHook) -> None:
    # ReactPy keeps one asyncio.Event for each render of each component until it is unmounted, effects or not:
    # about 1 kB each, which a page refreshed every few seconds would pile up by the hundred megabytes.
    if hook._effect_funcs:
        await _start_effects(hook)


class TabLayout(Layout):
    """Renders one component at a time, names keyed components, and tells how many events a render knew of."""

    def __init__(self, root: Component) -> None:
        super().__init__(root)
        self._awaited: deque[tuple[int, str]] = deque()
        self._acknowledged = -1

    async def deliver(self, event: Any) -> None:
        """Hand an event to its handler. Serial numbers must rise."""
        self._awaited.append((event["seq"], event["target"]))
        await super().deliver(event)

    async def __aenter__(self) -> TabLayout:
        # Parallel rendering gains nothing in one thread, and lets a child's update overtake the update of its
        # parent, whose path it then no longer fits.
        REACTPY_ASYNC_RENDERING.current = False
        LifeCycleHook.affect_layout_did_render = _start_effects_if_any  # type: ignore[assignment,method-assign]
        await super().__aenter__()
        return self

    async def _create_layout_update(self, old_state: Any) -> Any:
        # Read before the render: what is handled while it runs may or may not be in it.
        acknowledged = self._acknowledge()
        update = await super()._create_layout_update(old_state)
        return {"path": update["path"], "model": update["model"], "ack": acknowledged}

    def _acknowledge(self) -> int:
        # The renderer needs to know whether a value is the answer to the last keystroke or to an earlier one.
        # ReactPy's own mark covers only handlers that sit on the input itself.
        while self._awaited:
            serial, target = self._awaited[0]
            if self._last_event_seq_by_target.get(target, -1) < serial:
                break
            self._acknowledged = serial
            self._awaited.popleft()
        return self._acknowledged

    async def _render_component(
        self,
        exit_stack: AsyncExitStack,
        old_state: Any,
        parent: Any,
        index: int,
        key: Any,
        component: Component,
    ) -> Any:
        state = await super()._render_component(exit_stack, old_state, parent, index, key, component)
        # ReactPy uses a component's key for its own state and leaves it out of the model. The renderer needs it,
        # or a row that moves would take over the DOM node of the row that stood there.
        if component.key is not None:
            state.model.current["key"] = component.key
        return state
