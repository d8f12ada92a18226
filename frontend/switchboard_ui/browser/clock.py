"""The tab's two clocks."""

from __future__ import annotations

from datetime import UTC, datetime

import js


class BrowserClock:
    """Implements `ports.Clock`."""

    def now(self) -> float:
        """Monotonic seconds since the document began; goes on while the tab is frozen."""
        return float(js.performance.now()) / 1000

    def wall(self) -> datetime:
        """The computer's wall clock."""
        return datetime.fromtimestamp(float(js.Date.now()) / 1000, UTC)
