"""A view that follows its reads: drawn again when what it shows has changed, and not otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, use_effect, use_ref, use_state

from switchboard_ui.core.observation import Observation
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.query import Query
from switchboard_ui.core.stopping import all_of

Queries = tuple[Query[Any], ...]
ViewOf = Callable[[tuple[Observation[Any], ...]], Any]


@component
def observed(context: PageContext, queries: Queries, view_of: ViewOf, draw: Callable[[Any], Any]) -> Any:
    """`view_of` makes of the observations, as many as `queries`, a view that compares by value; `draw` its element.

    The queries are those of the first render: give the component a key that changes with them (`key_of`).
    """
    view = view_of(context.seen(queries))
    shown = use_ref(view)
    shown.current = view
    latest = use_ref(view_of)
    latest.current = view_of
    _, redraw = use_state(0)

    def follow() -> Callable[[], None]:
        def update(_: Observation[Any]) -> None:
            if latest.current(context.seen(queries)) != shown.current:
                redraw(_next)

        return all_of([context.reads.subscribe(query, update) for query in queries])

    use_effect(follow, [])
    return draw(view)


def key_of(queries: Queries) -> str:
    """A component's key that is another one as soon as another thing is read."""
    return "|".join(f"{query.key.method} {query.key.path} {query.key.body}" for query in queries)


def _next(count: int) -> int:
    return count + 1
