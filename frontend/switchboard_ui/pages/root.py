"""The root of the in-tab page: one scheduler, the backend, who is signed in, and the page of this address."""

from __future__ import annotations

import random  # noqa: TID251 - the tab's randomness enters here, as an argument of the scheduler
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

from reactpy import component, use_effect, use_ref, use_state

from switchboard_ui.components.frame import frame
from switchboard_ui.components.update_controls import PAUSED, UPDATES
from switchboard_ui.components.voice_region import voice_region
from switchboard_ui.core.actions import Actions
from switchboard_ui.core.backend_identity import BackendIdentity
from switchboard_ui.core.capabilities_query import capabilities_query
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.page_context import PageContext
from switchboard_ui.core.places import PageName, Place, place_of
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.core.session_query import session_query
from switchboard_ui.core.stopping import all_of
from switchboard_ui.core.voice import Voice
from switchboard_ui.pages.all_pages import DRAWN
from switchboard_ui.ports import Ports
from switchboard_wire.reads import Capabilities

CAPABILITIES, SESSION = capabilities_query(), session_query()


def root(ports: Ports) -> Any:
    """The component that the boot script mounts."""
    reads = TabReads(ports, SchedulerSettings(), random.random)
    if ports.tab.recall(UPDATES) == PAUSED:
        reads.pause_all()
    return page(PageContext(ports, reads, Actions(ports.fetch, reads, SESSION), Voice(), lambda: uuid4().hex))


@component
def page(context: PageContext) -> Any:
    ports, reads = context.ports, context.reads
    place, set_place = use_state(lambda: place_of(ports.tab.path()) or Place(PageName.BOARD))
    read_only, set_read_only = use_state(context.read_only)
    here = use_ref(place)
    known = use_ref(read_only)

    def follow() -> Callable[[], None]:
        def capable(observation: Observation[Capabilities]) -> None:
            if observation.data is None:
                return
            backend = observation.data.backend
            reads.backend_seen(
                BackendIdentity(database=backend.database, process=backend.process),
                observation.data.limits.cached_refresh_floor_ms / 1000,
            )
            if known.current != observation.data.read_only:
                known.current = observation.data.read_only
                set_read_only(known.current)

        def moved(address: str) -> None:
            new = place_of(address)
            if new is None:
                ports.tab.go(address)
                return
            before, here.current = here.current, new
            set_place(new)
            ports.tab.set_title(new.title)
            if new.path != before.path:
                ports.tab.focus("heading")
            elif new.cursors != before.cursors:
                ports.tab.focus(new.caption)

        ports.tab.on_navigation(moved)
        return all_of([reads.subscribe(CAPABILITIES, capable), reads.subscribe(SESSION, lambda _: None)])

    use_effect(follow, [])
    shown = replace(context, read_only=read_only)
    return frame(
        place.listed_under,
        place.heading,
        DRAWN[place.page](shown, place, key=place.path),
        announced=voice_region(context, key="voice"),
    )
