"""What the tab's scheduler wants done. A step returns them in the order in which they must happen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from switchboard_ui.core.events import Attempt
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.query import QueryKey


@dataclass(frozen=True, slots=True)
class Arm:
    """Set the one timer to this monotonic instant, in place of what it was set to."""

    at: float


@dataclass(frozen=True, slots=True)
class Disarm:
    """Nothing is due: hold no timer."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Send the read of `attempt.key`. The scheduler itself watches `expires_at`."""

    attempt: Attempt
    expires_at: float


@dataclass(frozen=True, slots=True)
class Abort:
    """End the read. Only a courtesy to the server: a late result is fenced in any case."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Publish:
    """New data of the key was accepted."""

    key: QueryKey
    observation: Observation[Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """What is shown of the key changed without new data."""

    key: QueryKey
    observation: Observation[Any]


@dataclass(frozen=True, slots=True)
class Reject:
    """The key was refused: `limit` keys are active."""

    key: QueryKey
    limit: int


Effect: TypeAlias = Arm | Disarm | Dispatch | Abort | Publish | Mark | Reject
