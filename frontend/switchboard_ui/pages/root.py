"""The root of the in-tab page: one scheduler, the backend's identity, and the page of this address."""

from __future__ import annotations

import random  # noqa: TID251 - the tab's randomness enters here, as an argument of the scheduler
from collections.abc import Callable
from typing import Any

from reactpy import component, use_effect

from switchboard_ui.core.backend_identity import BackendIdentity
from switchboard_ui.core.board_queries import capabilities_query
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.observation import Observation
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.pages.board import board_page
from switchboard_ui.ports import Ports
from switchboard_wire.reads import Capabilities

CAPABILITIES = capabilities_query()


def root(ports: Ports) -> Any:
    """The component that the boot script mounts."""
    return page(ports, TabReads(ports, SchedulerSettings(), random.random))


@component
def page(ports: Ports, reads: TabReads) -> Any:
    def know_backend() -> Callable[[], None]:
        def seen(observation: Observation[Capabilities]) -> None:
            if observation.data is not None:
                backend = observation.data.backend
                reads.backend_seen(
                    BackendIdentity(database=backend.database, process=backend.process),
                    observation.data.limits.cached_refresh_floor_ms / 1000,
                )

        return reads.subscribe(CAPABILITIES, seen)

    use_effect(know_backend, [])
    return board_page(ports, reads, key="board")
