"""Retry and purge of every dead letter that matches: never a wider set than was said, and what really changed."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest

from switchboard.service.dead_letter_bulk import DeadLetterBulk
from switchboard.service.read_budget import ReadLimits
from switchboard.service.services import services
from switchboard_wire.dead_letters import MatchingBody, Purged, RetriedMatching
from switchboard_wire.errors import ErrorCode, SwitchboardError
from tests.support.dead import audit_rows, died, many_died
from tests.support.scenario import World
from tests.support.waiting import waits_for

ALL = MatchingBody({}, all=True)


async def test_retry_changes_what_matches_and_nothing_else(world: World) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    await many_died(world, endpoint, 4, "q", kind="mail")
    await many_died(world, endpoint, 2, "q", kind="build")
    await many_died(world, endpoint, 3, "r", kind="mail")

    done = await world.service.dead_letter_bulk.retry_matching(
        endpoint.owner, MatchingBody({"kind": "mail", "queue": "q"})
    )

    assert done == RetriedMatching(retried=4, conflicts=0)
    assert await world.states(endpoint, "q") == {"pending": 4, "dead": 2}
    assert await world.states(endpoint, "r") == {"dead": 3}
    rows = await world.sql.fetch("select distinct attempt, finished_at from switchboard.todos where state = 'pending'")
    assert [tuple(row) for row in rows] == [(0, None)]


async def test_purge_deletes_what_matches_with_its_attempts(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await died(world, endpoint, kind="mail")
    stays = await died(world, endpoint, kind="build")

    assert await world.service.dead_letter_bulk.purge_matching(
        endpoint.owner, MatchingBody({"kind": "mail"})
    ) == Purged(1)

    assert [row["id"] for row in await world.sql.fetch("select id from switchboard.todos")] == [stays]
    assert await world.sql.fetchval("select count(*) from switchboard.attempts") == 1


@pytest.mark.parametrize("verb", ["retry_matching", "purge_matching"])
@pytest.mark.parametrize(
    ("body", "field"),
    [
        (MatchingBody({}), "filter"),
        (MatchingBody({"kind": "mail"}, all=True), "all"),
        (MatchingBody({"states": ["dead"]}), "filter.states"),
        (MatchingBody({"states": ["dead"]}, all=True), "filter.states"),
        (MatchingBody({"knid": "mail"}), "filter.knid"),
        (MatchingBody({"knid": "mail"}, all=True), "filter.knid"),
        (MatchingBody({"kind": None}), "filter.kind"),
        (MatchingBody({"ids": []}, all=True), "filter.ids"),
    ],
)
async def test_a_set_that_is_not_said_clearly_is_refused_and_nothing_changes(
    world: World, verb: str, body: MatchingBody, field: str
) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 2, kind="mail")

    with pytest.raises(SwitchboardError) as refused:
        await getattr(world.service.dead_letter_bulk, verb)(endpoint.owner, body)

    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_ARGUMENT, field)
    assert await world.states(endpoint, "q") == {"dead": 2}
    assert await audit_rows(world) == []


@pytest.mark.parametrize(("verb", "done"), [("retry_matching", RetriedMatching(2, 0)), ("purge_matching", Purged(2))])
async def test_all_means_what_the_human_manages_although_it_may_read_more(world: World, verb: str, done: Any) -> None:
    operator = await world.human("olga", operator=True)
    own = await world.endpoint("own", "q", owner="olga")
    foreign = await world.endpoint("foreign", "q", owner="bob")
    await many_died(world, own, 2)
    await many_died(world, foreign, 3)

    assert await getattr(world.service.dead_letter_bulk, verb)(operator, ALL) == done

    assert await world.states(foreign, "q") == {"dead": 3}


async def test_it_goes_on_over_batches_and_each_is_audited_in_its_own_transaction(world: World) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    await many_died(world, endpoint, 25, "q", apart=0)
    await many_died(world, endpoint, 5, "r")
    bulk = DeadLetterBulk(world.database, batch=10)

    assert await bulk.retry_matching(endpoint.owner, MatchingBody({"kind": "test"})) == RetriedMatching(30, 0)

    q, r = endpoint.queue_id("q"), endpoint.queue_id("r")
    records = await audit_rows(world)
    assert [(record["queue_id"], record["counts"]) for record in records] == [
        (q, {"retried": 10, "conflicts": 0}),
        (q, {"retried": 10, "conflicts": 0}),
        (q, {"retried": 5, "conflicts": 0}),
        (r, {"retried": 5, "conflicts": 0}),
    ]
    assert {record["action"] for record in records} == {"dlq.retry_matching"}
    assert [record["target"] for record in records] == [{"filter": {"kind": "test"}}] * 4
    rows = await world.sql.fetch("select id, part_of from switchboard.operator_audit order by id")
    first = rows[0]["id"]
    assert [row["part_of"] for row in rows] == [None, first, first, first]
    written = "select count(distinct xmin::text) from switchboard.operator_audit"
    assert await world.sql.fetchval(written) == 4


async def test_where_nothing_matches_nothing_changes_and_the_record_says_so(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 2)

    assert await world.service.dead_letter_bulk.purge_matching(
        endpoint.owner, MatchingBody({"tags": ["absent"]})
    ) == Purged(0)

    assert await audit_rows(world) == [
        {
            "human": "ada",
            "action": "dlq.purge_matching",
            "target": {"filter": {"tags": ["absent"]}},
            "queue_id": None,
            "counts": {"purged": 0},
        }
    ]


async def test_held_keys_are_conflicts_that_stop_nothing_else(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 10, keys=True)
    await many_died(world, endpoint, 10, keys=True, apart=2)  # the same keys once more
    for key in ("k1", "k2", "k3"):
        await world.enqueue(endpoint, "q", idempotency_key=key)
    bulk = DeadLetterBulk(world.database, batch=4)

    # three keys are held by live todos, and of each of the other seven one todo can live
    assert await bulk.retry_matching(endpoint.owner, ALL) == RetriedMatching(retried=7, conflicts=13)

    assert await world.states(endpoint, "q") == {"pending": 10, "dead": 13}


async def test_a_key_that_is_taken_while_the_batch_runs_is_a_conflict_too(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 3, keys=True)
    taking = world.sql.transaction()
    await taking.start()
    await world.sql.execute(
        "insert into switchboard.todos (queue_id, endpoint_id, kind, source, title, state, idempotency_key, created_at,"
        " updated_at) values ($1, $2, 'test', '', '', 'pending', 'k2', clock_timestamp(), clock_timestamp())",
        endpoint.queue_id("q"),
        endpoint.caller.endpoint_id,
    )
    retrying = asyncio.create_task(world.service.dead_letter_bulk.retry_matching(endpoint.owner, ALL))
    async with world.database.session() as watching:
        await waits_for(watching, world.sql)
    await taking.commit()

    assert await retrying == RetriedMatching(retried=2, conflicts=1)
    assert [record["counts"] for record in await audit_rows(world)] == [{"retried": 2, "conflicts": 1}]


async def test_what_another_transaction_holds_is_left_to_it(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    held, *_ = await many_died(world, endpoint, 3)
    async with world.sql.transaction():
        await world.sql.execute("select from switchboard.todos where id = $1 for update", held)
        assert await world.service.dead_letter_bulk.purge_matching(endpoint.owner, ALL) == Purged(2)
    assert (await world.todo(held))["state"] == "dead"


async def test_two_at_once_change_each_dead_letter_once(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 200)
    bulk = DeadLetterBulk(world.database, batch=10)

    done = await asyncio.gather(*(bulk.retry_matching(endpoint.owner, ALL) for _ in range(3)))

    assert sum(one.retried for one in done) == 200
    assert await world.states(endpoint, "q") == {"pending": 200}


async def test_a_change_that_fails_takes_its_record_with_it(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 3)
    before = world.database.generation.current
    await world.sql.execute(
        "create function public.broken() returns trigger language plpgsql as"
        " $$ begin raise exception 'no record'; end $$;"
        " create trigger broken before insert on switchboard.operator_audit execute function public.broken()"
    )

    with pytest.raises(asyncpg.RaiseError, match="no record"):
        await world.service.dead_letter_bulk.purge_matching(endpoint.owner, ALL)

    assert await world.states(endpoint, "q") == {"dead": 3}
    assert world.database.generation.current == before


async def test_where_it_ends_early_the_batches_so_far_stand_and_are_on_record(world: World) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 25)
    await world.sql.execute(
        "create function public.broken() returns trigger language plpgsql as"
        " $$ begin if new.part_of is not null then raise exception 'the second'; end if; return new; end $$;"
        " create trigger broken before insert on switchboard.operator_audit"
        " for each row execute function public.broken()"
    )

    with pytest.raises(asyncpg.RaiseError, match="the second"):
        await DeadLetterBulk(world.database, batch=10).retry_matching(endpoint.owner, ALL)

    assert await world.states(endpoint, "q") == {"pending": 10, "dead": 15}
    assert [record["counts"] for record in await audit_rows(world)] == [{"retried": 10, "conflicts": 0}]


async def test_two_that_wait_for_each_others_keys_both_end(world: World) -> None:
    endpoint = await world.endpoint("e", "q", "r")
    for queue in ("q", "r"):
        await many_died(world, endpoint, 40, queue, keys=True)
    bulk = [DeadLetterBulk(world.database, batch=10) for _ in range(2)]

    done = await asyncio.gather(
        bulk[0].retry_matching(endpoint.owner, MatchingBody({"queue": "q"})),
        bulk[1].retry_matching(endpoint.owner, MatchingBody({"queue": "r"})),
    )

    assert (sum(one.retried for one in done), sum(one.conflicts for one in done)) == (40, 40)


@pytest.mark.parametrize("verb", ["retry_matching", "purge_matching"])
async def test_it_outlives_the_limits_of_interactive_reads(world: World, verb: str) -> None:
    endpoint = await world.endpoint("e", "q")
    await many_died(world, endpoint, 5000)
    # each batch alone takes longer than a read's statement, lock wait and whole read may
    await world.sql.execute(
        "create function public.slow() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(0.03); return null; end $$;"
        " create trigger slow after update or delete on switchboard.todos execute function public.slow()"
    )
    tight = services(world.database, ReadLimits(whole_read=0.01, statement=0.01, lock_wait=0.01))

    done = await getattr(tight.dead_letter_bulk, verb)(endpoint.owner, ALL)

    assert done == (RetriedMatching(5000, 0) if verb == "retry_matching" else Purged(5000))
