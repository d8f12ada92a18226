"""REQ-10: policies are changed by who may, take effect on the next claim, and every change is audited."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest

from switchboard_wire.errors import ErrorCode, SwitchboardError
from tests.support.clock import Clock, instant
from tests.support.scenario import DAY_LOS_ANGELES, DAY_UTC, Endpoint, World
from tests.support.waiting import holding, lock_waits, patient_locks, within_bound


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q")


async def test_every_change_is_audited_with_who_when_before_and_after(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    created = clock.now
    await world.set_policy(endpoint, "q", max_in_flight=1)
    changed = await clock.advance(hours=1)
    await world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_UTC)
    deleted = await clock.advance(hours=1)
    assert await world.clear_policy(endpoint, "q") is True
    view = await world.service.policies.show(endpoint.owner, "endpoint:e", "q")
    first = {"max_in_flight": 1, "max_claims_per_window": None, "window": None}
    second = {"max_in_flight": None, "max_claims_per_window": 5, "window": DAY_UTC | {"weekday": None}}
    assert [(one.at, one.action, one.human, one.endpoint, one.before, one.after) for one in view.audit] == [
        (deleted, "delete", "ada", None, second, None),
        (changed, "change", "ada", None, first, second),
        (created, "create", "ada", None, None, first),
    ]
    assert (view.created_by, view.updated_by, view.admission.policy) == (None, None, None)


async def test_a_policy_names_who_made_it_and_who_changed_it_last(world: World, clock: Clock) -> None:
    (endpoint,) = await world.team_endpoints("crew", "lane", "e")
    grace = await world.human("grace")
    await world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'admin' from switchboard.teams", grace.id
    )
    made = clock.now
    await world.set_policy(endpoint, "lane", max_in_flight=1)
    changed = await clock.advance(hours=1)
    view = await world.service.policies.set(grace, "team:crew", "lane", {"max_in_flight": 2})
    assert (view.created_by, view.created_at, view.updated_by, view.updated_at) == ("ada", made, "grace", changed)


async def test_clearing_what_is_not_there_changes_and_audits_nothing(world: World, endpoint: Endpoint) -> None:
    before = await world.rows()
    assert await world.clear_policy(endpoint, "q") is False
    assert await world.rows() == before


async def test_the_change_and_its_audit_commit_together_or_not_at_all(
    world: World, endpoint: Endpoint, sql: asyncpg.Connection
) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=1)
    await sql.execute(
        "create function public.refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'no audit today'; end $$;"
        "create trigger refuse before insert on switchboard.policy_audit for each row execute function public.refuse()"
    )
    before = await world.rows()
    with pytest.raises(asyncpg.RaiseError):
        await world.set_policy(endpoint, "q", max_in_flight=2)
    with pytest.raises(asyncpg.RaiseError):
        await world.clear_policy(endpoint, "q")
    assert await world.rows() == before


async def test_lowering_below_usage_refuses_new_claims_and_revokes_none(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    await world.set_policy(endpoint, "q", max_claims_per_window=100, window=DAY_UTC)
    await world.enqueue_many(endpoint, "q", 120)
    await world.claim_next(endpoint, max=60, lease_seconds=86_400)
    view = await world.set_policy(endpoint, "q", max_claims_per_window=50, window=DAY_UTC)
    assert (view.admission.used, view.admission.remaining) == (60, 0)
    assert (await world.claim_next(endpoint)).deferred[0].reason == "window_exhausted"
    assert await world.states(endpoint, "q") == {"claimed": 60, "pending": 60}
    assert view.audit[0].before is not None
    assert view.audit[0].after is not None
    assert [view.audit[0].before["max_claims_per_window"], view.audit[0].after["max_claims_per_window"]] == [100, 50]
    await clock.set("2026-09-23T00:00")
    assert len((await world.claim_next(endpoint, max=100)).todos) == 50


async def test_raising_admits_immediately_also_in_a_process_that_knows_the_old_limit(
    world: World, endpoint: Endpoint
) -> None:
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_UTC)
    await world.enqueue_many(endpoint, "q", 3)
    other = world.another_process()
    await other.claim_next(endpoint)
    assert (await other.claim_next(endpoint)).empty
    await world.set_policy(endpoint, "q", max_claims_per_window=2, window=DAY_UTC)
    admission = (await other.claim_next(endpoint)).admission
    assert admission is not None
    assert (admission.max_claims_per_window, admission.used) == (2, 2)


async def test_lowering_is_obeyed_by_the_very_next_claim_of_a_process_that_knows_the_old_limit(
    world: World, endpoint: Endpoint
) -> None:
    await world.set_policy(endpoint, "q", max_claims_per_window=100, window=DAY_UTC)
    ids = await world.enqueue_many(endpoint, "q", 3)
    other = world.another_process()
    await other.claim(endpoint, ids[0])
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=DAY_UTC)
    with pytest.raises(SwitchboardError) as refusal:
        await other.claim(endpoint, ids[1])
    assert refusal.value.details["reason"] == "window_exhausted"


async def test_clearing_admits_without_limit_at_the_next_claim(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=0)
    await world.enqueue(endpoint, "q")
    other = world.another_process()
    assert (await other.claim_next(endpoint)).empty
    await world.clear_policy(endpoint, "q")
    answer = await other.claim_next(endpoint)
    assert (answer.empty, answer.admission) == (False, None)


async def test_usage_survives_clear_and_set(world: World, endpoint: Endpoint) -> None:
    policy = {"max_claims_per_window": 3, "window": DAY_LOS_ANGELES}
    await world.set_policy(endpoint, "q", **policy)
    await world.enqueue_many(endpoint, "q", 9)
    await world.claim_next(endpoint, max=3)
    await world.clear_policy(endpoint, "q")
    assert len((await world.claim_next(endpoint, max=2)).todos) == 2  # no policy, no charge
    view = await world.set_policy(endpoint, "q", **policy)
    assert (view.admission.used, view.admission.remaining) == (3, 0)
    assert (await world.claim_next(endpoint)).empty


async def test_usage_survives_a_zone_there_and_back(world: World, endpoint: Endpoint, clock: Clock) -> None:
    await world.enqueue_many(endpoint, "q", 9)
    used = []
    for zone, claims in (("America/Los_Angeles", 2), ("Europe/Berlin", 1), ("America/Los_Angeles", 1)):
        window = DAY_LOS_ANGELES | {"tz": zone}
        await world.set_policy(endpoint, "q", max_claims_per_window=3, window=window)
        for _ in range(claims):
            admission = (await world.claim_next(endpoint)).admission
            assert admission is not None
            used.append(admission.used)
    assert used == [1, 2, 1, 3]
    assert (await world.claim_next(endpoint)).empty
    assert await world.charges(endpoint, "q") == {
        instant("2026-09-22T00:00-07:00"): 3,
        instant("2026-09-22T00:00+02:00"): 1,
    }


@pytest.mark.parametrize(
    ("window", "starts"),
    [
        (DAY_LOS_ANGELES | {"start": "12:00"}, "2026-09-21T12:00-07:00"),
        (DAY_LOS_ANGELES | {"period": "hour"}, "2026-09-22T10:00-07:00"),
        (DAY_LOS_ANGELES | {"period": "week", "weekday": "Tue"}, "2026-09-22T00:00-07:00"),
        (DAY_LOS_ANGELES | {"tz": "Asia/Tokyo"}, "2026-09-23T00:00+09:00"),
    ],
)
async def test_a_changed_window_counts_in_the_window_that_it_places_now_in(
    world: World, endpoint: Endpoint, window: dict[str, Any], starts: str
) -> None:
    await world.set_policy(endpoint, "q", max_claims_per_window=3, window=DAY_LOS_ANGELES)
    await world.enqueue_many(endpoint, "q", 9)
    await world.claim_next(endpoint, max=3)
    view = await world.set_policy(endpoint, "q", max_claims_per_window=3, window=window)
    assert (view.admission.window_started_at, view.admission.used) == (instant(starts), 0)
    admission = (await world.claim_next(endpoint)).admission
    assert admission is not None
    assert admission.used == 1


async def test_an_hourly_start_means_its_minute_only(world: World, endpoint: Endpoint) -> None:
    hourly = {"period": "hour", "tz": "UTC", "start": "00:30"}
    await world.set_policy(endpoint, "q", max_claims_per_window=3, window=hourly)
    await world.enqueue_many(endpoint, "q", 3)
    await world.claim_next(endpoint, max=2)
    view = await world.set_policy(endpoint, "q", max_claims_per_window=3, window=hourly | {"start": "17:30"})
    assert view.admission.used == 2


async def test_a_claim_that_waits_for_a_change_obeys_the_change(
    world: World, endpoint: Endpoint, database_url: str, sql: asyncpg.Connection
) -> None:
    await patient_locks(sql)
    await world.set_policy(endpoint, "q", max_in_flight=5)
    todo_id = await world.enqueue(endpoint, "q")
    await world.claim_next(endpoint, queues=("q",), lease_seconds=60)
    waiting = await world.enqueue(endpoint, "q")
    async with holding(database_url, "update switchboard.policies set max_in_flight = 1") as change:
        claiming = asyncio.create_task(world.claim_next(endpoint))
        await lock_waits(sql, 1)
        await change.execute("commit")
        answer = await within_bound(claiming)
    assert [one.reason for one in answer.deferred] == ["in_flight_full"]
    assert ((await world.todo(todo_id))["state"], (await world.todo(waiting))["state"]) == ("claimed", "pending")


async def test_a_claim_that_waits_for_a_deletion_needs_no_admission(
    world: World, endpoint: Endpoint, database_url: str, sql: asyncpg.Connection
) -> None:
    await patient_locks(sql)
    await world.set_policy(endpoint, "q", max_in_flight=1)
    await world.enqueue_many(endpoint, "q", 2)
    await world.claim_next(endpoint)
    await world.sql.execute("update switchboard.todos set state = 'done', lease_expires_at = null where id = 1")
    async with holding(database_url, "delete from switchboard.policies") as deletion:
        claiming = asyncio.create_task(world.claim_next(endpoint))
        await lock_waits(sql, 1)
        await deletion.execute("commit")
        answer = await within_bound(claiming)
    assert (answer.empty, answer.admission) == (False, None)


async def test_foreign_unknown_and_unmanageable_queues_are_refused_in_the_same_words(
    world: World, endpoint: Endpoint
) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=1)
    (team_endpoint,) = await world.team_endpoints("crew", "lane", "t")
    member = await world.human("member")
    await world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'member' from switchboard.teams", member.id
    )
    operator = await world.human("root", operator=True)
    before = await world.rows()
    said = []
    for human, scope, name in (
        (member, "endpoint:e", "q"),
        (member, "team:crew", "lane"),
        (operator, "endpoint:e", "q"),
        (member, "endpoint:none", "q"),
        (endpoint.owner, "endpoint:e", "none"),
        (endpoint.owner, "team:e", "q"),
        (endpoint.owner, "e", "q"),
        (endpoint.owner, "", ""),
        (endpoint.owner, "endpoint:", "q"),
        (endpoint.owner, "endpoint:e", "q" * 201),
        (endpoint.owner, "endpoint:e", "q\x00"),
    ):
        policies = world.service.policies
        for act in (policies.show(human, scope, name), policies.set(human, scope, name, {}),
                    policies.clear(human, scope, name)):  # fmt: skip
            with pytest.raises(SwitchboardError) as refusal:
                await act
            said.append((refusal.value.code, str(refusal.value.body())))
    assert len(set(said)) == 1
    assert said[0][0] is ErrorCode.NOT_FOUND
    assert await world.rows() == before
    assert team_endpoint.owner == endpoint.owner


async def test_a_scope_may_name_an_endpoint_by_its_id(world: World, endpoint: Endpoint) -> None:
    scope = f"endpoint:{endpoint.caller.endpoint_id}"
    view = await world.service.policies.set(endpoint.owner, scope, "q", {"max_in_flight": 1})
    assert (view.admission.scope, view.admission.queue) == ("endpoint:e", "q")


async def test_a_slug_that_looks_like_another_endpoints_id_means_the_slug(world: World, endpoint: Endpoint) -> None:
    named = await world.endpoint(str(endpoint.caller.endpoint_id), "q")
    view = await world.service.policies.set(
        endpoint.owner, f"endpoint:{endpoint.caller.endpoint_id}", "q", {"max_in_flight": 1}
    )
    assert view.admission.queue_id == named.queue_id("q")


async def test_the_policies_of_a_revoked_endpoint_can_be_read_and_not_written(world: World, endpoint: Endpoint) -> None:
    await world.set_policy(endpoint, "q", max_in_flight=1)
    await world.service.endpoints.revoke("e")
    before = await world.rows()
    view = await world.service.policies.show(endpoint.owner, "endpoint:e", "q")
    assert view.admission.policy is not None
    for act in (world.set_policy(endpoint, "q", max_in_flight=2), world.clear_policy(endpoint, "q")):
        with pytest.raises(SwitchboardError) as refusal:
            await act
        assert refusal.value.code is ErrorCode.CONFLICT
    assert await world.rows() == before


async def test_the_list_holds_what_the_human_may_manage_and_nothing_else(world: World, endpoint: Endpoint) -> None:
    await world.endpoint("f", "r", owner="grace")
    await world.team_endpoints("crew", "lane", "t", owner="ada")
    operator = await world.human("root", operator=True)
    grace, member = await world.human("grace"), await world.human("member")
    await world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'member' from switchboard.teams", member.id
    )

    async def listed(human: Any) -> list[tuple[str, str]]:
        return [(one.scope, one.queue) for one in (await world.service.policies.list(human)).queues]

    assert await listed(endpoint.owner) == [("endpoint:e", "q"), ("team:crew", "lane")]
    assert await listed(grace) == [("endpoint:f", "r")]
    assert await listed(member) == await listed(operator) == []
