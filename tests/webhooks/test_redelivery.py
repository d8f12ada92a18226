"""A redelivery is free (REQ-3): it finds its event, makes nothing and charges nothing, whatever became of the todo."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from switchboard.core.webhook_signatures import Verification
from tests.support.servers import running_server
from tests.support.waiting import holding, until

from . import senders
from .site import DAY, Hook, Site

BODY = b'{"n": 1}'


def headers(scheme: Verification, hook: Hook) -> dict[str, str]:
    match scheme:
        case Verification.STANDARD:
            return senders.standard(hook.secret, BODY)
        case Verification.GITHUB:
            return senders.github(hook.secret, BODY)
        case Verification.TOKEN:
            return senders.JSON


@pytest.mark.parametrize("scheme", list(Verification))
async def test_a_redelivery_is_free_at_every_stage_of_the_todo(site: Site, scheme: Verification) -> None:
    endpoint = await site.endpoint(max_claims_per_window=5, window=DAY)
    hook = await site.hook(scheme, endpoint)
    first = await site.deliver(hook, BODY, headers(scheme, hook))
    assert first.status_code == 202

    async def again() -> None:
        answer = await site.deliver(hook, BODY, headers(scheme, hook))
        assert answer.status_code == 200
        assert answer.json() == {"event_id": first.json()["event_id"], "todos": 0, "skipped": 0, "duplicate": True}

    await again()
    assert await site.used(endpoint) == 0
    (todo,) = (await site.work(endpoint, "claim_next"))["todos"]
    await again()
    assert await site.used(endpoint) == 1
    await site.work(endpoint, "complete", todo_id=todo["id"])
    await again()
    assert await site.used(endpoint) == 1
    assert len(await site.todos(endpoint)) == 1
    assert await site.work(endpoint, "claim_next") | {"admission": None} == {
        "empty": True,
        "todos": [],
        "admission": None,
        "held_back": 0,
        "deferred": [],
    }


async def test_the_place_is_not_lost_while_the_todo_is_deferred(site: Site) -> None:
    endpoint = await site.endpoint(max_in_flight=0)
    hook = await site.hook(Verification.GITHUB, endpoint)
    for status in (202, 200):
        answer = await site.deliver(hook, BODY, headers(Verification.GITHUB, hook))
        assert answer.status_code == status
        (deferred,) = (await site.work(endpoint, "claim_next"))["deferred"]
        assert (deferred["reason"], deferred["pending"]) == ("paused", 1)
    await site.clear_policy(endpoint)
    claimed = await site.work(endpoint, "claim_next", max=10)
    assert len(claimed["todos"]) == 1
    assert (await site.deliver(hook, BODY, headers(Verification.GITHUB, hook))).status_code == 200
    assert len(await site.todos(endpoint)) == 1


async def test_ten_identical_deliveries_race_on_two_servers_and_one_wins(site: Site) -> None:
    targets = [await site.endpoint(max_claims_per_window=5, window=DAY)]
    targets.append(await site.endpoint(targets[0].owner))
    hook = await site.hook(Verification.STANDARD, *targets)
    sent = senders.standard(hook.secret, BODY)
    with running_server(site.database_url) as second:
        async with (
            httpx.AsyncClient(base_url=second.url, timeout=30) as other,
            holding(site.database_url, "lock table switchboard.webhook_events in share mode") as holder,
        ):
            racing = [
                asyncio.create_task(client.post(hook.path, content=BODY, headers=sent))
                for _ in range(5)
                for client in (other, site._client)
            ]
            await until(
                site.sql,
                "select count(*) >= 10 from pg_stat_activity "
                "where wait_event_type = 'Lock' and query like '%insert into switchboard.webhook_events%'",
            )
            await holder.execute("rollback")
            answers = await asyncio.gather(*racing)
    assert sorted(answer.status_code for answer in answers) == [200] * 9 + [202]
    assert len({answer.json()["event_id"] for answer in answers}) == 1
    assert sorted(answer.json()["todos"] for answer in answers) == [0] * 9 + [2]
    assert len(await site.events(hook)) == 1
    assert [len(await site.todos(one)) for one in targets] == [1, 1]
    assert await site.used(targets[0]) == 0


async def test_many_races_have_one_winner_each(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    for number in range(10):
        answers = await asyncio.gather(*(site.deliver(hook, b"%d" % number, senders.JSON) for _ in range(10)))
        assert sorted(answer.status_code for answer in answers) == [200] * 9 + [202]
    assert len(await site.events(hook)) == len(await site.todos(endpoint)) == 10


async def test_a_todo_that_outlived_its_event_stands_for_a_late_redelivery(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    await site.deliver(hook, BODY, senders.JSON)
    await site.sql.execute(
        "delete from switchboard.webhook_events e using switchboard.webhooks w "
        "where w.id = e.webhook_id and w.name = $1",
        hook.name,
    )
    answer = await site.deliver(hook, BODY, senders.JSON)
    assert (answer.status_code, answer.json()["todos"]) == (202, 0)
    assert len(await site.todos(endpoint)) == 1
