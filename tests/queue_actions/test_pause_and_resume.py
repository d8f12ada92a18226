"""Pause and resume are edits of the policy: one mechanism, one audit of policies (D21)."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.core.identity import Human
from switchboard_wire.admission import AdmissionState, DeferralReason
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator import PolicyView
from switchboard_wire.policy import Policy
from tests.support.clock import Clock
from tests.support.dead import audit_rows
from tests.support.scenario import DAY_UTC, Endpoint, World


async def pause(world: World, endpoint: Endpoint) -> Policy | None:
    return (await world.service.queue_actions.pause(endpoint.owner, endpoint.queue_id("q"))).queue.policy


async def resume(world: World, endpoint: Endpoint) -> Policy | None:
    return (await world.service.queue_actions.resume(endpoint.owner, endpoint.queue_id("q"))).queue.policy


async def view(world: World, endpoint: Endpoint) -> PolicyView:
    return await world.service.policies.show(endpoint.owner, f"endpoint:{endpoint.slug}", "q")


async def refusal(call: Any) -> SwitchboardError:
    with pytest.raises(SwitchboardError) as refused:
        await call
    return refused.value


async def test_without_a_policy_pause_makes_one_and_resume_takes_it_away(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.enqueue(endpoint, "q")

    paused = await world.service.queue_actions.pause(endpoint.owner, endpoint.queue_id("q"))
    assert paused.queue.policy == Policy(max_in_flight=0)
    assert (paused.queue.status.state, paused.queue.status.reason) == (AdmissionState.DEFERRED, DeferralReason.PAUSED)
    assert (await world.claim_next(endpoint)).empty

    resumed = await world.service.queue_actions.resume(endpoint.owner, endpoint.queue_id("q"))
    assert resumed.queue.policy is None
    assert not (await world.claim_next(endpoint)).empty
    audit = (await view(world, endpoint)).audit
    assert [record.action.value for record in audit] == ["delete", "create"]


async def test_the_limit_that_stood_comes_back_and_the_window_stays(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    before = await world.set_policy(endpoint, "q", max_in_flight=7, max_claims_per_window=9, window=DAY_UTC)

    paused = await pause(world, endpoint)
    assert paused is not None
    assert (paused.max_in_flight, paused.max_claims_per_window) == (0, 9)

    assert await resume(world, endpoint) == before.admission.policy
    audit = (await view(world, endpoint)).audit
    assert [
        (record.before and record.before["max_in_flight"], record.after and record.after["max_in_flight"])
        for record in audit
    ] == [(0, 7), (7, 0), (None, 7)]
    assert [record["action"] for record in await audit_rows(world)] == ["queues.pause", "queues.resume"]
    assert [record["counts"] for record in await audit_rows(world)] == [{"paused": 1}, {"resumed": 1}]


async def test_no_limit_in_flight_comes_back_as_no_limit(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    before = await world.set_policy(endpoint, "q", max_claims_per_window=9, window=DAY_UTC)
    await pause(world, endpoint)
    assert await resume(world, endpoint) == before.admission.policy


async def test_an_edit_during_the_pause_is_kept(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=7)
    await pause(world, endpoint)
    await world.set_policy(endpoint, "q", max_in_flight=0, max_claims_per_window=9, window=DAY_UTC)

    resumed = await resume(world, endpoint)

    assert resumed is not None
    assert (resumed.max_in_flight, resumed.max_claims_per_window) == (7, 9)


async def test_a_pause_by_hand_is_resumed_like_any(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3)
    await world.set_policy(endpoint, "q", max_in_flight=0)
    assert await resume(world, endpoint) == Policy(max_in_flight=3)


async def test_each_pause_is_resumed_to_what_stood_before_it(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    for limit in (3, 5):
        await world.set_policy(endpoint, "q", max_in_flight=limit)
        await pause(world, endpoint)
        assert await resume(world, endpoint) == Policy(max_in_flight=limit)


async def test_what_is_paused_is_not_paused_again_and_what_is_not_is_not_resumed(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    without = await refusal(resume(world, endpoint))
    await world.set_policy(endpoint, "q", max_in_flight=3)
    running = await refusal(resume(world, endpoint))
    await pause(world, endpoint)
    twice = await refusal(pause(world, endpoint))

    assert (without.code, running.code, twice.code) == (ErrorCode.CONFLICT,) * 3
    assert without.message == running.message == "This queue is not paused."
    assert twice.message == "This queue is paused already."
    assert len(await audit_rows(world)) == 1
    assert len((await view(world, endpoint)).audit) == 2


async def test_where_the_audit_does_not_tell_what_stood_nothing_is_guessed(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3)
    await world.sql.execute("update switchboard.policies set max_in_flight = 0")

    refused = await refusal(resume(world, endpoint))

    assert (refused.code, refused.message) == (
        ErrorCode.CONFLICT,
        "Nothing tells which limit stood before the pause; set the policy instead.",
    )


async def test_a_policy_that_cannot_be_evaluated_is_paused_and_resumed_as_it_stands(world: World, clock: Clock) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.set_policy(endpoint, "q", max_in_flight=3, max_claims_per_window=9, window=DAY_UTC)
    await world.sql.execute("update switchboard.policies set window_tz = 'Mars/Olympus'")
    await pause(world, endpoint)
    await resume(world, endpoint)
    row = await world.sql.fetchrow("select max_in_flight, window_tz from switchboard.policies")
    assert tuple(row) == (3, "Mars/Olympus")


@pytest.mark.parametrize("verb", ["pause", "resume", "drain"])
async def test_unknown_foreign_and_merely_visible_queues_are_the_same_not_found(world: World, verb: str) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.enqueue(endpoint, "q")
    queue_id = endpoint.queue_id("q")
    mallory, operator = await world.human("mallory"), await world.human("olga", operator=True)

    async def said(human: Human, target: int) -> dict[str, Any]:
        return (await refusal(getattr(world.service.queue_actions, verb)(human, target))).body()

    unknown = await said(endpoint.owner, 2**62)
    assert unknown["error"]["code"] == "not_found"
    assert await said(mallory, queue_id) == await said(operator, queue_id) == unknown
    assert await world.states(endpoint, "q") == {"pending": 1}
    assert await audit_rows(world) == []


@pytest.mark.parametrize("verb", ["pause", "resume"])
async def test_the_policy_of_a_revoked_endpoint_is_read_only(world: World, verb: str) -> None:
    endpoint = await world.endpoint("e", "q")
    await world.sql.execute("update switchboard.endpoints set state = 'revoked', revoked_at = clock_timestamp()")
    refused = await refusal(getattr(world.service.queue_actions, verb)(endpoint.owner, endpoint.queue_id("q")))
    assert refused.code is ErrorCode.CONFLICT
