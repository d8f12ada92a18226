"""D10: of several reasons to refuse, one is told, in claim, claim_next and status alike, until it is gone."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_wire.errors import SwitchboardError
from switchboard_wire.worker import AskAdmissionStatus, Complete
from tests.support.clock import Clock
from tests.support.scenario import DAY_UTC, Endpoint, World


async def told(world: World, endpoint: Endpoint, todo_id: int) -> list[str | None]:
    """The reason as claim_next, claim and admission_status give it."""
    (deferred,) = (await world.claim_next(endpoint)).deferred
    with pytest.raises(SwitchboardError) as refusal:
        await world.claim(endpoint, todo_id)
    (status,) = (await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())).queues
    return [deferred.reason, str(refusal.value.details["reason"]), status.status.reason]


async def test_each_reason_stands_before_the_next_and_the_last_to_go_lets_the_claim_in(
    world: World, clock: Clock
) -> None:
    endpoint = await world.endpoint("e", "q")
    full: dict[str, Any] = {"max_in_flight": 1, "max_claims_per_window": 1, "window": DAY_UTC}
    await world.set_policy(endpoint, "q", **full)
    held, todo_id = await world.enqueue_many(endpoint, "q", 2)
    await world.claim(endpoint, held)

    # Paused, spent, full, and of a zone that nobody knows: nobody can say.
    await world.set_policy(endpoint, "q", **full | {"max_in_flight": 0})
    await world.sql.execute("update switchboard.policies set window_tz = 'Mars/Olympus'")
    assert await told(world, endpoint, todo_id) == ["admission_unavailable"] * 3
    # The same by the other limit, with a zone again: paused, whichever limit is 0.
    for limit in ("max_in_flight", "max_claims_per_window"):
        await world.set_policy(endpoint, "q", **full | {limit: 0})
        assert await told(world, endpoint, todo_id) == ["paused"] * 3
    await world.set_policy(endpoint, "q", **full)
    assert await told(world, endpoint, todo_id) == ["window_exhausted"] * 3
    await world.set_policy(endpoint, "q", **full | {"max_claims_per_window": 2})
    assert await told(world, endpoint, todo_id) == ["in_flight_full"] * 3
    await world.service.drain.complete(endpoint.caller, Complete(todo_id=held))
    claimed = await world.claim(endpoint, todo_id)
    assert claimed.admission is not None
    assert (claimed.admission.in_flight, claimed.admission.used, claimed.admission.remaining) == (1, 2, 0)
