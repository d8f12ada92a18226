"""An operation touches what its human manages, at the scan and again at each item; only its human cancels it (D6)."""

from __future__ import annotations

import pytest

from switchboard.core.identity import Human
from switchboard.service.read_budget import ReadDeadline, ReadLimits
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .conftest import Desk


async def _refusal(call: object) -> dict[str, object]:
    with pytest.raises(SwitchboardError) as refused:
        await call  # type: ignore[misc]
    return refused.value.body()


async def test_only_what_the_human_manages_is_in_the_set_the_operator_flag_notwithstanding(desk: Desk) -> None:
    await desk.todos(2)
    other = await desk.world.endpoint("f", "q", owner="bob")
    await desk.world.enqueue_many(other, "q", 3)
    operator = Human(other.owner.id, "bob", True)
    assert (await desk.preview("cancel", {"queue": "q"}, operator)).count == 3
    operation_id = await desk.submit("cancel", {"queue": "q"}, operator)
    await desk.run()
    row = await desk.world.sql.fetchrow("select * from switchboard.operations where id = $1", operation_id)
    assert (row["total"], row["changed"]) == (3, 3)
    assert await desk.world.states(desk.endpoint, "q") == {"pending": 2}


async def test_a_member_of_a_team_manages_none_of_its_queues(desk: Desk) -> None:
    (member,) = await desk.world.team_endpoints("night", "t", "n")
    await desk.world.enqueue_many(member, "t", 2)
    bob = await desk.world.human("bob")
    await desk.world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'member' from switchboard.teams", bob.id
    )
    assert (await desk.preview("cancel", {"queue": "t"}, bob)).count == 0
    await desk.submit("cancel", {"queue": "t"}, bob)
    await desk.run()
    assert await desk.world.states(member, "t") == {"pending": 2}


async def test_the_running_operation_of_a_removed_team_admin_stops_touching_that_teams_queues(desk: Desk) -> None:
    (member,) = await desk.world.team_endpoints("night", "t", "n", owner="bob")
    await desk.world.enqueue_many(member, "t", 3)
    await desk.todos(2)
    await desk.world.sql.execute(
        "insert into switchboard.team_members select id, $1, 'admin' from switchboard.teams", desk.ada.id
    )
    operation_id = await desk.submit("cancel", {"states": ["pending"]})
    await desk.scan(operation_id)
    await desk.world.sql.execute("delete from switchboard.team_members where human_id = $1", desk.ada.id)
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 5, 2, 3, 0, 0)
    assert await desk.world.states(member, "t") == {"pending": 3}


async def test_a_target_that_is_foreign_unknown_or_not_manageable_is_one_refusal(desk: Desk) -> None:
    await desk.world.endpoint("f", "foreign", owner="bob")
    said = [
        await _refusal(ask("move", {"queue": "q"}, queue=target))
        for ask in (desk.preview, desk.submit)
        for target in ("foreign", "unknown")
    ]
    assert (
        said
        == [
            {
                "error": {
                    "code": "not_found",
                    "message": "There is no such queue that you may manage.",
                    "field": "queue",
                }
            }
        ]
        * 4
    )


async def test_a_human_sees_own_operations_an_instance_operator_all_and_neither_cancels_anothers(desk: Desk) -> None:
    operations = desk.world.service.operations
    bob = await desk.world.human("bob")
    root = await desk.world.human("root", operator=True)
    mine = await desk.submit("cancel", {"queue": "q"})
    his = await desk.submit("retry", {"queue": "q"}, bob)

    async def seen(human: Human) -> list[int]:
        page = await operations.operations(human, None, 50, ReadDeadline(ReadLimits()))
        return [operation.id for operation in page.operations]

    assert [await seen(human) for human in (desk.ada, bob, root)] == [[mine], [his], [his, mine]]
    said = [await _refusal(operations.operation(bob, target, ReadDeadline(ReadLimits()))) for target in (mine, 2**62)]
    said += [await _refusal(operations.cancel(human, target)) for human in (bob, root) for target in (mine, 2**62)]
    assert [body["error"]["code"] for body in said] == ["not_found"] * 6  # type: ignore[index]
    assert all(body == said[0] for body in said)
    assert (await operations.operation(root, mine, ReadDeadline(ReadLimits()))).human == "ada"


async def test_the_list_is_read_page_by_page_newest_first(desk: Desk) -> None:
    ids = [await desk.submit("cancel", {"queue": "q"}) for _ in range(5)]
    operations, before, pages = desk.world.service.operations, None, []
    while True:
        page = await operations.operations(desk.ada, before, 2, ReadDeadline(ReadLimits()))
        pages.append([operation.id for operation in page.operations])
        before = page.next_before_id
        if before is None:
            break
    assert pages == [[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]


async def test_a_key_used_twice_gives_the_operation_that_it_made(desk: Desk) -> None:
    first = await desk.submit("cancel", {"queue": "q", "states": ["dead", "failed"]}, key="once")
    await desk.run()
    again = await desk.submit("cancel", {"states": ["failed", "dead"], "queue": "q"}, key="once")
    bob = await desk.world.human("bob")
    his = await desk.submit("cancel", {"queue": "q"}, bob, key="once")
    assert again == first
    assert his != first
    assert (await desk.read(first)).state == "done"


@pytest.mark.parametrize(
    ("kind", "which", "more"),
    [("retry", {"queue": "q"}, {}), ("cancel", {"queue": "r"}, {}), ("move", {"queue": "q"}, {"queue": "r"})],
)
async def test_a_key_that_stands_for_something_else_is_a_conflict(
    desk: Desk, kind: str, which: dict[str, object], more: dict[str, object]
) -> None:
    first = await desk.submit("cancel", {"queue": "q"}, key="once")
    with pytest.raises(SwitchboardError) as refused:
        await desk.submit(kind, which, key="once", **more)
    assert (refused.value.code, refused.value.field) == (ErrorCode.CONFLICT, "key")
    assert refused.value.details == {"operation_id": first}
