"""Events are forgotten after 30 days, and none whose todos are still to be done."""

from __future__ import annotations

from switchboard.core.webhook_signatures import Verification
from switchboard.service.sweeps import sweeps
from switchboard.service.webhook_deliveries import Delivered, WebhookRetention
from switchboard.service.webhooks import NewWebhook, Target
from switchboard_wire.worker import Complete
from tests.support.clock import Clock
from tests.support.scenario import Endpoint, World

from . import senders


async def webhook(world: World) -> tuple[Endpoint, str]:
    endpoint = await world.endpoint("research", "inbox")
    ask = NewWebhook("hook", Verification.TOKEN, [Target("research", "inbox")])
    return endpoint, (await world.service.webhooks.add(endpoint.owner, ask)).token


async def deliver(world: World, token: str, body: bytes) -> Delivered:
    deliveries = world.service.webhook_deliveries
    return await deliveries.deliver(await deliveries.webhook(token), senders.JSON, body)


async def finish(world: World, endpoint: Endpoint) -> None:
    (todo,) = (await world.claim_next(endpoint)).todos
    await world.service.complete.complete(endpoint.caller, Complete(todo.id))


async def test_events_of_finished_work_go_after_thirty_days(world: World, clock: Clock) -> None:
    endpoint, token = await webhook(world)
    retention = WebhookRetention(world.database)
    old = await deliver(world, token, b"1")
    await finish(world, endpoint)
    await clock.advance(days=1)
    young = await deliver(world, token, b"2")
    await finish(world, endpoint)
    await clock.advance(days=29)
    assert not await retention.run_once()
    assert await deliver(world, token, b"1") == Delivered(old.event_id, 0, 0, duplicate=True)
    await clock.advance(seconds=1)
    assert not await retention.run_once()
    kept = await world.sql.fetch("select id from switchboard.webhook_events")
    assert [row["id"] for row in kept] == [young.event_id]
    assert await world.sql.fetchval("select count(*) from switchboard.webhook_event_todos") == 1
    assert not (await deliver(world, token, b"1")).duplicate


async def test_an_event_outlives_work_that_is_deferred(world: World, clock: Clock) -> None:
    endpoint, token = await webhook(world)
    retention = WebhookRetention(world.database)
    await world.set_policy(endpoint, "inbox", max_in_flight=0)
    first = await deliver(world, token, b"1")
    await clock.advance(days=100)
    assert not await retention.run_once()
    assert await deliver(world, token, b"1") == Delivered(first.event_id, 0, 0, duplicate=True)
    await world.clear_policy(endpoint, "inbox")
    await finish(world, endpoint)
    await retention.run_once()
    assert await world.sql.fetchval("select count(*) from switchboard.webhook_events") == 0


async def test_a_long_past_is_forgotten_in_pieces_and_by_several_servers(world: World, clock: Clock) -> None:
    await webhook(world)
    await world.sql.execute(
        "insert into switchboard.webhook_events (webhook_id, delivery_id, received_at, verification, body) "
        "select w.id, n::text, switchboard.clock() - interval '40 days', 'token', '{}' "
        "from switchboard.webhooks w, generate_series(1, 700) n"
    )
    first, second = WebhookRetention(world.database), WebhookRetention(world.database)
    assert [await first.run_once(), await second.run_once(), await first.run_once()] == [True, False, False]
    assert await world.sql.fetchval("select count(*) from switchboard.webhook_events") == 0


def test_the_sweep_is_among_the_servers_sweeps(world: World) -> None:
    assert "webhook events" in [sweep.name for sweep in sweeps(world.database)]
