"""What every page of the tab is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from switchboard_ui.core.actions import Actions
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.freshness_view import FreshnessView, freshness_view
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.query import Query
from switchboard_ui.core.voice import Voice
from switchboard_ui.ports import Ports


@dataclass(frozen=True, slots=True)
class PageContext:
    """`read_only`: the server takes no mutations; None while that is not known. `new_key` gives a text that nobody else
    has, for what must be done once."""

    ports: Ports
    reads: TabReads
    actions: Actions
    voice: Voice
    new_key: Callable[[], str]
    read_only: bool | None = None

    def seen(self, queries: Sequence[Query[Any]]) -> tuple[Observation[Any], ...]:
        """What a view of these sees now."""
        return tuple(self.reads.snapshot(query.key) for query in queries)

    def trust(self, queries: Sequence[Query[Any]], what: str) -> FreshnessView:
        """How far these can be trusted now; `what` names them in a sentence: "the todos"."""
        ports = self.ports
        return freshness_view(self.seen(queries), what, ports.tab.zone(), ports.clock.now(), ports.clock.wall())

    def go(self, address: str, *, replace: bool = False) -> None:
        """To another place of this page."""
        self.ports.tab.navigate(address, replace=replace)
