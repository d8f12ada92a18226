"""The first claim under a new policy counts every claim that found none."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import asyncpg

from switchboard.service.services import Services
from switchboard_wire.admission import DeferralReason
from switchboard_wire.worker import ClaimNext
from tests.support.people import caller, enqueue, human


async def test_a_policy_waits_for_the_claims_in_the_making_and_then_counts_them(
    service: Services, database_url: str
) -> None:
    ada = await human(service, "ada")
    endpoint = await caller(service, ada, "e", "lane")
    await enqueue(service, endpoint, "lane", 2)
    claiming, watching = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    transaction = claiming.transaction(isolation="read_committed")
    await transaction.start()
    rows = await claiming.fetch(
        "select outcome from switchboard.claim_next("
        "$1, $2, '{0}', '{f}', '{null}', '{null}', '{null}', $3, null, false, 1)",
        endpoint.endpoint_id,
        [endpoint.queues["lane"].id],
        timedelta(seconds=300),
    )
    assert [row["outcome"] for row in rows] == ["claimed"]

    setting = asyncio.create_task(service.policies.set(ada, "endpoint:e", "lane", {"max_in_flight": 1}))
    while not await watching.fetchval(
        "select count(*) from pg_locks where not granted and mode = 'AccessExclusiveLock'"
    ):
        assert not setting.done()
    assert await watching.fetchval("select count(*) from switchboard.policy_audit") == 0
    await transaction.commit()
    await setting
    answer = await service.claim.claim_next(endpoint, ClaimNext())
    await claiming.close()
    await watching.close()

    assert answer.empty
    assert [(one.reason, one.pending) for one in answer.deferred] == [(DeferralReason.IN_FLIGHT_FULL, 1)]


async def test_two_who_create_at_once_leave_one_policy_and_both_their_audit_records(
    service: Services, database_url: str
) -> None:
    ada = await human(service, "ada")
    await caller(service, ada, "e", "lane")

    await asyncio.gather(
        *(service.policies.set(ada, "endpoint:e", "lane", {"max_in_flight": number}) for number in (1, 2, 3))
    )

    connection = await asyncpg.connect(database_url)
    actions = [
        row["action"] for row in await connection.fetch("select action from switchboard.policy_audit order by id")
    ]
    policies = await connection.fetchval("select count(*) from switchboard.policies")
    await connection.close()
    assert actions == ["create", "change", "change"]
    assert policies == 1
