"""The bounds of the tab's scheduler: every one finite, none of them switched off by a zero."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

# Lowest and highest value of each setting. The highest ones keep a typing error from defeating a bound.
_LIMITS: dict[str, tuple[float, float]] = {
    "max_keys": (1, 64),
    "max_in_flight": (1, 8),
    "debounce": (0.001, 10),
    "debounce_max": (0.001, 60),
    "cached_floor": (0.5, 600),
    "uncached_floor": (0.5, 600),
    "watchdog": (1, 3600),
    "watchdog_jitter": (0.001, 0.5),
    "server_deadline": (0.1, 600),
    "client_deadline": (0.1, 900),
    "backoff_first": (0.1, 60),
    "backoff_max": (0.1, 600),
    "retry_after_max": (1, 3600),
    "reprobe": (1, 3600),
    "kept_keys": (1, 256),
    "kept_for": (1, 3600),
}
_WHOLE = frozenset({"max_keys", "max_in_flight", "kept_keys"})


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """Counts are whole numbers, all other values seconds, `watchdog_jitter` a fraction.

    Raises ValueError, naming the setting, for a value that is not finite, out of its limits or at odds with another.
    """

    max_keys: int = 16
    """Active keys a tab; the next one is refused."""
    max_in_flight: int = 2
    """Reads at a time, over all keys."""
    debounce: float = 0.1
    """A dirty mark becomes eligible this long after the latest mark of its burst."""
    debounce_max: float = 0.5
    """And at the latest this long after the first mark of the burst."""
    cached_floor: float = 5.0
    """Least pause between two reads of a key that the server caches; a longer advertised lifetime raises it."""
    uncached_floor: float = 2.0
    """Least pause between two reads of any other key."""
    watchdog: float = 30.0
    """Nominal time after a success until reconciliation; `watchdog_max` is the longest with jitter."""
    watchdog_jitter: float = 0.1
    """The watchdog is drawn from (1 - jitter) to (1 + jitter) times its nominal value."""
    server_deadline: float = 15.0
    """The server's whole-read deadline, which the client's must exceed."""
    client_deadline: float = 20.0
    """From dispatch to decoded and validated."""
    backoff_first: float = 2.0
    """Upper end of the pause after a first failure; doubles with each further one."""
    backoff_max: float = 60.0
    """Upper end of every such pause, jitter included."""
    retry_after_max: float = 300.0
    """A longer Retry-After is cut to this: no header of a proxy may silence a tab for good."""
    reprobe: float = 60.0
    """Least time until an absent capability is asked for again without being told to."""
    kept_keys: int = 32
    """Released keys whose last data and pacing are remembered for a return."""
    kept_for: float = 300.0
    """How long they are remembered."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name))
        if self.debounce > self.debounce_max:
            raise ValueError(f"debounce ({self.debounce}) exceeds debounce_max ({self.debounce_max})")
        if self.backoff_first > self.backoff_max:
            raise ValueError(f"backoff_first ({self.backoff_first}) exceeds backoff_max ({self.backoff_max})")
        if self.client_deadline <= self.server_deadline:
            raise ValueError(
                f"client_deadline ({self.client_deadline}) must exceed server_deadline ({self.server_deadline})"
            )

    @property
    def watchdog_max(self) -> float:
        """Longest time, in seconds, between a success and the reconciliation that follows it."""
        return self.watchdog * (1 + self.watchdog_jitter)

    @property
    def watchdog_min(self) -> float:
        """Shortest such time, in seconds."""
        return self.watchdog * (1 - self.watchdog_jitter)


def _check(name: str, value: object) -> None:
    kinds = (int,) if name in _WHOLE else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise ValueError(f"{name} must be a {'whole ' if name in _WHOLE else ''}number, not {value!r}")
    low, high = _LIMITS[name]
    if not math.isfinite(value) or not low <= value <= high:
        raise ValueError(f"{name} must be from {low:g} to {high:g}, not {value!r}")
