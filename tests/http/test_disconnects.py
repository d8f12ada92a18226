"""REQ-13: who hangs up in the middle of a claim has claimed nothing, was charged nothing, and holds nothing up."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from tests.support.raw_http import RawConnection, head, raw_connection
from tests.support.scenario import DAY_UTC
from tests.support.waiting import holding, no_statements, patient_locks, waits_for

from .conftest import Site

CONNECTIONS = """
select count(*) from pg_stat_activity where datname = current_database() and application_name like 'switchboard%'
"""


@pytest.fixture(autouse=True)
async def patience(site: Site) -> AsyncIterator[None]:
    """The claim's own bound on waiting must not be what ends it."""
    await patient_locks(site.sql)
    yield
    await site.sql.execute(
        "do $$ declare f regprocedure; begin for f in select oid from pg_proc"
        " where pronamespace = 'switchboard'::regnamespace and proconfig::text like '%lock_timeout%'"
        " loop execute format('alter function %s set lock_timeout = %L', f, '2s'); end loop; end $$"
    )


async def post(connection: RawConnection, path: str, credential: str, body: dict[str, object]) -> None:
    text = json.dumps(body).encode()
    headers = {"content_type": "application/json", "content_length": str(len(text))}
    await connection.send(head("POST", path, authorization=f"Bearer {credential}", **headers) + text)


@pytest.mark.parametrize("verb", ["claim", "claim_next"])
async def test_a_claim_that_waits_for_the_policy_is_rolled_back(site: Site, verb: str) -> None:
    endpoint = await site.endpoint("q")
    await site.world.set_policy(endpoint, "q", max_claims_per_window=5, window=DAY_UTC)
    todo_id = await site.world.enqueue(endpoint, "q")
    queue_id = endpoint.queue_id("q")
    before = await site.world.rows()
    connections = await site.sql.fetchval(CONNECTIONS)
    policy = f"select from switchboard.policies where queue_id = {queue_id} for update"
    async with holding(site.database_url, policy) as holder:
        for _ in range(12):  # more often than the server has connections
            async with raw_connection(site.url) as connection:
                await post(
                    connection,
                    f"/api/v1/worker/{verb}",
                    endpoint.credential,
                    {"todo_id": todo_id} if verb == "claim" else {},
                )
                await waits_for(site.sql, holder)
            await no_statements(site.sql)  # while the lock still stands
        free = await site.sql.fetch("select from switchboard.todos where id = $1 for update nowait", todo_id)
        assert len(free) == 1
    assert await site.world.rows() == before
    assert await site.sql.fetchval(CONNECTIONS) == connections
    claimed = await site.verb(endpoint, "claim", todo_id=todo_id)
    assert (claimed.status_code, claimed.json()["admission"]["used"]) == (200, 1)


async def test_a_claim_that_waits_for_its_todo_is_rolled_back(site: Site) -> None:
    endpoint = await site.endpoint("q")
    todo_id = await site.world.enqueue(endpoint, "q")
    before = await site.world.rows()
    async with holding(site.database_url, f"select from switchboard.todos where id = {todo_id} for update") as holder:
        async with raw_connection(site.url) as connection:
            await post(connection, "/api/v1/worker/claim", endpoint.credential, {"todo_id": todo_id})
            await waits_for(site.sql, holder)
        await no_statements(site.sql)
    assert await site.world.rows() == before


async def test_a_disconnected_claim_lets_the_next_one_have_the_policy(site: Site) -> None:
    endpoint = await site.endpoint("q")
    await site.world.set_policy(endpoint, "q", max_in_flight=1)
    await site.world.enqueue_many(endpoint, "q", 2)
    queue_id = endpoint.queue_id("q")
    policy = f"select from switchboard.policies where queue_id = {queue_id} for update"
    async with holding(site.database_url, policy) as holder:
        async with raw_connection(site.url) as connection:
            await post(connection, "/api/v1/worker/claim_next", endpoint.credential, {})
            await waits_for(site.sql, holder)
        await no_statements(site.sql)
    answer = await site.verb(endpoint, "claim_next")
    assert (len(answer.json()["todos"]), answer.json()["admission"]["in_flight"]) == (1, 1)


@pytest.mark.parametrize("read", ["queues", "jobs"])
async def test_an_abandoned_read_ends_on_the_server(site: Site, read: str) -> None:
    endpoint = await site.endpoint("q")
    await site.world.enqueue(endpoint, "q")
    token = await site.world.operator_token(endpoint.owner)
    connections = await site.sql.fetchval(CONNECTIONS)
    async with holding(site.database_url, "lock table switchboard.todos in access exclusive mode") as holder:
        for _ in range(6):
            async with raw_connection(site.url) as connection:
                if read == "queues":
                    await connection.send(head("GET", "/api/queues", authorization=f"Bearer {token}"))
                else:
                    await post(connection, "/api/v1/jobs/query", token, {"version": 1, "filter": {}, "page": {}})
                await waits_for(site.sql, holder)
            await no_statements_but_sweeps(site)
    assert await site.sql.fetchval(CONNECTIONS) == connections
    headers = {"authorization": f"Bearer {token}"}
    assert (await site.http.get("/api/queues", headers=headers)).status_code == 200


async def no_statements_but_sweeps(site: Site) -> None:
    """The server's own sweeps wait for the table, too."""
    from tests.support.waiting import until

    await until(
        site.sql,
        "select count(*) = 0 from pg_stat_activity where datname = current_database() and state <> 'idle'"
        " and application_name like 'switchboard%' and query !~ 'promoted|reaped|pruned|forget|floor'",
    )


async def test_a_read_that_waits_for_a_lock_is_told_so(site: Site) -> None:
    endpoint = await site.endpoint("q")
    await site.world.enqueue(endpoint, "q")
    headers = await site.operator(endpoint.owner)
    async with holding(site.database_url, "lock table switchboard.todos in access exclusive mode"):
        answer = await site.http.get("/api/queues", headers=headers)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json() == {"error": {"code": "read_lock_timeout", "message": "This read waited too long for a lock."}}
