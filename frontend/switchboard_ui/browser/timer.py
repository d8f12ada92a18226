"""The page's one timer."""

from __future__ import annotations

from collections.abc import Callable

import js
from pyodide.ffi import create_proxy

from switchboard_ui.ports import Clock

# setTimeout holds its delay in 32 bits and fires at once when it does not fit.
_LONGEST_DELAY_MS = 2**31 - 1


class BrowserTimer:
    """Implements `ports.Timer` over one setTimeout."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._at = 0.0
        self._fire: Callable[[], None] | None = None
        self._handle: int | None = None
        self._elapsed = create_proxy(self._on_elapsed)

    def arm(self, at: float, fire: Callable[[], None]) -> None:
        """Call `fire` once when the clock reaches `at`; replaces what was armed before."""
        self.disarm()
        self._at, self._fire = at, fire
        self._start()

    def disarm(self) -> None:
        """Forget what was armed."""
        if self._handle is not None:
            js.clearTimeout(self._handle)
        self._handle = self._fire = None

    def _start(self) -> None:
        delay = max(0.0, (self._at - self._clock.now()) * 1000)
        self._handle = js.setTimeout(self._elapsed, min(delay, _LONGEST_DELAY_MS))

    def _on_elapsed(self) -> None:
        self._handle = None
        if self._clock.now() < self._at:
            # Browsers round: a timeout may come a fraction of a millisecond early.
            self._start()
            return
        fire, self._fire = self._fire, None
        if fire is not None:
            fire()
