"""What the live region holds; by itself, so that a sentence redraws nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactpy import component, use_effect, use_ref, use_state

from switchboard_ui.core.page_context import PageContext


@component
def voice_region(context: PageContext) -> Any:
    said, set_said = use_state("")
    told = use_ref(said)

    def follow() -> Callable[[], None]:
        def tick() -> None:
            new = context.voice.listen(context.ports.clock.now())
            if new != told.current:
                told.current = new
                set_said(new)

        return context.ports.ticker(tick)

    use_effect(follow, [])
    return said
