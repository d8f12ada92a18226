"""Schedules under a human's hand: rights, versions, pausing, bad input by field."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from switchboard.core.identity import Human
from switchboard.service.read_budget import whole_read
from switchboard.service.teams import Role
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.schedules import EditedSchedule, NewSchedule, Schedule
from switchboard_wire.shape import decode
from tests.support.clock import Clock, instant
from tests.support.scenario import Endpoint, World

ASK = {"name": "nightly", "kind": "k", "title": "Nightly", "cron": "0 3 * * *", "tz": "UTC"}
UNSTORABLE = ("\0",)
"""What PostgreSQL's text cannot hold."""
NEW = ASK | {"scope": "endpoint:e", "queue": "q"}


@pytest.fixture
async def endpoint(world: World, clock: Clock) -> Endpoint:
    return await world.endpoint("e", "q")


def new(**fields: Any) -> NewSchedule:
    return decode(NewSchedule, NEW | fields)


def edited_as(**fields: Any) -> EditedSchedule:
    return decode(EditedSchedule, ASK | fields)


async def listed(world: World, human: Human) -> tuple[Schedule, ...]:
    async with whole_read(world.service.reads.limits) as deadline:
        return (await world.service.schedules.list(human, deadline)).schedules


async def refused(call: Any) -> SwitchboardError:
    with pytest.raises(SwitchboardError) as caught:
        await call
    return caught.value


async def test_made_edited_triggered_paused_resumed_and_deleted(world: World, endpoint: Endpoint, clock: Clock) -> None:
    schedules, ada = world.service.schedules, endpoint.owner
    await clock.set("2026-09-22T17:00:00")
    made = await schedules.create(ada, new(payload={"a": 1}, tags=["t"]))
    assert (made.version, made.scope, made.next_fire_at) == (1, "endpoint:e", instant("2026-09-23T03:00:00"))
    edited = await schedules.edit(ada, made.id, edited_as(version=1, cron="0 4 * * *"))
    assert (edited.version, edited.next_fire_at) == (2, instant("2026-09-23T04:00:00"))
    stale = await refused(schedules.edit(ada, made.id, edited_as(version=1)))
    assert (stale.code, stale.field) == (ErrorCode.CONFLICT, "version")
    assert (await world.todo((await schedules.trigger(ada, made.id)).todo_id))["title"] == "Nightly"
    assert (await schedules.get(ada, made.id)).next_fire_at == instant("2026-09-23T04:00:00")
    assert (await schedules.pause(ada, made.id)).paused
    await clock.set("2026-09-25T05:00:00")
    assert (await schedules.resume(ada, made.id)).next_fire_at == instant("2026-09-26T04:00:00")
    await schedules.delete(ada, made.id)
    assert await listed(world, ada) == ()
    assert await world.sql.fetchval("select count(*) from switchboard.todos") == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cron", "0 0 30 2 *"),
        ("cron", "x"),
        ("tz", "Mars/Olympus"),
        ("name", ""),
        ("kind", ""),
        ("title", "t" * 201),
        ("missed", "all"),
        ("max_attempts", 0),
        ("tags", ["a", "a"]),
        ("source", ""),
        ("surprise", 1),
        *((field, f"a{wrong}b") for field in ("name", "kind", "title", "source", "cron", "tz") for wrong in UNSTORABLE),
        *(("tags", [f"a{wrong}b"]) for wrong in UNSTORABLE),
    ],
)
async def test_bad_input_is_refused_by_field(world: World, endpoint: Endpoint, field: str, value: Any) -> None:
    with pytest.raises(SwitchboardError) as caught:
        await world.service.schedules.create(endpoint.owner, new(**{field: value}))
    error = caught.value
    assert error.code == ErrorCode.INVALID_ARGUMENT
    assert (error.field or "").startswith(field)


async def test_a_name_is_taken_once_in_a_queue(world: World, endpoint: Endpoint) -> None:
    await world.service.schedules.create(endpoint.owner, new())
    error = await refused(world.service.schedules.create(endpoint.owner, new()))
    assert (error.code, error.field) == (ErrorCode.CONFLICT, "name")


async def test_foreign_and_unknown_are_the_same_refusal(world: World, endpoint: Endpoint) -> None:
    schedules = world.service.schedules
    made = await schedules.create(endpoint.owner, new())
    bob = await world.human("bob")
    assert await listed(world, bob) == ()
    for act in (schedules.trigger, schedules.pause, schedules.resume, schedules.delete, schedules.get):
        assert (await refused(act(bob, made.id))).body() == (await refused(act(bob, 999))).body()
    operator = await world.human("root", operator=True)
    assert (await schedules.get(operator, made.id)).name == "nightly"
    assert (await refused(schedules.delete(operator, made.id))).code == ErrorCode.NOT_FOUND


async def test_a_teams_schedules_are_seen_by_its_members_and_changed_by_its_admins_and_owner(
    world: World, clock: Clock
) -> None:
    schedules, teams = world.service.schedules, world.service.teams
    await world.team_endpoints("crew", "lane", "a")
    owner = await world.human("ada")
    member, admin = await world.human("grace"), await world.human("alan")
    await teams.set_member(owner, "crew", member, Role.MEMBER)
    await teams.set_member(owner, "crew", admin, Role.ADMIN)
    of_team = {"scope": "team:crew", "queue": "lane"}
    made = await schedules.create(admin, new(**of_team))
    assert [one.id for one in await listed(world, member)] == [made.id]
    assert (await refused(schedules.create(member, new(name="other", **of_team)))).code == ErrorCode.NOT_FOUND
    for act in (schedules.trigger, schedules.pause, schedules.resume, schedules.delete):
        assert (await refused(act(member, made.id))).code == ErrorCode.NOT_FOUND
    assert (await refused(schedules.edit(member, made.id, edited_as(version=1)))).code == ErrorCode.NOT_FOUND
    assert (await schedules.edit(owner, made.id, edited_as(version=1))).version == 2
    assert (await schedules.pause(admin, made.id)).paused


async def test_every_change_is_on_record_and_a_refused_one_is_not(
    world: World, endpoint: Endpoint, clock: Clock
) -> None:
    schedules, ada = world.service.schedules, endpoint.owner
    made = await schedules.create(ada, new())
    await schedules.edit(ada, made.id, edited_as(version=1))
    await refused(schedules.edit(ada, made.id, edited_as(version=1)))
    await refused(schedules.create(ada, new()))
    for act in (schedules.trigger, schedules.pause, schedules.resume, schedules.delete):
        await act(ada, made.id)
    rows = await world.sql.fetch("select action, target, queue_id, counts from switchboard.operator_audit order by id")
    assert [row["action"] for row in rows] == [
        "schedules.create",
        "schedules.edit",
        "schedules.trigger",
        "schedules.pause",
        "schedules.resume",
        "schedules.delete",
    ]
    assert {row["queue_id"] for row in rows} == {endpoint.queue_id("q")}
    assert json.loads(rows[0]["target"]) == {"schedule_id": made.id, "name": "nightly", "version": 1}
    assert json.loads(rows[2]["counts"]) == {"made": 1}


async def test_triggers_at_one_instant_each_make_a_todo(world: World, endpoint: Endpoint, clock: Clock) -> None:
    made = await world.service.schedules.create(endpoint.owner, new())
    triggered = await asyncio.gather(*(world.service.schedules.trigger(endpoint.owner, made.id) for _ in range(4)))
    assert len({one.todo_id for one in triggered}) == 4
    assert await world.states(endpoint, "q") == {"pending": 4}
