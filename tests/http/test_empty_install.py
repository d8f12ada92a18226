"""A new installation without a worker, a queue or a todo answers every read, and with nothing made up."""

from __future__ import annotations

import httpx

from switchboard.service.services import services
from switchboard.store.database import Database, DatabaseSettings
from tests.support.databases import Databases
from tests.support.servers import running_server

from .conftest import PASSWORD, sign_in


async def test_every_read_of_an_empty_install_is_empty_and_every_page_opens(databases: Databases) -> None:
    async with databases.fresh() as url:
        database = Database(DatabaseSettings(url, claim_connections=1, read_connections=1))
        await database.open()
        await services(database).accounts.add_human("first", PASSWORD, operator=True)
        await database.close()
        with running_server(url) as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=60) as browser:
                assert (await sign_in(browser, "first", PASSWORD)).status_code == 303
                queues = await browser.get("/api/queues")
                assert (queues.status_code, queues.json()) == (200, {"queues": []})
                query = {"version": 1, "filter": {}, "page": {}}
                jobs = await browser.post("/api/v1/jobs/query", json=query)
                assert (jobs.status_code, jobs.json()["data"]) == (200, {"jobs": [], "next_before_id": None})
                assert (await browser.get("/api/capabilities")).status_code == 200
                for page in ("/board", "/plain/board"):
                    assert (await browser.get(page)).status_code == 200
            assert server.stop() == 0
