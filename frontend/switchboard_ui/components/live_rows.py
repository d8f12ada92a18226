"""A listing whose refresh touches the rows that changed and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reactpy import component, use_effect, use_ref, use_state

from switchboard_ui.components.observed import Queries
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.row_store import RowId, RowStore
from switchboard_ui.core.stopping import all_of


@dataclass(frozen=True)
class Listing:
    """`rows` by id, in their order; None: not known. `around` is the rest that is shown; both compare by value."""

    rows: Mapping[RowId, Any] | None
    around: Any = None


Follow = Callable[[Callable[[], None]], Callable[[], None]]
"""Calls its argument at each change, until the function that it returned is called."""
ListingOf = Callable[[tuple[Observation[Any], ...]], Listing]


@component
def live_rows(
    context: PageContext,
    queries: Queries,
    listing_of: ListingOf,
    draw: Callable[[Any, list[Any] | None], Any],
    draw_row: Callable[[Any], Any],
    others: Sequence[Follow] = (),
) -> Any:
    """`draw(around, rows)` draws the whole, `rows` being None while unknown; `draw_row` one row.

    `others`: what else the listing depends on. As with `observed`, the queries are those of the first render.
    """
    listing = listing_of(context.seen(queries))
    store, _ = use_state(RowStore[Any])
    shown = use_ref(listing)
    shown.current = listing
    store.rows = dict(listing.rows or {})
    latest = use_ref(listing_of)
    latest.current = listing_of
    _, redraw = use_state(0)

    def follow() -> Callable[[], None]:
        def update(*_: object) -> None:
            new = latest.current(context.seen(queries))
            moved = store.replace(new.rows or {})
            if moved or new.around != shown.current.around or (new.rows is None) != (shown.current.rows is None):
                redraw(_next)
            else:
                shown.current = new

        reads = [context.reads.subscribe(query, update) for query in queries]
        return all_of([*reads, *(follow_other(update) for follow_other in others)])

    use_effect(follow, [])
    rows = None if listing.rows is None else [_row(store, each, draw_row, key=str(each)) for each in listing.rows]
    return draw(listing.around, rows)


@component
def _row(store: RowStore[Any], each: RowId, draw_row: Callable[[Any], Any]) -> Any:
    _, redraw = use_state(0)
    use_effect(lambda: store.follow(each, lambda: redraw(_next)), [])
    return draw_row(store.rows[each])


def _next(count: int) -> int:
    return count + 1
