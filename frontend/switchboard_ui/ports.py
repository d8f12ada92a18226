"""What the page needs from its surroundings. `browser` implements these; tests give fakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Request:
    """One read or mutation on our own origin. `path` starts with "/"; `body` is JSON text or None.

    `csrf_token` goes along with a mutation. `deadline`: seconds to the end of the answer's body, for what no scheduler
    watches.
    """

    method: str
    path: str
    body: str | None = None
    csrf_token: str | None = field(default=None, repr=False)
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer. Header names are lower case; `redirected` tells that the browser followed a redirect."""

    status: int
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)
    redirected: bool = False


class NetworkError(Exception):
    """No whole answer arrived: refused, reset, cut off or cross-origin."""


class Fetch(Protocol):
    async def __call__(self, request: Request) -> Response:
        """Send with same-origin credentials and no cache. Cancelling the task aborts headers and body alike.

        Raises NetworkError when no whole answer arrived.
        """


class Clock(Protocol):
    def now(self) -> float:
        """Monotonic seconds; advances while the tab is frozen."""

    def wall(self) -> datetime:
        """The wall clock, aware, in UTC."""


class Timer(Protocol):
    """The page's one timer."""

    def arm(self, at: float, fire: Callable[[], None]) -> None:
        """Call `fire` once when Clock.now() reaches `at`; replaces what was armed before."""

    def disarm(self) -> None: ...


class Lifecycle(StrEnum):
    VISIBLE = "visible"
    HIDDEN = "hidden"
    PAGE_HIDE = "page_hide"
    PAGE_SHOW_PERSISTED = "page_show_persisted"
    ONLINE = "online"


class Tab(Protocol):
    """The tab itself."""

    def visible(self) -> bool: ...

    def on_lifecycle(self, listener: Callable[[Lifecycle], None]) -> None: ...

    def zone(self) -> str:
        """The viewer's IANA zone name, "UTC" when the browser does not say."""

    def path(self) -> str:
        """Path and query of the current location."""

    def go(self, url: str) -> None:
        """Leave for another document of our origin."""

    def navigate(self, address: str, *, replace: bool = False) -> None:
        """Another place of this document: `address` becomes the current location, and listeners are told.

        `replace`: Back does not lead to where the page is now.
        """

    def on_navigation(self, listener: Callable[[str], None]) -> None:
        """Tell path and query of each place that the document is at from now on: by a link, Back or navigate()."""

    def recall(self, name: str) -> str | None:
        """A remembered choice of this browser (never a credential), None when there is none."""

    def remember(self, name: str, value: str) -> None: ...

    def set_title(self, title: str) -> None: ...

    def focus(self, element_id: str) -> None: ...

    def copy(self, text: str, told: Callable[[bool], None]) -> None:
        """Put text into the clipboard, and tell whether the browser let us."""


class Ticker(Protocol):
    """The page's one clock for what ages on screen."""

    def __call__(self, tick: Callable[[], None]) -> Callable[[], None]:
        """Call `tick` once a second while the tab is visible, until the returned function is called."""


@dataclass(frozen=True)
class Ports:
    """Everything the page may reach outside itself, handed to the root component."""

    fetch: Fetch
    clock: Clock
    timer: Timer
    ticker: Ticker
    tab: Tab
