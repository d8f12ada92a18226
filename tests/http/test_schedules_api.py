"""Schedules over HTTP: what is not yours does not exist."""

from __future__ import annotations

from .conftest import Site

PATH = "/api/schedules"
ASK = {"name": "nightly", "kind": "k", "title": "Nightly", "cron": "0 3 * * *", "tz": "UTC", "payload": {"a": 1}}


async def test_a_schedule_through_its_life(site: Site) -> None:
    endpoint = await site.endpoint("q")
    headers = await site.operator(endpoint.owner)
    made = await site.http.post(PATH, json=ASK | {"scope": f"endpoint:{endpoint.slug}", "queue": "q"}, headers=headers)
    assert (made.status_code, made.json()["version"], made.json()["payload"]) == (200, 1, {"a": 1})
    one = f"{PATH}/{made.json()['id']}"
    listed = await site.http.get(PATH, headers=headers)
    assert (listed.status_code, listed.json()) == (200, {"schedules": [made.json()]})
    assert "Observed-At" in listed.headers
    assert (await site.http.put(one, json=ASK | {"version": 1}, headers=headers)).json()["version"] == 2
    assert (await site.http.put(one, json=ASK | {"version": 1}, headers=headers)).status_code == 409
    assert (await site.http.post(f"{one}/trigger", headers=headers)).json()["todo_id"] > 0
    assert (await site.http.post(f"{one}/pause", headers=headers)).json()["paused"] is True
    assert (await site.http.post(f"{one}/resume", headers=headers)).json()["paused"] is False
    other = await site.operator((await site.endpoint("q")).owner)
    assert (await site.http.delete(one, headers=other)).status_code == 404
    assert (await site.http.delete(one)).status_code == 401
    assert (await site.http.delete(one, headers=headers)).json()["name"] == "nightly"
    assert (await site.http.delete(one, headers=headers)).status_code == 404
