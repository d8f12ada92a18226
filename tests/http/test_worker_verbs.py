"""POST /api/v1/worker/<verb>: what each verb answers, to the last member."""

from __future__ import annotations

import re
from typing import Any

import pytest

from switchboard_wire.decoder import decode_json
from tests.support.scenario import DAY_UTC

from .conftest import Site, bearer

TODO = {
    "id", "scope", "queue", "queue_id", "kind", "source", "title", "tags", "state", "attempt", "max_attempts",
    "created_at", "updated_at", "claimed_at", "lease_expires_at", "next_retry_at", "not_before", "finished_at",
    "claimant", "worker", "error", "admission", "payload", "result", "idempotency_key", "fence",
}  # fmt: skip
SUMMARY = TODO - {"payload", "result", "idempotency_key", "fence"}
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")


async def test_enqueue(site: Site) -> None:
    endpoint = await site.endpoint("q")
    answer = await site.verb(
        endpoint,
        "enqueue",
        queue="q",
        kind="build",
        title="T",
        payload={"n": [1, "ä"]},
        tags=["x"],
        idempotency_key="k",
    )
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert (set(body), set(body["todo"])) == ({"todo", "duplicate"}, TODO)
    assert INSTANT.fullmatch(body["todo"].pop("created_at"))
    assert INSTANT.fullmatch(body["todo"].pop("updated_at"))
    assert body == {
        "duplicate": False,
        "todo": {
            "id": body["todo"]["id"],
            "scope": f"endpoint:{endpoint.slug}",
            "queue": "q",
            "queue_id": endpoint.queue_id("q"),
            "kind": "build",
            "source": "",
            "title": "T",
            "tags": ["x"],
            "state": "pending",
            "attempt": 0,
            "max_attempts": 5,
            "claimed_at": None,
            "lease_expires_at": None,
            "next_retry_at": None,
            "not_before": None,
            "finished_at": None,
            "claimant": None,
            "worker": None,
            "error": None,
            "admission": None,
            "payload": {"n": [1, "ä"]},
            "result": None,
            "idempotency_key": "k",
            "fence": None,
        },
    }
    again = await site.verb(endpoint, "enqueue", queue="q", kind="other", idempotency_key="k")
    assert (again.json()["duplicate"], again.json()["todo"]["id"]) == (True, body["todo"]["id"])


async def test_claim_next_with_and_without_a_policy(site: Site) -> None:
    endpoint = await site.endpoint("free", "lane")
    await site.world.set_policy(endpoint, "lane", max_in_flight=5, max_claims_per_window=2, window=DAY_UTC)
    for queue in ("free", "lane", "lane", "lane"):
        await site.world.enqueue(endpoint, queue)
    free = (await site.verb(endpoint, "claim_next", worker="w")).json()
    assert set(free) == {"empty", "todos", "admission", "held_back", "deferred"}
    assert (free["empty"], free["admission"], free["held_back"], free["deferred"]) == (False, None, 0, [])
    assert [(todo["queue"], todo["state"], todo["worker"]) for todo in free["todos"]] == [("free", "claimed", "w")]
    lane = (await site.verb(endpoint, "claim_next", max=3)).json()
    assert len(lane["todos"]) == 2
    resets = lane["admission"].pop("window_resets_at")
    assert INSTANT.fullmatch(resets)
    assert lane["admission"] == {
        "max_in_flight": 5,
        "in_flight": 2,
        "max_claims_per_window": 2,
        "used": 2,
        "remaining": 0,
    }
    assert lane["held_back"] == 1
    assert (await site.verb(endpoint, "claim_next")).json() == {
        "empty": True,
        "todos": [],
        "admission": None,
        "held_back": 0,
        "deferred": [
            {
                "queue": "lane",
                "reason": "window_exhausted",
                "pending": 1,
                "next_eligible_at": resets,
                "exact": True,
                "pending_capped": False,
            }
        ],
    }


async def test_claim_next_without_work_and_without_a_body(site: Site) -> None:
    endpoint = await site.endpoint("q")
    answer = await site.http.post("/api/v1/worker/claim_next", headers=bearer(endpoint.credential))
    assert (answer.status_code, answer.json()) == (
        200,
        {"empty": True, "todos": [], "admission": None, "held_back": 0, "deferred": []},
    )


async def test_claim_heartbeat_complete(site: Site) -> None:
    endpoint = await site.endpoint("q")
    todo_id = await site.world.enqueue(endpoint, "q")
    claimed = (await site.verb(endpoint, "claim", todo_id=todo_id, fence=True, lease_seconds=60)).json()
    assert (set(claimed), set(claimed["todo"])) == ({"todo", "admission"}, TODO)
    assert (claimed["todo"]["state"], claimed["todo"]["claimant"], claimed["admission"]) == (
        "claimed",
        endpoint.slug,
        None,
    )
    fence = claimed["todo"]["fence"]
    beaten = (await site.verb(endpoint, "heartbeat", todo_id=todo_id, fence=fence, lease_seconds=600)).json()
    assert set(beaten) == {"todo"}
    assert beaten["todo"]["lease_expires_at"] > claimed["todo"]["lease_expires_at"]
    done = (await site.verb(endpoint, "complete", todo_id=todo_id, fence=fence, result=[1])).json()
    assert (set(done), done["next"]) == ({"todo", "next"}, None)
    assert (done["todo"]["state"], done["todo"]["result"]) == ("done", [1])


async def test_fail_release_get_and_list(site: Site) -> None:
    endpoint = await site.endpoint("q")
    first, second = await site.world.enqueue(endpoint, "q"), await site.world.enqueue(endpoint, "q")
    for todo_id in (first, second):
        await site.verb(endpoint, "claim", todo_id=todo_id, worker="w")
    failed = (await site.verb(endpoint, "fail", todo_id=first, error="no")).json()
    assert (failed["todo"]["state"], failed["todo"]["error"]) == ("failed", "no")
    assert INSTANT.fullmatch(failed["todo"]["next_retry_at"])
    released = (await site.verb(endpoint, "release", todo_id=second)).json()
    assert (released["todo"]["state"], released["todo"]["attempt"]) == ("pending", 0)
    got = (await site.verb(endpoint, "get_todo", todo_id=first)).json()
    assert (set(got), set(got["todo"])) == ({"todo", "attempts"}, TODO)
    (attempt,) = got["attempts"]
    assert set(attempt) == {"seq", "claimant", "worker", "claimed_at", "ended_at", "outcome", "duration_ms"}
    assert (attempt["seq"], attempt["claimant"], attempt["worker"], attempt["outcome"]) == (
        1,
        endpoint.slug,
        "w",
        "failed",
    )
    listed = (await site.verb(endpoint, "list_todos", limit=1)).json()
    assert set(listed["todos"][0]) == SUMMARY
    assert ([todo["id"] for todo in listed["todos"]], listed["next_before_id"]) == ([second], second)


async def test_admission_status(site: Site) -> None:
    endpoint = await site.endpoint("free", "lane")
    await site.world.set_policy(endpoint, "lane", max_in_flight=0)
    free, lane = (await site.verb(endpoint, "admission_status")).json()["queues"]
    assert free == {
        "queue_id": endpoint.queue_id("free"),
        "scope": f"endpoint:{endpoint.slug}",
        "queue": "free",
        "policy": None,
        "fault": None,
        "status": {"state": "admitted", "reason": None, "next_eligible_at": None, "exact": None},
        "in_flight": 0,
        "used": None,
        "remaining": None,
        "window_started_at": None,
        "window_resets_at": None,
    }
    assert lane["policy"] == {"max_in_flight": 0, "max_claims_per_window": None, "window": None}
    assert lane["status"] == {"state": "deferred", "reason": "paused", "next_eligible_at": None, "exact": None}
    named = (await site.verb(endpoint, "admission_status", queue="lane")).json()["queues"]
    assert named == [lane]


async def test_a_named_todo_of_a_paused_queue(site: Site) -> None:
    endpoint = await site.endpoint("lane")
    await site.world.set_policy(endpoint, "lane", max_in_flight=0)
    todo_id = await site.world.enqueue(endpoint, "lane")
    answer = await site.verb(endpoint, "claim", todo_id=todo_id)
    assert answer.status_code == 409
    assert answer.json() == {
        "error": {
            "code": "deferred",
            "message": "The queue lane is paused.",
            "queue": "lane",
            "reason": "paused",
            "next_eligible_at": None,
            "exact": None,
        }
    }


@pytest.mark.parametrize(
    "payload",
    [
        None,
        False,
        0,
        -1.5,
        1.5e-300,
        2**53,
        2**63 - 1,
        "",
        'quote " backslash \\ slash / line\n',
        "\U0001f600 ä 漢",
        [],
        {},
        [[[[]]]],
        {"": {"a": [None, True, {"b": "c"}]}},
    ],
)
async def test_a_payload_comes_out_as_it_went_in(site: Site, payload: Any) -> None:
    endpoint = await site.endpoint("q")
    await site.verb(endpoint, "enqueue", queue="q", kind="k", payload=payload)
    (todo,) = (await site.verb(endpoint, "claim_next")).json()["todos"]
    assert todo["payload"] == payload
    assert type(todo["payload"]) is type(payload)


@pytest.mark.parametrize("number", [1e22, 1e300, 1.7e308])
async def test_an_answer_can_be_read_by_the_contracts_own_decoder(site: Site, number: float) -> None:
    endpoint = await site.endpoint("q")
    await site.verb(endpoint, "enqueue", queue="q", kind="k", payload=number)
    answer = decode_json((await site.verb(endpoint, "claim_next")).content, max_nesting=64)
    assert float(answer["todos"][0]["payload"]) == number


@pytest.mark.parametrize("integer", [2**64, -(2**64), 10**300])
async def test_an_integer_beyond_64_bits_is_stored_or_refused_and_never_breaks_the_server(
    site: Site, integer: int
) -> None:
    endpoint = await site.endpoint("q")
    for verb, body in (
        ("enqueue", {"queue": "q", "kind": "k", "payload": integer}),
        ("complete", {"todo_id": 1, "result": {"n": integer}}),
    ):
        answer = await site.verb(endpoint, verb, **body)
        assert answer.status_code in (200, 400, 404, 409)
