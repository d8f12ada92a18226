"""A server that is killed in the middle of claims, at every point at once: what is left is whole or not there."""

from __future__ import annotations

import asyncio

from tests.faults.ground import Ground
from tests.faults.scenarios import FAR
from tests.support.barriers import EVERY_POINT, closed, install, set_clock
from tests.support.claimers import Claimer, NoAnswer
from tests.support.servers import Server
from tests.support.waiting import no_statements, until, within_bound

_SESSIONS = (
    "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'switchboard%'"
)


async def test_a_server_killed_at_every_point_of_a_claim_leaves_whole_claims_or_none(
    ground: Ground, pair: tuple[Server, Server]
) -> None:
    """The database does not notice the death at once: what had begun may still commit, charged and with its lease."""
    world = ground.world
    killed, survivor = pair
    await install(ground.sql)
    names = [point.name.lower() for point in EVERY_POINT]
    endpoint = await world.endpoint("e", *names)
    todos = {}
    for name in names:
        await world.set_policy(endpoint, name, max_in_flight=1, max_claims_per_window=2, window=FAR)
        todos[name] = await world.enqueue(endpoint, name)
    await _learn(killed, endpoint.credential, names, ground)

    gates, calls = [], []
    for point in reversed(EVERY_POINT):  # the last point first, so that no claim stops before its own
        manager = closed(ground.url, point)
        gates.append((manager, await manager.__aenter__()))
        caller = Claimer(killed.url, endpoint.credential)
        calls.append(asyncio.create_task(caller.call("claim_next", queues=[point.name.lower()], lease_seconds=60)))
        await gates[-1][1].arrived()
    killed.kill()
    for call in calls:
        try:
            raise AssertionError(f"an answer of a dead server: {await within_bound(call)}")
        except NoAnswer:
            pass
    states = [(await world.todo(todo_id))["state"] for todo_id in todos.values()]
    assert states == ["pending"] * len(todos)
    for manager, _ in reversed(gates):  # from the first point on, each runs through the points behind it
        await manager.__aexit__(None, None, None)
    await no_statements(ground.sql)
    assert ground.start is not None
    await until(ground.sql, f"select ({_SESSIONS}) = $1", ground.start.sessions + 14)
    await ground.check(expected=todos.values(), others=14)

    # Nothing of it bars the survivor: what is pending is claimed now, what was claimed when its lease has lapsed.
    caller = Claimer(survivor.url, endpoint.credential)
    await set_clock(ground.sql, await ground.sql.fetchval("select clock_timestamp() + interval '2 minutes'"))
    for name, todo_id in todos.items():
        answer = await caller.call("claim_next", queues=[name])
        assert answer.ids == [todo_id], name
        assert (await caller.call("complete", todo_id=todo_id)).status == 200
    await caller.close()
    await ground.check(others=14)


async def _learn(server: Server, credential: str, names: list[str], ground: Ground) -> None:
    """Lets the server know the policies, so that its next claim is not sent back for them."""
    caller = Claimer(server.url, credential)
    answer = await caller.call("admission_status")
    assert [one["queue"] for one in answer.body["queues"]] == sorted(names)
    await caller.close()
    await no_statements(ground.sql)
