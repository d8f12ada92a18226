"""REQ-1: what admission costs a queue without a policy is one indexed lookup that finds none, counted by PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import asyncpg
import pytest

from tests.support.scenario import DAY_UTC, Endpoint, World

# No policy is known of the queue: version 0, no fault, no window.
ARGUMENTS = "'{0}'::bigint[], '{f}'::boolean[], '{null}'::text[], '{null}'::timestamptz[], '{null}'::timestamptz[]"
VERBS = {
    "claim": f"select * from switchboard.claim_todo($1, $2, $3, {ARGUMENTS}, $4, null, false)",
    "claim_next": f"select * from switchboard.claim_next($2, $3, {ARGUMENTS}, $4, null, false, least($1::integer, 1))",
}
ADMISSION = ("policies", "usage", "policy_audit")


async def costs(sql: asyncpg.Connection) -> dict[str, tuple[int, int, int]]:
    """Of each table of admission, since this transaction began: whole scans, look-ups by index, rows written."""
    rows = await sql.fetch(
        "select relname, coalesce(seq_scan, 0) as whole, coalesce(idx_scan, 0) as looked_up,"
        " n_tup_ins + n_tup_upd + n_tup_del as written from pg_stat_xact_user_tables where schemaname = 'switchboard'"
    )
    return {row["relname"]: (row["whole"], row["looked_up"], row["written"]) for row in rows}


@pytest.fixture
async def endpoint(world: World) -> Endpoint:
    """`free` has no policy, and beside it stand fifty that have one."""
    names = [f"bound{number}" for number in range(50)]
    made = await world.endpoint("e", "free", *names)
    for name in names:
        await world.set_policy(made, name, max_claims_per_window=5, window=DAY_UTC)
    return made


@pytest.mark.parametrize("verb", VERBS)
async def test_a_claim_without_a_policy_looks_one_up_by_index_and_touches_nothing_else_of_admission(
    world: World, endpoint: Endpoint, verb: str
) -> None:
    todo_id = await world.enqueue(endpoint, "free")
    queue_id = endpoint.queue_id("free")
    async with world.sql.transaction(isolation="read_committed"):
        before = await costs(world.sql)
        (row,) = await world.sql.fetch(
            VERBS[verb], todo_id, endpoint.caller.endpoint_id, [queue_id], timedelta(seconds=300)
        )
        after = await costs(world.sql)
        locks = await world.sql.fetch(
            "select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation"
            " where l.pid = pg_backend_pid() and c.relname = any ($1)",
            list(ADMISSION),
        )
    assert (row["outcome"], row["id"]) == ("claimed", todo_id)
    spent = {name: tuple(b - a for a, b in zip(before[name], after[name], strict=True)) for name in ADMISSION}
    assert spent == {"policies": (0, 1, 0), "usage": (0, 0, 0), "policy_audit": (0, 0, 0)}
    # The weakest lock that reading takes, and on nothing but the table that was looked into.
    assert [(one["relname"], one["mode"]) for one in locks] == [("policies", "AccessShareLock")]
    assert (await world.todo(todo_id))["state"] == "claimed"
