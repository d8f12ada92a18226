"""One interval for everything that ages on screen; none while the tab is hidden or nothing ages."""

from __future__ import annotations

from collections.abc import Callable

from js import clearInterval, setInterval
from pyodide.ffi import create_proxy

from switchboard_ui.ports import Lifecycle, Tab

_MILLISECONDS = 1000


class BrowserTicker:
    """Implements ports.Ticker."""

    def __init__(self, tab: Tab) -> None:
        self._ticks: dict[int, Callable[[], None]] = {}
        self._serial = 0
        self._interval: int | None = None
        self._fire = create_proxy(self._tick_all)
        self._visible = tab.visible()
        tab.on_lifecycle(self._lifecycle)

    def __call__(self, tick: Callable[[], None]) -> Callable[[], None]:
        self._serial += 1
        serial = self._serial
        self._ticks[serial] = tick
        self._settle()

        def stop() -> None:
            self._ticks.pop(serial, None)
            self._settle()

        return stop

    def _lifecycle(self, change: Lifecycle) -> None:
        if change is Lifecycle.ONLINE:
            return
        self._visible = change in (Lifecycle.VISIBLE, Lifecycle.PAGE_SHOW_PERSISTED)
        self._settle()
        if self._visible:
            self._tick_all()

    def _settle(self) -> None:
        wanted = self._visible and bool(self._ticks)
        if wanted and self._interval is None:
            self._interval = setInterval(self._fire, _MILLISECONDS)
        elif not wanted and self._interval is not None:
            clearInterval(self._interval)
            self._interval = None

    def _tick_all(self) -> None:
        for tick in list(self._ticks.values()):
            tick()
