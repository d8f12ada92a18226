"""What can happen to the tab's scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from switchboard_ui.core.outcomes import Decoded, Failure
from switchboard_ui.core.query import QueryKey, Terms


@dataclass(frozen=True, slots=True)
class Attempt:
    """The identity of one dispatched read. Its result counts only while this very attempt is current."""

    page_epoch: int
    backend_epoch: int
    key: QueryKey
    serial: int


class PauseCause(StrEnum):
    """Why a key is paused. Causes add up: a key runs again when the last of them is gone."""

    SELECTION = "selection"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class Register:
    """A view needs the key. For a key that is active already: its terms change, nothing else."""

    key: QueryKey
    terms: Terms


@dataclass(frozen=True, slots=True)
class Release:
    """No view needs the key any more; its read and its demand end."""

    key: QueryKey


@dataclass(frozen=True, slots=True)
class MarkDirty:
    """A local change makes what is shown of these keys outdated."""

    keys: tuple[QueryKey, ...]


@dataclass(frozen=True, slots=True)
class ManualRefresh:
    """The operator asks for the key now."""

    key: QueryKey


@dataclass(frozen=True, slots=True)
class Pause:
    key: QueryKey
    cause: PauseCause


@dataclass(frozen=True, slots=True)
class Resume:
    key: QueryKey
    cause: PauseCause


@dataclass(frozen=True, slots=True)
class Tick:
    """The armed timer fired. Expiry of reads is derived from the instant, not reported."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An answer was decoded and validated."""

    attempt: Attempt
    decoded: Decoded[Any]


@dataclass(frozen=True, slots=True)
class Failed:
    attempt: Attempt
    failure: Failure


@dataclass(frozen=True, slots=True)
class Visible:
    """The tab can be seen."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """The tab cannot be seen."""


@dataclass(frozen=True, slots=True)
class PageHide:
    """The document is left, perhaps into the back/forward cache."""


@dataclass(frozen=True, slots=True)
class PageShow:
    """The document is back; `visible` tells whether the tab can be seen at that moment."""

    persisted: bool
    visible: bool


@dataclass(frozen=True, slots=True)
class Online:
    """The browser has a network again. A hint to read, never a reason to skip a pause."""


@dataclass(frozen=True, slots=True)
class BackendChanged:
    """Another database answers now."""


@dataclass(frozen=True, slots=True)
class CredentialsChanged:
    """Somebody signed in or out, or rights changed."""


@dataclass(frozen=True, slots=True)
class LifetimeAdvertised:
    """The server says how many seconds it caches aggregate reads."""

    seconds: float


Event: TypeAlias = (
    Register
    | Release
    | MarkDirty
    | ManualRefresh
    | Pause
    | Resume
    | Tick
    | Arrived
    | Failed
    | Visible
    | Hidden
    | PageHide
    | PageShow
    | Online
    | BackendChanged
    | CredentialsChanged
    | LifetimeAdvertised
)
