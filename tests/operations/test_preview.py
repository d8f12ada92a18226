"""What a preview counts, and that the scan knows none of the limits of interactive reads."""

from __future__ import annotations

import asyncio

import pytest

from switchboard.service.operation_executor import OperationExecutor
from switchboard.service.read_budget import ReadDeadline, ReadLimits
from switchboard.store.errors import LockTimeout, StatementTimeout
from switchboard_wire.operations import OperationKind, OperationPreview, PreviewBody
from tests.support.waiting import holding, waits_for

from .conftest import Desk

RETRY_Q = PreviewBody(OperationKind.RETRY, {"queue": "q"})


async def test_it_counts_what_matches_and_what_of_it_is_eligible_and_names_the_newest(desk: Desk) -> None:
    dead = await desk.todos(12, "dead")
    (claimed,) = await desk.todos(1, "claimed")
    (moved,) = await desk.todos(1, queue="r")
    newest = (claimed, *sorted(dead, reverse=True)[:9])
    assert await desk.preview("retry", {"queue": "q"}) == OperationPreview(13, False, 12, False, 10_000, newest)
    assert await desk.preview("cancel", {"ids": [claimed]}) == OperationPreview(1, False, 0, False, 10_000, (claimed,))
    assert await desk.preview("cancel", {"kind": "x"}) == OperationPreview(0, False, 0, False, 10_000, ())
    assert (await desk.preview("purge", {}, all=True)).count == 14
    both = await desk.preview("retry", {"queue": "q", "states": ["claimed", "dead"]})
    assert (both.count, both.eligible) == (13, 12)
    neither = await desk.preview("retry", {"queue": "q", "states": ["claimed"]})
    assert (neither.count, neither.eligible) == (1, 0)
    there = await desk.preview("move", {"ids": [moved]}, queue="r")  # it is there already
    assert (there.count, there.eligible) == (1, 0)
    back = await desk.preview("move", {"ids": [moved]}, queue="q")
    assert (back.count, back.eligible) == (1, 1)
    assert await desk.world.states(desk.endpoint, "q") == {"dead": 12, "claimed": 1}


@pytest.mark.parametrize(("number", "count", "capped"), [(10_000, 10_000, False), (10_001, 10_000, True)])
async def test_it_counts_up_to_10000(desk: Desk, number: int, count: int, capped: bool) -> None:
    await desk.todos(number)
    preview = await desk.preview("cancel", {"queue": "q"})
    assert (preview.count, preview.capped, preview.eligible, preview.eligible_capped) == (count, capped, count, capped)
    none = await desk.preview("purge", {"queue": "q"})
    assert (none.count, none.capped, none.eligible, none.eligible_capped) == (count, capped, 0, False)


async def test_limits_that_end_a_preview_touch_neither_the_scan_of_20000_todos_nor_the_work(
    desk: Desk, database_url: str
) -> None:
    ids = await desk.todos(20_000, "done")
    await desk.world.sql.execute("update switchboard.todos set state = 'dead' where id = any ($1)", ids[:100])
    operation_id = await desk.submit("retry", {"queue": "q"})
    limits = ReadLimits(whole_read=15.0, statement=0.01, lock_wait=0.01)
    executor = OperationExecutor(desk.world.database, batch=100)
    async with holding(database_url, "lock table switchboard.todos in access exclusive mode") as holder:
        piece = asyncio.create_task(executor.run_once())
        await waits_for(desk.world.sql, holder)
        for _ in range(3):  # each waits longer than an interactive read may
            with pytest.raises((StatementTimeout, LockTimeout)):
                await desk.world.service.operations.preview(desk.ada, RETRY_Q, ReadDeadline(limits))
        assert not piece.done()
        await holder.execute("rollback")
        await piece
    await desk.scan(operation_id)
    assert await desk.counts(operation_id) == ("running", 20_000, 0, 0, 0, 0)
    await executor.run_once()
    assert await desk.counts(operation_id) == ("running", 20_000, 100, 0, 0, 0)
