"""A change that waits in a circle with another and is ended by the database: said so, and nothing is changed."""

from __future__ import annotations

import asyncio

import httpx

from tests.support.databases import Databases
from tests.support.servers import running_server
from tests.support.waiting import holding, patient_locks, waits_for

from .test_read_limits import _world


async def test_a_change_that_the_database_ended_is_a_503_that_says_so_and_can_be_repeated(databases: Databases) -> None:
    async with databases.fresh() as url, _world(url) as world:
        await patient_locks(world.sql)
        endpoint = await world.endpoint("e", "q")
        await world.set_policy(endpoint, "q", max_in_flight=5)
        headers = {"authorization": f"Bearer {await world.operator_token(endpoint.owner)}"}
        pause = f"/api/queues/{endpoint.queue_id('q')}/pause"
        with running_server(url) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60, headers=headers) as client:
                # It is the change's own wait that finds the circle: the other one looks a minute later. The change has
                # the policy by then, and waits for the human whom its audit names.
                humans = "select * from switchboard.humans for update"
                async with holding(url, "set local deadlock_timeout = '1min'", humans) as holder:
                    pausing = asyncio.create_task(client.post(pause))
                    await waits_for(world.sql, holder)
                    await holder.execute("select * from switchboard.policies for update")
                    refused = await pausing
                assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
                assert refused.json()["error"] == {
                    "code": "unavailable",
                    "message": "This change and another waited for each other; nothing was changed. Try again.",
                }
                again = await client.post(pause)
                assert again.json()["queue"]["policy"]["max_in_flight"] == 0
                audit = (await client.get("/api/audit")).json()["records"]
                assert [record["action"] for record in audit] == ["queues.pause"]
            assert server.log().count('"event": "deadlock"') == 1
            assert server.stop() == 0
