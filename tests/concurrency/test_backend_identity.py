"""D29: two servers on one database are one backend, and each of them is a process of its own."""

from __future__ import annotations

from tests.support.databases import Databases

from .conftest import Fleet, fleet_on


async def identity(fleet: Fleet, server: int) -> tuple[str, str]:
    """What that server says of its database and of its process."""
    endpoint = await fleet.endpoint("q")
    headers = {"authorization": f"Bearer {await fleet.world.operator_token(endpoint.owner)}"}
    answer = await fleet.clients[server].get("/api/capabilities", headers=headers)
    assert answer.status_code == 200
    backend = answer.json()["backend"]
    return backend["database"], backend["process"]


async def test_servers_share_their_databases_identity_and_differ_in_their_own(
    pair: Fleet, databases: Databases
) -> None:
    seen = [await identity(pair, server) for server in (0, 1, 0)]
    assert seen[0] == seen[2]
    assert seen[0][0] == seen[1][0]
    assert seen[0][1] != seen[1][1]
    async with databases.fresh() as url, fleet_on(url, 1) as elsewhere:
        database, process = await identity(elsewhere, 0)
    assert database != seen[0][0]
    assert process not in (seen[0][1], seen[1][1])
