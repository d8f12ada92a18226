"""The demo's workers and senders: ordinary clients of the worker API, over HTTP."""

from __future__ import annotations

import asyncio
import random  # noqa: TID251 - a demo is not a rule
from datetime import UTC, datetime
from typing import Any

import httpx

from switchboard_wire.instants import parse_instant

from .demo_data import QUEUES, DemoAccess

KEEP_WAITING = 12
WORKERS = {"research": 2, "builder": 3, "mailer": 1}
TITLES = {
    "investigations": "Look into the odd reading at sensor {n}",
    "triage": "Sort ticket {n}",
    "builds": "Build revision {n}",
    "newsletters": "Send issue {n}",
    "receipts": "Mail receipt {n}",
}


async def run_demo_workers(url: str, access: DemoAccess) -> None:
    """Until cancelled. A server that is away for a while is waited for."""
    async with httpx.AsyncClient(base_url=f"{url}/api/v1/worker/", timeout=30) as client, asyncio.TaskGroup() as group:
        for slug, credential in access.credentials.items():
            group.create_task(_send(client, credential, [queue.name for queue in QUEUES if queue.endpoint == slug]))
            for number in range(WORKERS[slug]):
                group.create_task(_work(client, credential, f"{slug}-{number + 1}"))


async def _work(client: httpx.AsyncClient, credential: str, name: str) -> None:
    while True:
        answer = await _call(client, credential, "claim_next", {"worker": name})
        if answer is None or answer["empty"]:
            await _pause(_wait(answer))
            continue
        (todo,) = answer["todos"]
        await _pause(random.uniform(0.5, 2.5))
        if random.random() < 0.05:
            await _call(client, credential, "fail", {"todo_id": todo["id"], "error": "The demo fails one in twenty."})
        else:
            await _call(client, credential, "complete", {"todo_id": todo["id"], "result": {"by": name}})


def _wait(answer: dict[str, Any] | None) -> float:
    """Until the first deferred queue may be eligible again, between one and ten seconds."""
    times = [entry["next_eligible_at"] for entry in (answer or {}).get("deferred", []) if entry["next_eligible_at"]]
    if not times:
        return 2.0
    first = min(parse_instant(time) for time in times)
    return min(max((first - datetime.now(UTC)).total_seconds(), 1.0), 10.0)  # noqa: TID251


async def _send(client: httpx.AsyncClient, credential: str, queues: list[str]) -> None:
    number = random.randrange(100, 1000)
    while True:
        for queue in queues:
            listed = await _call(
                client, credential, "list_todos", {"queue": queue, "states": ["pending"], "limit": KEEP_WAITING}
            )
            if listed is not None and len(listed["todos"]) < KEEP_WAITING:
                number += 1
                await _call(
                    client,
                    credential,
                    "enqueue",
                    {
                        "queue": queue,
                        "kind": queue.rstrip("s"),
                        "title": TITLES[queue].format(n=number),
                        "source": "demo",
                    },
                )
        await _pause(random.uniform(0.5, 1.5))


async def _call(client: httpx.AsyncClient, credential: str, verb: str, body: dict[str, Any]) -> Any:
    """The answer, or None when there was none or it was a refusal."""
    try:
        answer = await client.post(verb, json=body, headers={"authorization": f"Bearer {credential}"})
    except httpx.HTTPError:
        await _pause(1.0)
        return None
    return answer.json() if answer.status_code == 200 else None


async def _pause(seconds: float) -> None:
    await asyncio.sleep(seconds)  # noqa: TID251 - the demo's work is waiting
