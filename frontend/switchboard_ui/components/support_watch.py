"""Whether the server has a read; it keeps the key alive, so that the scheduler asks again from time to time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, use_effect

from switchboard_ui.core.observation import Observation, State
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.query import Query


@component
def support_watch(context: PageContext, query: Query[Any], told: Callable[[bool], None]) -> Any:
    """Draws nothing; tells with each observation whether the read is known to be missing."""

    def follow() -> Callable[[], None]:
        def take(observation: Observation[Any]) -> None:
            told(observation.state is State.UNSUPPORTED and observation.data is None)

        return context.reads.subscribe(query, take)

    use_effect(follow, [])
    return ""
