"""What all keys share about the server behind them."""

from __future__ import annotations

from dataclasses import dataclass, field

from switchboard_ui.core.outcomes import Failure


@dataclass(slots=True)
class AbsentRoute:
    """A capability that the backend answered without; not asked for again before `reprobe_at` on our own account."""

    reprobe_at: float
    failure: Failure


@dataclass(slots=True)
class BackendState:
    """Epoch, cooldown, absent routes, session. Instants are monotonic seconds."""

    epoch: int = 0
    """Counts the databases and sessions that were read from; results of an earlier one are void."""
    cooldown_until: float = float("-inf")
    """No read of any key before this: the server said so."""
    advertised: float = 0.0
    """Seconds for which the server says it caches aggregate reads."""
    signed_out: bool = False
    absent: dict[str, AbsentRoute] = field(default_factory=dict)

    def cool(self, until: float) -> None:
        """Wait at least until then; a shorter hint never ends a longer one."""
        self.cooldown_until = max(self.cooldown_until, until)

    def reprobe_at(self, route: str) -> float:
        absent = self.absent.get(route)
        return float("-inf") if absent is None else absent.reprobe_at

    def probing(self, route: str, again_at: float) -> None:
        """A read of an absent route goes out: the other keys of the route wait for what it finds."""
        if route in self.absent:
            self.absent[route].reprobe_at = again_at

    def forget_routes(self, now: float, in_use: set[str]) -> None:
        """Drop what no active key needs and may be asked for anyway: a route can be as narrow as one row."""
        for route in [r for r, absent in self.absent.items() if r not in in_use and absent.reprobe_at <= now]:
            del self.absent[route]

    def replace(self) -> None:
        """Another database: what is known about this one is void, the epoch counts on."""
        self.epoch += 1
        self.cooldown_until = float("-inf")
        self.advertised = 0.0
        self.signed_out = False
        self.absent.clear()
