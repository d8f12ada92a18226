"""A team's queue: several members' endpoints, one budget, roles, and what a member leaves behind."""

from __future__ import annotations

import asyncpg
import pytest

from switchboard.service.services import Services
from switchboard.service.teams import Role
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import ClaimNext, GetTodo
from tests.support.people import again, caller, enqueue, human

ONE_A_DAY = {"max_claims_per_window": 3, "window": {"period": "day", "tz": "UTC", "start": "00:00"}}


async def test_one_budget_holds_over_all_endpoints_that_drain_a_team_queue(service: Services) -> None:
    ada, grace = await human(service, "ada"), await human(service, "grace")
    first = await service.endpoints.add(ada, "first", [])
    second = await service.endpoints.add(grace, "second", [])
    await service.teams.add(ada, "crew")
    await service.teams.set_member(ada, "crew", grace, Role.MEMBER)
    await service.teams.add_queue(ada, "crew", "lane")
    for slug in ("first", "second"):
        await service.teams.grant(ada, "crew", "lane", slug)
    await service.policies.set(ada, "team:crew", "lane", ONE_A_DAY)
    one, two = await again(service, first), await again(service, second)
    await enqueue(service, one, "lane", 5)

    answers = [await service.claim.claim_next(who, ClaimNext()) for who in (one, two, one, two, one)]

    assert [answer.empty for answer in answers] == [False, False, False, True, True]
    assert [answer.admission.used for answer in answers if answer.admission] == [1, 2, 3]
    assert answers[3].deferred[0].queue == "lane"
    assert answers[3].deferred[0].pending == 2


async def test_a_removed_member_releases_its_leases_without_spending_an_attempt(
    service: Services, database_url: str
) -> None:
    ada, grace = await human(service, "ada"), await human(service, "grace")
    credential = await service.endpoints.add(grace, "graces", ["own"])
    await service.teams.add(ada, "crew")
    await service.teams.set_member(ada, "crew", grace, Role.MEMBER)
    await service.teams.add_queue(ada, "crew", "lane")
    await service.teams.grant(ada, "crew", "lane", "graces")
    await service.policies.set(ada, "team:crew", "lane", ONE_A_DAY)
    member = await again(service, credential)
    (todo_id,) = await enqueue(service, member, "lane")
    await enqueue(service, member, "own")
    claimed = await service.claim.claim_next(member, ClaimNext(queues=("lane",)))
    kept = await service.claim.claim_next(member, ClaimNext(queues=("own",)))

    assert await service.teams.remove_member(ada, "crew", grace) == 1

    assert claimed.todos[0].attempt == 1
    connection = await asyncpg.connect(database_url)
    row = await connection.fetchrow("select state, attempt, claimant_id from switchboard.todos where id = $1", todo_id)
    outcome = await connection.fetchval("select outcome from switchboard.attempts where todo_id = $1", todo_id)
    used = await connection.fetchval("select used from switchboard.usage")
    await connection.close()
    assert tuple(row) == ("pending", 0, None)
    assert outcome == "released"
    assert used == 1  # nothing refunds
    after = await again(service, credential)
    assert list(after.queues) == ["own"]
    own = await service.todos.get_todo(after, GetTodo(todo_id=kept.todos[0].id))
    assert own.todo.state == "claimed"


@pytest.mark.parametrize(("role", "may_configure"), [(Role.MEMBER, False), (Role.ADMIN, True), (Role.OWNER, True)])
async def test_admin_and_owner_configure_the_teams_queues_and_a_member_does_not(
    service: Services, role: Role, may_configure: bool
) -> None:
    ada, grace = await human(service, "ada"), await human(service, "grace")
    await service.teams.add(ada, "crew")
    await service.teams.add_queue(ada, "crew", "lane")
    await service.teams.set_member(ada, "crew", grace, role)

    if may_configure:
        view = await service.policies.set(grace, "team:crew", "lane", {"max_in_flight": 1})
        assert view.admission.scope == "team:crew"
    else:
        with pytest.raises(SwitchboardError) as refused:
            await service.policies.set(grace, "team:crew", "lane", {"max_in_flight": 1})
        assert refused.value.code is ErrorCode.NOT_FOUND


async def test_an_admin_cannot_make_an_owner_and_the_last_owner_stays(service: Services) -> None:
    ada, grace, joan = [await human(service, name) for name in ("ada", "grace", "joan")]
    await service.teams.add(ada, "crew")
    await service.teams.set_member(ada, "crew", grace, Role.ADMIN)

    await service.teams.set_member(grace, "crew", joan, Role.MEMBER)
    for act in (
        service.teams.set_member(grace, "crew", joan, Role.OWNER),
        service.teams.set_member(grace, "crew", ada, Role.MEMBER),
        service.teams.remove_member(grace, "crew", ada),
    ):
        with pytest.raises(SwitchboardError) as refused:
            await act
        assert refused.value.code is ErrorCode.FORBIDDEN
    with pytest.raises(SwitchboardError) as last:
        await service.teams.remove_member(ada, "crew", ada)
    assert last.value.code is ErrorCode.CONFLICT
    assert await service.teams.members(joan, "crew") == [
        ("ada", Role.OWNER),
        ("grace", Role.ADMIN),
        ("joan", Role.MEMBER),
    ]


async def test_who_is_not_of_a_team_cannot_tell_it_from_none(service: Services) -> None:
    ada, mallory = await human(service, "ada"), await human(service, "mallory")
    await service.teams.add(ada, "crew")

    said = []
    for slug in ("crew", "none"):
        with pytest.raises(SwitchboardError) as refused:
            await service.teams.members(mallory, slug)
        said.append((refused.value.code, refused.value.message.replace(slug, "X")))
    assert said[0] == said[1] == (ErrorCode.NOT_FOUND, "There is no team X of yours.")


async def test_a_team_queue_goes_to_members_endpoints_only_and_by_one_name(service: Services) -> None:
    ada, mallory = await human(service, "ada"), await human(service, "mallory")
    await caller(service, mallory, "foreign", "x")
    await caller(service, ada, "mine", "lane")
    await service.teams.add(ada, "crew")
    await service.teams.add_queue(ada, "crew", "lane")

    with pytest.raises(SwitchboardError) as foreign:
        await service.teams.grant(ada, "crew", "lane", "foreign")
    assert (foreign.value.code, foreign.value.field) == (ErrorCode.NOT_FOUND, "endpoint")
    with pytest.raises(SwitchboardError) as same_name:
        await service.teams.grant(ada, "crew", "lane", "mine")
    assert (same_name.value.code, same_name.value.field) == (ErrorCode.CONFLICT, "queue")
