"""A tab with as many keys as it may have: cached and uncached ones, and, if asked, one under continuous demand."""

from __future__ import annotations

import random
from typing import Any

from reactpy import component, hooks, html

from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.outcomes import Decoded
from switchboard_ui.core.query import Floor, Query
from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_ui.ports import Ports, Request, Response
from switchboard_wire.envelope import decode_observation_headers


def _decode(response: Response) -> Decoded[str]:
    seen = decode_observation_headers(response.headers)
    return Decoded(response.text, seen.observed_at, seen.served_at, seen.cache_age_ms)


def _query(number: int) -> Query[str]:
    """Even keys are cached ones at 5 s, odd ones uncached at 2 s: as often as their floors allow."""
    cached = number % 2 == 0
    return Query(
        scope=f"row/{number}",
        request=Request("GET", f"/read/{number}"),
        decode=_decode,
        floor=Floor.CACHED if cached else Floor.UNCACHED,
        cadence=5.0 if cached else 2.0,
    )


def idle(ports: Ports) -> Any:
    return _page(ports, pressed=False)


def pressed(ports: Ports) -> Any:
    return _page(ports, pressed=True)


@component
def _page(ports: Ports, pressed: bool) -> Any:
    read, set_read = hooks.use_state(0)

    def follow() -> None:
        reads = TabReads(ports, SchedulerSettings(), random.random)
        arrived: set[int] = set()

        def listener(number: int) -> Any:
            def told(observation: Any) -> None:
                if observation.data is not None and number not in arrived:
                    arrived.add(number)
                    set_read(len(arrived))

            return told

        for number in range(16):
            reads.subscribe(_query(number), listener(number))
        refused = reads.subscribe(_query(16), listener(16))
        del refused
        if pressed:
            ports.ticker(lambda: reads.mark_dirty(["row/1"]))

    hooks.use_effect(follow, [])
    return html.main(html.h1("Sixteen keys"), html.p({"id": "read"}, f"{read} read"))
