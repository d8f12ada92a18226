"""Stopping a claim at a named point of its transaction, in any process, without a change to the product.

Triggers and a replaced clock of the test's own database wait for an advisory lock at each point; whoever holds it
through `closed` stops every claim that comes there, and is told when one has. `holding_todo` and `holding_policy` stop
a claim at the very locks it takes. Nothing here sleeps: arrivals are asked for, within a bound.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import IntEnum
from typing import Any

import asyncpg

from tests.support.waiting import holding, until

_SPACE = 7301  # the advisory locks of barriers: (this, point)


class Point(IntEnum):
    """Where a claim can be stopped, in the order in which it comes by.

    Two more points need no barrier: a claim waits for the todo's lock under `holding_todo`, and holds the todo's lock
    while it waits for the policy's under `holding_policy`.
    """

    BEGUN = 1
    """claim_next: before it has locked anything. claim: the todo is locked."""
    POLICY_LOCKED = 2
    """The policy is locked, nothing is counted yet."""
    CHARGING = 3
    """Counted and decided; the charge is about to be written."""
    CHARGED = 4
    CLAIMING = 5
    """The charge is written, the todo about to be."""
    OPENING = 6
    """The todo is written, its attempt about to be."""
    COMMITTING = 7
    """Everything is written; the commit has begun."""


EVERY_POINT = tuple(Point)
# Before this point, a claim in a queue without a policy passes none of the barriers in between.
UNDER_POLICY = (Point.POLICY_LOCKED, Point.CHARGING, Point.CHARGED)

_INSTALL = f"""
create schema barrier;

create function barrier.pass(p_point integer) returns void
language plpgsql set search_path = '' set lock_timeout = '0'
as $$
begin
    perform pg_advisory_lock_shared({_SPACE}, p_point);
    perform pg_advisory_unlock_shared({_SPACE}, p_point);
end
$$;

-- The calls of the clock within one claim: at its beginning, and when the policy is locked.
create function barrier.clock_called() returns void
language plpgsql set search_path = ''
as $$
declare
    v_calls integer;
begin
    if current_query() ~ 'switchboard\\.claim_(next|todo)\\(' then
        v_calls := coalesce(nullif(current_setting('barrier.calls', true), ''), '0')::integer + 1;
        perform set_config('barrier.calls', v_calls::text, true);
        if v_calls <= {Point.POLICY_LOCKED} then
            perform barrier.pass(v_calls);
        end if;
    end if;
end
$$;
create table barrier.clock (at timestamptz);  -- empty: the wall clock
create or replace function switchboard.clock() returns timestamptz
language plpgsql volatile
as $$
begin
    perform barrier.clock_called();
    return coalesce((select at from barrier.clock), clock_timestamp());
end
$$;

create function barrier.at_row() returns trigger
language plpgsql set search_path = ''
as $$
begin
    perform barrier.pass(tg_argv[0]::integer);
    return new;
end
$$;
create trigger barrier_charging before insert on switchboard.usage
    for each row execute function barrier.at_row('{Point.CHARGING}');
create trigger barrier_charged after insert or update on switchboard.usage
    for each row execute function barrier.at_row('{Point.CHARGED}');
create trigger barrier_claiming before update on switchboard.todos
    for each row when (new.state = 'claimed' and new.claims <> old.claims)
    execute function barrier.at_row('{Point.CLAIMING}');
create trigger barrier_opening before insert on switchboard.attempts
    for each row execute function barrier.at_row('{Point.OPENING}');
create constraint trigger barrier_committing after insert on switchboard.attempts
    deferrable initially deferred
    for each row execute function barrier.at_row('{Point.COMMITTING}');
"""

_AT_POINT = f"""
select coalesce(array_agg(pid order by pid), '{{}}') from pg_locks
where locktype = 'advisory' and classid = {_SPACE} and objid = $1 and objsubid = 2 and not granted
    and database = (select oid from pg_database where datname = current_database())
"""
# A second waiter for one row waits for the first, and not for the row's holder.
_BLOCKED_BY = """
with recursive waits as materialized (
    select pid, pg_blocking_pids(pid) as blockers from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
),
behind as (
    select pid from waits where $1 = any (blockers)
    union
    select w.pid from waits w join behind b on b.pid = any (w.blockers)
)
select coalesce(array_agg(pid order by pid), '{}') from behind
"""


async def install(connection: Any) -> None:
    """Puts the barriers up, all open. The clock stays the wall clock until `set_clock`."""
    await connection.execute(_INSTALL)


async def set_clock(connection: Any, at: Any) -> None:
    """The database's clock stands at `at`; None lets it run again."""
    await connection.execute("delete from barrier.clock")
    if at is not None:
        await connection.execute("insert into barrier.clock values ($1)", at)


class Stopped:
    """One place where claims are stopped."""

    def __init__(self, connection: asyncpg.Connection, arrived: str, argument: int, release: str) -> None:
        self._connection = connection
        self._arrived = arrived
        self._argument = argument
        self._release = release
        self._closed = True

    async def pids(self) -> list[int]:
        """The database sessions that stand here now."""
        return list(await self._connection.fetchval(self._arrived, self._argument))

    async def arrived(self, number: int = 1) -> list[int]:
        """Returns when at least so many stand here."""
        await until(self._connection, f"select cardinality(({self._arrived})) >= $2", self._argument, number)
        return await self.pids()

    async def left(self) -> None:
        """Returns when none stands here any more."""
        await until(self._connection, f"select cardinality(({self._arrived})) = 0", self._argument)

    async def let_go(self) -> None:
        """Everyone goes on. Idempotent."""
        if self._closed:
            self._closed = False
            await self._connection.execute(self._release)


@asynccontextmanager
async def closed(url: str, point: Point) -> AsyncIterator[Stopped]:
    """Every claim stops at `point` until the block ends, or is let go."""
    connection = await asyncpg.connect(url, server_settings={"application_name": "barrier"})
    try:
        await connection.execute(f"select pg_advisory_lock({_SPACE}, {int(point)})")
        yield Stopped(connection, _AT_POINT.strip(), int(point), f"select pg_advisory_unlock({_SPACE}, {int(point)})")
    finally:
        await connection.close()


@asynccontextmanager
async def holding_todo(url: str, todo_id: int) -> AsyncIterator[Stopped]:
    """The todo's row is locked: claim_next passes it over, claim waits for it."""
    async with _holding_row(url, f"select 1 from switchboard.todos where id = {int(todo_id)} for update") as stopped:
        yield stopped


@asynccontextmanager
async def holding_policy(url: str, queue_id: int) -> AsyncIterator[Stopped]:
    """The policy's row is locked: a claim that has locked its todo waits for it, at most for its own bound."""
    async with _holding_row(
        url, f"select 1 from switchboard.policies where queue_id = {int(queue_id)} for update"
    ) as stopped:
        yield stopped


@asynccontextmanager
async def _holding_row(url: str, lock: str) -> AsyncIterator[Stopped]:
    async with holding(url, lock) as connection:
        yield Stopped(connection, _BLOCKED_BY, connection.get_server_pid(), "rollback")
