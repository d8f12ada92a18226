"""Reading a page again: what left the filter is gone from it, and what matches now fills its place (increment 4)."""

from __future__ import annotations

from switchboard.service.read_budget import whole_read
from switchboard_wire.envelope import JobsQuery
from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.todo import TodoState
from tests.support.scenario import Endpoint, World

PENDING = JobFilter(states=(TodoState.PENDING,))


async def page(world: World, endpoint: Endpoint, at: JobPage) -> tuple[list[int], int | None]:
    async with whole_read(world.service.reads.limits) as deadline:
        found = await world.service.board.jobs(endpoint.owner, JobsQuery(PENDING, at), deadline)
    return [job.id for job in found.jobs], found.next_before_id


async def test_a_page_read_again_loses_what_left_and_is_filled_up_from_what_matches_now(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    first, second, third, fourth, fifth = await world.enqueue_many(endpoint, "q", 5)
    assert await page(world, endpoint, JobPage(limit=3)) == ([fifth, fourth, third], third)
    await world.claim(endpoint, fourth)
    assert await page(world, endpoint, JobPage(limit=3)) == ([fifth, third, second], second)
    await world.service.operator_todos.cancel(endpoint.owner, fifth)
    (sixth,) = await world.enqueue_many(endpoint, "q", 1)
    assert await page(world, endpoint, JobPage(limit=3)) == ([sixth, third, second], second)
    await world.claim(endpoint, third)
    assert await page(world, endpoint, JobPage(limit=3)) == ([sixth, second, first], None)
    assert await page(world, endpoint, JobPage(limit=3, before_id=second)) == ([first], None)
