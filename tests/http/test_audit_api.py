"""GET /api/audit: what operators did, to those who see the queue; page by page, newest first."""

from __future__ import annotations

import pytest

from .conftest import Site


async def test_who_did_what_to_which_todo_and_how_much_changed(site: Site) -> None:
    endpoint = await site.endpoint("q")
    first, second = await site.world.enqueue(endpoint, "q"), await site.world.enqueue(endpoint, "q")
    headers = await site.operator(endpoint.owner)
    for todo_id in (first, second):
        assert (await site.http.post(f"/api/jobs/{todo_id}/cancel", headers=headers)).status_code == 200
    newest = (await site.http.get("/api/audit?limit=1", headers=headers)).json()
    (record,) = newest["records"]
    assert (record["human"], record["action"], record["part_of"]) == (endpoint.owner.name, "jobs.cancel", None)
    assert record["target"] == {"ids": [second]}
    assert record["counts"] == {"canceled": 1}
    assert record["queue_id"] == endpoint.queue_id("q")
    older = (await site.http.get(f"/api/audit?limit=1&before_id={newest['next_before_id']}", headers=headers)).json()
    assert [each["target"] for each in older["records"]] == [{"ids": [first]}]


async def test_what_others_did_to_queues_that_one_does_not_see_is_not_told(site: Site) -> None:
    endpoint, other = await site.endpoint("q"), await site.endpoint("q")
    todo_id = await site.world.enqueue(endpoint, "q")
    await site.http.post(f"/api/jobs/{todo_id}/cancel", headers=await site.operator(endpoint.owner))
    answer = await site.http.get("/api/audit", headers=await site.operator(other.owner))
    assert answer.json() == {"records": [], "next_before_id": None}
    assert "observed-at" in answer.headers


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "before_id=0", "since=1", "limit=1&limit=2", "limit="])
async def test_a_bad_parameter_is_refused_by_its_name(site: Site, query: str) -> None:
    endpoint = await site.endpoint("q")
    answer = await site.http.get(f"/api/audit?{query}", headers=await site.operator(endpoint.owner))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
    assert answer.json()["error"]["field"] == query.partition("=")[0]
