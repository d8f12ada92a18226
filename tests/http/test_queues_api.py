"""The routes that pause, resume and drain a queue."""

from __future__ import annotations

from .conftest import Site


async def test_a_queue_is_paused_resumed_and_drained(site: Site) -> None:
    endpoint = await site.endpoint("q")
    await site.world.enqueue(endpoint, "q")
    headers = await site.operator(endpoint.owner)
    path = f"/api/queues/{endpoint.queue_id('q')}"

    paused = await site.http.post(f"{path}/pause", headers=headers)
    assert paused.status_code == 200
    assert paused.json()["queue"]["policy"] == {
        "max_in_flight": 0,
        "max_claims_per_window": None,
        "window": None,
    }
    assert paused.json()["queue"]["status"]["reason"] == "paused"
    again = await site.http.post(f"{path}/pause", headers=headers)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    answer = await site.verb(endpoint, "claim_next")
    assert (answer.json()["empty"], answer.json()["deferred"][0]["reason"]) == (True, "paused")

    resumed = await site.http.post(f"{path}/resume", headers=headers)
    assert (resumed.status_code, resumed.json()["queue"]["policy"]) == (200, None)
    again = await site.http.post(f"{path}/resume", headers=headers)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")

    drained = await site.http.post(f"{path}/drain", headers=headers)
    assert (drained.status_code, drained.json()) == (200, {"canceled": 1})


async def test_a_body_is_refused_and_another_method_is_405(site: Site) -> None:
    endpoint = await site.endpoint("q")
    headers = await site.operator(endpoint.owner)
    path = f"/api/queues/{endpoint.queue_id('q')}/drain"
    answer = await site.http.post(path, json={"queue": "r"}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
    answer = await site.http.get(path, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")


async def test_a_foreign_queue_answers_as_one_that_does_not_exist(site: Site) -> None:
    endpoint, other = await site.endpoint("q"), await site.endpoint("q")
    headers = await site.operator(other.owner)
    for verb in ("pause", "resume", "drain"):
        foreign = await site.http.post(f"/api/queues/{endpoint.queue_id('q')}/{verb}", headers=headers)
        unknown = await site.http.post(f"/api/queues/{2**62}/{verb}", headers=headers)
        assert foreign.status_code == unknown.status_code == 404
        assert foreign.content == unknown.content
