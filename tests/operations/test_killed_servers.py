"""kill -9 in the middle of an operation: another server goes on where it was, and nothing is done twice."""

from __future__ import annotations

from tests.support.servers import running_server
from tests.support.waiting import holding, until, waits_for

from .conftest import Desk
from .test_frozen_set import LOG_OF_CHANGES


async def test_what_a_killed_server_left_the_next_one_does_each_todo_once(desk: Desk, database_url: str) -> None:
    ids = await desk.todos(120, "dead")
    await desk.world.sql.execute(LOG_OF_CHANGES)
    held = f"select from switchboard.todos where id = {ids[70]} for update"
    async with holding(database_url, held) as holder:
        with running_server(database_url) as first:
            operation_id = await desk.submit("retry", {"queue": "q"}, expected=120)
            await waits_for(desk.world.sql, holder)  # in its second batch: the first is committed
            first.kill()
            left = await desk.read(operation_id)
            assert (left.state, left.total) == ("running", 120)
            assert 50 <= left.changed < 120
    with running_server(database_url) as second:
        await until(desk.world.sql, "select state = 'done' from switchboard.operations where id = $1", operation_id)
        assert second.stop() == 0
    assert await desk.counts(operation_id) == ("done", 120, 120, 0, 0, 0)
    changes = await desk.world.sql.fetch("select todo_id from public.changes order by todo_id")
    assert [row["todo_id"] for row in changes] == ids
