"""A new installation without a worker, a queue or a todo answers every read, and with nothing made up."""

from __future__ import annotations

import httpx

from switchboard.service.services import services
from switchboard.store.database import Database, DatabaseSettings
from switchboard_ui.core.places import PAGES
from tests.support.databases import Databases
from tests.support.servers import running_server

from .conftest import PASSWORD, sign_in

EMPTY = {
    "/api/jobs": {"jobs": [], "next_before_id": None},
    "/api/workers": {"workers": [], "truncated": False},
    "/api/dlq": {"jobs": [], "next": None},
    "/api/dlq/depth": {"queues": [], "total": 0, "capped": False, "cap": 10_000, "oldest_dlq_at": None},
    "/api/schedules": {"schedules": []},
    "/api/operations": {"operations": [], "next_before_id": None},
    "/api/audit": {"records": [], "next_before_id": None},
    "/api/kinds": {"kinds": [], "truncated": False},
}


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
                for path, empty in EMPTY.items():
                    answer = await browser.get(path)
                    assert (answer.status_code, answer.json()) == (200, empty)
                stats = (await browser.get("/api/stats")).json()
                assert {one["count"] for one in stats["states"]} == {0}
                assert stats["oldest_waiting_at"] is None
                assert stats["last_hour"] == dict.fromkeys(("claimed", "completed", "failed", "lapsed"))
                minutes = (await browser.get("/api/stats/timeseries?minutes=3")).json()["minutes"]
                assert [minute["claimed"] for minute in minutes] == [None, None, None]
                storage = (await browser.get("/api/storage")).json()
                assert {table["table"] for table in storage["tables"]} >= {
                    "todos",
                    "attempts",
                    "schedules",
                    "operations",
                }
                for page in ("/plain/board", *(page.path for page in PAGES.values() if not page.of_one_row)):
                    assert (await browser.get(page)).status_code == 200
            assert server.stop() == 0
