"""How an operation that was begun here comes on, until it has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, html, use_effect, use_ref, use_state

from switchboard_ui.core.bulk_words import ENDED, progress_words
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.operation_query import operation_query
from switchboard_ui.core.page_context import PageContext
from switchboard_wire.operations import Operation


@component
def operation_line(context: PageContext, began: Operation, name: str = "operation") -> Any:
    """`name` becomes its id; `began` is the operation as its submission answered it. Once it has ended it is read no
    more."""
    operation, set_operation = use_state(began)
    shown = use_ref(began)

    def follow() -> Callable[[], None]:
        stops: list[Callable[[], None]] = []

        def stop() -> None:
            while stops:
                stops.pop()()

        def take(observation: Observation[Operation]) -> None:
            new = observation.data
            if new is None or new == shown.current:
                return
            shown.current = new
            set_operation(new)
            if new.state in ENDED:
                context.reads.mark_dirty(("jobs", "queues", "dlq", "operations"))
                context.voice.answer(progress_words(new))
                stop()

        if began.state not in ENDED:
            stops.append(context.reads.subscribe(operation_query(began.id), take))
            if shown.current.state in ENDED:
                stop()
        return stop

    use_effect(follow, [])
    failed = operation.error is not None
    return html.p({"class": f"outcome {'refused' if failed else ''}", "id": name}, progress_words(operation))
