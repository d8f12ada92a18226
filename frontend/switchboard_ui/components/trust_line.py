"""The trust line of a page; by itself, so that the ticking age redraws one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, use_effect, use_ref, use_state

from switchboard_ui.components.freshness import freshness
from switchboard_ui.components.observed import Queries
from switchboard_ui.core.announcements import TrustNews
from switchboard_ui.core.freshness_view import reading
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.stopping import all_of


@component
def trust_line(context: PageContext, queries: Queries, what: str) -> Any:
    """How far these reads can be trusted, and the voice's news about it. `what`: "the board", "the todos"."""
    view, set_view = use_state(lambda: reading(what))
    shown = use_ref(view)

    def follow() -> Callable[[], None]:
        def update(*_: object) -> None:
            new = context.trust(queries, what)
            if new != shown.current:
                shown.current = new
                set_view(new)

        return all_of(
            [
                *(context.reads.subscribe(query, update) for query in queries),
                context.ports.ticker(update),
                context.voice.follow(TrustNews(lambda: context.trust(queries, what), what)),
            ]
        )

    use_effect(follow, [])
    return freshness(view)
