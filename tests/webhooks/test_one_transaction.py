"""A delivery is all or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from switchboard.core.webhook_signatures import Verification
from tests.support.waiting import holding, until

from . import senders
from .site import Endpoint, Site

MARK = "mark-of-the-payload"
BODY = b'{"note": "%s"}' % MARK.encode()


@asynccontextmanager
async def failing_inserts(site: Site, endpoint: Endpoint) -> AsyncIterator[None]:
    """Todos of that endpoint cannot be inserted, and the database quotes them in its error, as it does."""
    endpoint_id = await site.sql.fetchval("select id from switchboard.endpoints where slug = $1", endpoint.slug)
    await site.sql.execute(
        "create function public.fail_insert() returns trigger language plpgsql as "
        "$$ begin raise exception 'no % here', new.payload using detail = new::text; end $$; "
        "create trigger fail_insert before insert on switchboard.todos for each row "
        f"when (new.endpoint_id = {endpoint_id}) execute function public.fail_insert()"
    )
    try:
        yield
    finally:
        await site.sql.execute("drop trigger fail_insert on switchboard.todos; drop function public.fail_insert()")


async def test_a_target_that_fails_undoes_event_and_todos(site: Site) -> None:
    targets = [await site.endpoint()]
    targets += [await site.endpoint(targets[0].owner) for _ in range(2)]
    hook = await site.hook(Verification.STANDARD, *targets)
    sent = senders.standard(hook.secret, BODY)
    async with failing_inserts(site, targets[1]):
        answer = await site.deliver(hook, BODY, sent)
        assert answer.status_code == 500
        assert MARK not in answer.text
        assert answer.json()["error"]["code"] == "internal"
        assert await site.events(hook) == []
        assert [await site.todos(one) for one in targets] == [[], [], []]
    answer = await site.deliver(hook, BODY, sent)  # the sender's next attempt
    assert (answer.status_code, answer.json()["todos"], answer.json()["duplicate"]) == (202, 3, False)
    assert [len(await site.todos(one)) for one in targets] == [1, 1, 1]

    log = site.server.log()
    assert "webhook_internal_error" in log
    assert "record_delivery" in log  # the place is told
    assert MARK not in log


async def test_a_lost_database_connection_is_an_invitation_to_deliver_again(site: Site) -> None:
    endpoint = await site.endpoint()
    hook = await site.hook(Verification.TOKEN, endpoint)
    waits = (
        "from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into switchboard.webhook_events%'"
    )
    async with holding(site.database_url, "lock table switchboard.webhook_events in share mode"):
        delivery = asyncio.create_task(site.deliver(hook, BODY, senders.JSON))
        await until(site.sql, f"select count(*) = 1 {waits}")
        await site.sql.execute(f"select pg_terminate_backend(pid) {waits}")
        answer = await delivery
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert await site.todos(endpoint) == []
    assert (await site.deliver(hook, BODY, senders.JSON)).status_code == 202
    log = site.server.log()
    assert "webhook_database_unavailable" in log
    assert hook.token not in log
