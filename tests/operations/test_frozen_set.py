"""The set is frozen at the scan, each item is judged when its turn comes, and nothing is done twice."""

from __future__ import annotations

import asyncio

import pytest

from switchboard.service.operation_executor import OperationExecutor
from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.errors import ErrorCode, SwitchboardError
from tests.support.clock import Clock
from tests.support.waiting import holding, no_statements, waits_for

from .conftest import Desk

PATIENT = 60  # seconds: the test decides when the wait for a lock ends
LOG_OF_CHANGES = """
create table public.changes (todo_id bigint);
create function public.log_change() returns trigger language plpgsql
as 'begin insert into public.changes values (old.id); return null; end';
create trigger log_change after update on switchboard.todos for each row execute function public.log_change();
"""


async def test_todos_that_come_to_match_after_the_scan_are_untouched(desk: Desk) -> None:
    dead = await desk.todos(2, "dead")
    (pending,) = await desk.todos(1)
    operation_id = await desk.submit("retry", {"states": ["dead"]})
    late = await desk.todos(1, "dead")  # not of the set, although the scan has not begun
    await desk.scan(operation_id)
    await desk.world.sql.execute("update switchboard.todos set state = 'dead' where id = $1", pending)
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 2, 2, 0, 0, 0)
    assert [(await desk.world.todo(todo_id))["state"] for todo_id in [*dead, *late, pending]] == [
        "pending",
        "pending",
        "dead",
        "dead",
    ]


async def test_todos_that_left_are_skipped_and_deleted_ones_are_gone(desk: Desk) -> None:
    changed, claimed, deleted = await desk.todos(3)
    operation_id = await desk.submit("cancel", {"queue": "q"}, expected=3)
    await desk.scan(operation_id)
    await desk.world.claim(desk.endpoint, claimed)
    await desk.world.sql.execute("delete from switchboard.todos where id = $1", deleted)
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 3, 1, 1, 0, 1)
    assert (await desk.world.todo(changed))["state"] == "canceled"
    assert (await desk.world.todo(claimed))["state"] == "claimed"


async def test_a_set_of_another_size_than_confirmed_is_worked_on_and_both_numbers_are_told(desk: Desk) -> None:
    await desk.todos(2)
    operation_id = await desk.submit("cancel", {"queue": "q"}, expected=5)
    assert (await desk.read(operation_id)).total is None  # unknown before the scan, never 0
    await desk.run()
    operation = await desk.read(operation_id)
    assert (operation.expected, operation.total, operation.changed) == (5, 2, 2)


async def test_an_empty_set_is_done_with_a_total_of_0(desk: Desk) -> None:
    operation_id = await desk.submit("cancel", {"kind": "nothing of this kind"})
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 0, 0, 0, 0, 0)


async def test_its_times_are_those_of_the_database(desk: Desk, clock: Clock) -> None:
    created = clock.now
    operation_id = await desk.submit("cancel", {}, all=True)
    operation = await desk.read(operation_id)
    assert (operation.created_at, operation.started_at, operation.finished_at) == (created, None, None)
    started = await clock.advance(seconds=10)
    await desk.scan(operation_id)
    finished = await clock.advance(seconds=10)
    await desk.run()
    operation = await desk.read(operation_id)
    assert (operation.created_at, operation.started_at, operation.finished_at) == (created, started, finished)


async def test_a_kind_of_a_later_release_is_left_to_that_release(desk: Desk) -> None:
    await desk.todos(1)
    operation_id = await desk.submit("cancel", {"queue": "q"})
    await desk.world.sql.execute("update switchboard.operations set kind = 'archive'")
    await desk.run()
    assert (await desk.read(operation_id)).kind == "archive"
    assert await desk.counts(operation_id) == ("scanning", None, 0, 0, 0, 0)


async def test_two_executors_at_once_do_each_item_once(desk: Desk) -> None:
    ids = await desk.todos(300, "dead")
    await desk.world.sql.execute(LOG_OF_CHANGES)
    operation_id = await desk.submit("retry", {"queue": "q"})

    async def work(executor: OperationExecutor) -> None:
        while (await desk.read(operation_id)).state != "done":
            await executor.run_once()

    database = desk.world.database
    await asyncio.gather(*(work(OperationExecutor(database, stretch=40, batch=7)) for _ in range(2)))
    assert await desk.counts(operation_id) == ("done", 300, 300, 0, 0, 0)
    changes = await desk.world.sql.fetch("select todo_id from public.changes order by todo_id")
    assert [row["todo_id"] for row in changes] == ids


async def test_two_operations_over_one_set_change_each_todo_once(desk: Desk) -> None:
    await desk.todos(20, "dead")
    first = await desk.submit("retry", {"queue": "q"})
    second = await desk.submit("retry", {"queue": "q"})
    await desk.run()
    counts = [await desk.counts(first), await desk.counts(second)]
    assert [count[:2] for count in counts] == [("done", 20), ("done", 20)]
    assert sum(count[2] for count in counts) == 20
    assert sum(count[3] for count in counts) == 20


async def test_a_server_that_ends_between_two_pieces_leaves_the_rest_to_the_next(desk: Desk) -> None:
    await desk.todos(10, "dead")
    operation_id = await desk.submit("retry", {"queue": "q"})
    ended = OperationExecutor(desk.world.database, stretch=4, batch=3)
    await ended.run_once()  # the first stretch of the scan
    assert (await desk.read(operation_id)).state == "scanning"
    await desk.scan(operation_id)
    await ended.run_once()
    assert await desk.counts(operation_id) == ("running", 10, 3, 0, 0, 0)
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 10, 10, 0, 0, 0)


async def test_a_server_that_is_killed_in_the_middle_of_a_batch_has_done_none_of_it(
    desk: Desk, database_url: str
) -> None:
    ids = await desk.todos(5, "dead")
    await desk.world.sql.execute(LOG_OF_CHANGES)
    operation_id = await desk.submit("retry", {"queue": "q"})
    await desk.scan(operation_id)
    doomed = Database(DatabaseSettings(database_url, claim_connections=1, read_connections=1))
    await doomed.open()
    try:
        async with holding(database_url, f"select from switchboard.todos where id = {ids[3]} for update") as holder:
            batch = asyncio.create_task(OperationExecutor(doomed, lock_wait=PATIENT).run_once())
            await waits_for(desk.world.sql, holder)
            await desk.world.sql.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where $1 = any (pg_blocking_pids(pid))",
                holder.get_server_pid(),
            )
            (outcome,) = await asyncio.gather(batch, return_exceptions=True)
    finally:
        await doomed.close()
    await no_statements(desk.world.sql)
    assert type(outcome).__name__ == "DatabaseUnavailable"
    assert await desk.counts(operation_id) == ("running", 5, 0, 0, 0, 0)
    assert await desk.world.states(desk.endpoint, "q") == {"dead": 5}
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 5, 5, 0, 0, 0)
    assert await desk.world.sql.fetchval("select count(*) from public.changes") == 5


async def test_a_todo_that_somebody_holds_just_now_is_taken_up_later(desk: Desk, database_url: str) -> None:
    ids = await desk.todos(3)
    operation_id = await desk.submit("cancel", {"queue": "q"})
    await desk.scan(operation_id)
    async with holding(database_url, f"select from switchboard.todos where id = {ids[0]} for update"):
        await OperationExecutor(desk.world.database, lock_wait=0.01).run_once()
        assert await desk.counts(operation_id) == ("running", 3, 2, 0, 0, 0)
    await desk.run()
    assert await desk.counts(operation_id) == ("done", 3, 3, 0, 0, 0)


async def test_a_piece_that_fails_five_times_in_a_row_ends_the_operation_and_says_so(desk: Desk) -> None:
    await desk.todos(1)
    operation_id = await desk.submit("cancel", {"queue": "q"})
    await desk.scan(operation_id)
    await desk.world.sql.execute("alter table switchboard.todos rename column updated_at to mended_at")
    for _ in range(4):
        await desk.executor.run_once()
    assert (await desk.read(operation_id)).state == "running"
    await desk.executor.run_once()
    operation = await desk.read(operation_id)
    assert operation.state == "failed"
    assert operation.error == "Stopped after 5 failures in a row; the last was UndefinedColumnError."
    assert operation.finished_at is not None


async def test_a_cancel_in_the_middle_of_a_batch_stops_before_the_next_item(desk: Desk, database_url: str) -> None:
    ids = await desk.todos(5)
    operation_id = await desk.submit("cancel", {"queue": "q"})
    await desk.scan(operation_id)
    async with holding(database_url, f"select from switchboard.todos where id = {ids[2]} for update") as holder:
        batch = asyncio.create_task(OperationExecutor(desk.world.database, lock_wait=PATIENT).run_once())
        await waits_for(desk.world.sql, holder)
        canceling = await desk.world.service.operations.cancel(desk.ada, operation_id)
        await desk.executor.run_once()  # another server: the batch under way is still to be counted
        assert (await desk.read(operation_id)).state == "canceling"
        await holder.execute("rollback")
        await batch
    await desk.run()
    assert canceling.state == "canceling"
    assert await desk.counts(operation_id) == ("canceled", 5, 2, 0, 0, 0)
    assert [(await desk.world.todo(todo_id))["state"] for todo_id in ids] == ["canceled"] * 2 + ["pending"] * 3
    assert (await desk.read(operation_id)).finished_at is not None


async def test_a_cancel_before_the_scan_has_ended_changes_nothing_and_the_total_stays_unknown(desk: Desk) -> None:
    await desk.todos(3)
    operation_id = await desk.submit("cancel", {"queue": "q"})
    await desk.world.service.operations.cancel(desk.ada, operation_id)
    await desk.run()
    assert await desk.counts(operation_id) == ("canceled", None, 0, 0, 0, 0)
    assert await desk.world.states(desk.endpoint, "q") == {"pending": 3}
    again = await desk.world.service.operations.cancel(desk.ada, operation_id)
    assert again.state == "canceled"


async def test_an_operation_that_is_done_cannot_be_canceled(desk: Desk) -> None:
    operation_id = await desk.submit("cancel", {"queue": "q"})
    await desk.run()
    with pytest.raises(SwitchboardError) as refused:
        await desk.world.service.operations.cancel(desk.ada, operation_id)
    assert (refused.value.code, refused.value.details) == (ErrorCode.CONFLICT, {"state": "done"})


async def test_the_items_of_an_operation_that_ended_30_days_ago_go_and_the_record_stays(
    desk: Desk, clock: Clock
) -> None:
    (todo_id,) = await desk.todos(1, "dead")
    operation_id = await desk.submit("retry", {"queue": "q"})
    await desk.run()
    await desk.world.claim(desk.endpoint, todo_id)
    items = "select count(*) from switchboard.operation_items"
    await clock.advance(days=30)
    await desk.world.sweep()
    assert await desk.world.sql.fetchval(items) == 1
    await clock.advance(seconds=1)
    await desk.world.sweep()
    assert await desk.world.sql.fetchval(items) == 0
    assert await desk.counts(operation_id) == ("done", 1, 1, 0, 0, 0)
