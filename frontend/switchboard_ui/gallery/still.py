"""Surroundings in which nothing ever happens: time stands, and what was read is all that will be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from switchboard_ui.core.actions import Actions
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.key_state import Cause
from switchboard_ui.core.observation import NOT_READ, Observation, State
from switchboard_ui.core.outcomes import Failure, FailureKind
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.query import Query, QueryKey
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.core.session_query import session_query
from switchboard_ui.core.voice import Voice
from switchboard_ui.ports import Lifecycle, Ports, Request, Response

T = TypeVar("T")
VIEWER = "Europe/Berlin"
NOW = datetime(2026, 12, 1, 7, 30, tzinfo=UTC)
"""08:30 for the viewer, 23:30 of the day before where the policies are."""


class StillTab:
    """Implements ports.Tab."""

    def visible(self) -> bool:
        return False

    def on_lifecycle(self, listener: Callable[[Lifecycle], None]) -> None:
        return

    def zone(self) -> str:
        return VIEWER

    def path(self) -> str:
        return "/board"

    def go(self, url: str) -> None:
        return

    def navigate(self, address: str, *, replace: bool = False) -> None:
        return

    def on_navigation(self, listener: Callable[[str], None]) -> None:
        return

    def recall(self, name: str) -> str | None:
        return None

    def remember(self, name: str, value: str) -> None:
        return

    def set_title(self, title: str) -> None:
        return

    def focus(self, element_id: str) -> None:
        return

    def copy(self, text: str, told: Callable[[bool], None]) -> None:
        return


class StillClock:
    """Implements ports.Clock and ports.Timer; as a ticker it never ticks."""

    def now(self) -> float:
        return 0.0

    def wall(self) -> datetime:
        return NOW

    def arm(self, at: float, fire: Callable[[], None]) -> None:
        return

    def disarm(self) -> None:
        return

    def __call__(self, tick: Callable[[], None]) -> Callable[[], None]:
        return self.disarm


async def no_answer(request: Request) -> Response:
    never: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
    return await never


class StillReads(TabReads):
    """Reads with their data from the start; nobody is ever told of more."""

    def __init__(self, ports: Ports, known: Mapping[QueryKey, Observation[Any]]) -> None:
        super().__init__(ports, SchedulerSettings(), lambda: 0.5)
        self._known = known

    def subscribe(self, query: Query[T], listener: Callable[[Observation[T]], None]) -> Callable[[], None]:
        return lambda: None

    def snapshot(self, key: QueryKey) -> Observation[Any]:
        return self._known.get(key, NOT_READ)


def still_context(*known: tuple[Query[Any], Observation[Any]]) -> PageContext:
    """What is not `known` is not read yet."""
    clock = StillClock()
    ports = Ports(fetch=no_answer, clock=clock, timer=clock, ticker=clock, tab=StillTab())
    reads = StillReads(ports, {query.key: observation for query, observation in known})
    actions = Actions(ports.fetch, reads, session_query())
    return PageContext(ports, reads, actions, Voice(), lambda: "key", read_only=False)


def read(data: Any) -> Observation[Any]:
    """Fresh, and true two seconds ago."""
    return Observation(State.FRESH, Cause.READ, 0.0, NOW, NOW, 2000, data=data)


def unread(state: State, kind: FailureKind) -> Observation[Any]:
    """It failed from the start."""
    return Observation(state, kind, failure=Failure(kind, kind.value))
