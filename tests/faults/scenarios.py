"""Scenarios that have a size: the tests run them small, the soak large. Each asserts what must hold."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from switchboard.service.sweeps import sweeps
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import AskAdmissionStatus, Claim, Complete
from tests.faults.ground import Ground
from tests.support.checker import Full, todo_rows
from tests.support.claimers import race
from tests.support.scenario import Endpoint, World

HOUR_UTC = {"period": "hour", "tz": "UTC", "start": "00:00"}
# For tests on the wall clock: weeks whose boundaries are three days away from today.
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FAR = {"period": "week", "tz": "UTC", "start": "00:00", "weekday": _DAYS[(datetime.now(UTC).weekday() + 3) % 7]}
FAR_DEFINITION = f"week UTC {FAR['weekday']} 00:00"
HOUR = timedelta(hours=1)
MICROSECOND = timedelta(microseconds=1)
FIRST_HOUR = datetime(2026, 9, 22, 17, tzinfo=UTC)


class CrossingClock:
    """A clock that reads `before` for so many looks of a claim, and `after` from then on, whatever is rolled back.

    To transactions that only read it reads `before`.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def install(self) -> None:
        await self._connection.execute(
            "create schema crossing; create sequence crossing.looks;"
            "create table crossing.clock (before timestamptz, after timestamptz, looks bigint);"
            "insert into crossing.clock values ('2026-01-01Z', '2026-01-01Z', 0);"
            "create or replace function switchboard.clock() returns timestamptz language sql volatile as"
            " 'select case when current_setting(''transaction_read_only'') = ''on'' then before"
            " when nextval(''crossing.looks'') > looks then after else before end from crossing.clock'"
        )

    async def set(self, before: datetime, after: datetime, looks: int) -> None:
        await self._connection.execute(
            "update crossing.clock set before = $1, after = $2, looks = $3", before, after, looks
        )
        await self._connection.execute("select setval('crossing.looks', 1, false)")

    async def looks(self) -> int:
        """How often the clock was read since `set`."""
        return int(
            await self._connection.fetchval("select case when is_called then last_value else 0 end from crossing.looks")
        )


# A claim looks at the clock as it begins, under the policy's lock, and last in the statement that charges (D12).
LOOKS = 3


async def straddle(ground: Ground, rounds: int) -> None:
    """Claims during which the window ends, between any two looks at the clock: each is charged where it commits."""
    world, random = ground.world, Random(rounds)
    endpoint = await world.endpoint("straddle", "q")
    await world.set_policy(endpoint, "q", max_claims_per_window=1000, window=HOUR_UTC)
    todos = await world.enqueue_many(endpoint, "q", rounds + 1)
    clock = CrossingClock(ground.sql)
    await clock.install()
    await clock.set(FIRST_HOUR, FIRST_HOUR, 0)
    await world.claim(endpoint, todos[0])
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=todos[0]))
    expected = Counter({FIRST_HOUR: 1})
    for number, todo_id in enumerate(todos[1:], 1):
        boundary = FIRST_HOUR + number * HOUR
        looks = number % (LOOKS + 3)
        before, after = boundary - random.choice([1, 10**6, 59 * 10**6]) * MICROSECOND, boundary
        await clock.set(before, after, looks)
        await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())  # the window is known
        if random.random() < 0.5:
            claimed = (await world.claim(endpoint, todo_id)).todo
        else:
            (claimed,) = (await world.claim_next(endpoint)).todos
        looked = await clock.looks()
        assert looked >= LOOKS
        in_old_window = looked <= looks  # every look, the one at the charge included, saw the old window
        expected[boundary - HOUR if in_old_window else boundary] += 1
        assert claimed.id == todo_id
        assert claimed.claimed_at == (before if in_old_window else after), (number, looks)
        assert await world.charges(endpoint, "q") == dict(+expected), (number, looks)
        await world.service.complete.complete(endpoint.caller, Complete(todo_id=todo_id))
    await ground.check(expected=todos)


async def racers(ground: Ground, number: int, limit: int, slug: str) -> None:
    """So many callers at once over the servers: exactly `limit` of them claim, the rest are told why not."""
    world = ground.world
    endpoint = await world.endpoint(slug, "q")
    view = await world.set_policy(endpoint, "q", max_claims_per_window=limit, window=FAR)
    todos = await world.enqueue_many(endpoint, "q", number)
    answers = await race(number, ground.urls, [endpoint.credential])
    claimed = [todo_id for answer in answers if answer.status == 200 for todo_id in answer.ids]
    busy = sum(answer.code == "rate_limited" for answer in answers)  # bounded waiting, in so many words
    assert len(claimed) == len(set(claimed)) == limit
    assert len(answers) - busy - limit == sum(
        answer.status == 200 and [one["reason"] for one in answer.body["deferred"]] == ["window_exhausted"]
        for answer in answers
    )
    assert await world.used(endpoint, "q") == await world.committed_claims(endpoint, "q") == limit
    start = view.admission.window_started_at
    assert start is not None
    await ground.check(expected=todos, full=[Full(endpoint.queue_id("q"), FAR_DEFINITION, start, limit)])


async def roll(ground: Ground, windows: int) -> None:
    """So many windows, one after the other: each begins at zero, and neither an earlier one nor a todo is written."""
    world = ground.world
    endpoint = await world.endpoint("roll", "q")
    await ground.sql.execute("create table public.test_clock (at timestamptz not null)")
    await ground.sql.execute("insert into public.test_clock values ($1)", FIRST_HOUR)
    await ground.sql.execute(
        "create or replace function switchboard.clock() returns timestamptz language sql volatile"
        " as 'select at from public.test_clock'"
    )
    await world.set_policy(endpoint, "q", max_claims_per_window=1, window=HOUR_UTC)
    first, *_ = await world.enqueue_many(endpoint, "q", windows + 2)
    reads = world.another_process()  # what only looks, and learns nothing from the claims
    for number in range(windows):
        if number % 100 == 0:
            await _boundary_without_a_write(ground, reads, endpoint, FIRST_HOUR + number * HOUR)
        await ground.sql.execute("update public.test_clock set at = $1", FIRST_HOUR + number * HOUR)
        answer = await world.claim_next(endpoint)
        assert answer.admission is not None
        assert (answer.todos[0].id, answer.admission.used) == (first + number, 1)
        await world.service.complete.complete(endpoint.caller, Complete(todo_id=first + number))
        assert (await world.claim_next(endpoint)).deferred[0].reason == "window_exhausted"
    rows = await ground.sql.fetch(
        "select window_started_at, used, count(*) over (partition by xmin::text) as of_one_transaction"
        " from switchboard.usage order by window_started_at"
    )
    assert [tuple(row) for row in rows] == [(FIRST_HOUR + number * HOUR, 1, 1) for number in range(windows)]
    charges = await ground.sql.fetch("select distinct used_before, used_after from ledger.events where kind = 'charge'")
    assert [tuple(row) for row in charges] == [(0, 1)]  # never an update, never a delete
    await ground.check()


async def _boundary_without_a_write(ground: Ground, reads: World, endpoint: Endpoint, boundary: datetime) -> None:
    before = await todo_rows(ground.sql)
    for at in (boundary - MICROSECOND, boundary):
        await ground.sql.execute("update public.test_clock set at = $1", at)
        for sweep in sweeps(ground.database):
            if sweep.name in ("reaper", "due"):  # retention may forget what is old enough
                await sweep.run_once()
        await reads.service.policies.list(endpoint.owner)
    assert await todo_rows(ground.sql) == before


async def lost_and_refused(ground: Ground, number: int) -> None:
    """Claims that are refused and claims that lose a race for one todo write nothing at all."""
    world = ground.world
    endpoint = await world.endpoint("losers", "spent", "one")
    await world.set_policy(endpoint, "spent", max_claims_per_window=1, window=FAR)
    await world.set_policy(endpoint, "one", max_in_flight=5, max_claims_per_window=9, window=FAR)
    spent, waiting = await world.enqueue_many(endpoint, "spent", 2)
    await world.claim(endpoint, spent)
    (wanted,) = await world.enqueue_many(endpoint, "one", 1)

    outcomes: Counter[str] = Counter()

    async def claim(todo_id: int) -> None:
        try:
            await world.service.claim.claim(endpoint.caller, Claim(todo_id=todo_id))
            outcomes["claimed"] += 1
        except SwitchboardError as refusal:
            outcomes[refusal.code] += 1

    async def many(todo_id: int) -> None:
        for first in range(0, number, 100):
            await asyncio.gather(*(claim(todo_id) for _ in range(min(100, number - first))))

    before = await world.rows()
    await many(waiting)
    assert outcomes == {ErrorCode.DEFERRED: number}
    assert await world.rows() == before
    outcomes.clear()
    await many(wanted)
    assert outcomes == {"claimed": 1, ErrorCode.CONFLICT: number - 1}
    assert (await world.used(endpoint, "spent"), await world.used(endpoint, "one")) == (1, 1)
    await world.service.complete.complete(endpoint.caller, Complete(todo_id=wanted))
    await ground.check(expected=[spent, waiting, wanted])


async def nineteen_exhausted(ground: Ground, deferred: int) -> None:
    """claim_next over 20 queues of which 19 are spent and hold older work: one call claims from the twentieth, with a
    number of statements and of pages touched that does not depend on how much waits."""
    world = ground.world
    names = [f"q{number:02}" for number in range(20)]
    endpoint = await world.endpoint("twenty", *names)
    for name in names:
        await world.set_policy(endpoint, name, max_claims_per_window=1, window=FAR)
    for name in names[:19]:
        await world.enqueue_many(endpoint, name, 1)
        assert len((await world.claim_next(endpoint, queues=(name,))).todos) == 1
    few = await _costs(ground, world, endpoint, names[:19], 19, names[19])
    await world.set_policy(endpoint, names[19], max_claims_per_window=1000, window=FAR)
    many = await _costs(ground, world, endpoint, names[:19], deferred, names[19])
    await ground.sql.execute("analyze switchboard.todos, switchboard.usage, switchboard.policies")
    analysed = await _costs(ground, world.another_process(), endpoint, names[:19], 0, names[19])
    for statements, pages in (few, many, analysed):
        assert statements <= 150, (few, many, analysed)
        assert pages <= 3000, (few, many, analysed)
    assert abs(many[0] - few[0]) <= 10, (few, many)
    await ground.check()


async def _costs(
    ground: Ground, world: World, endpoint: Endpoint, deferred: list[str], number: int, free: str
) -> tuple[int, int]:
    """Statements and pages of one claim_next call, with so many more todos waiting that are older than the free one."""
    for name in deferred:
        await world.enqueue_many(endpoint, name, number // len(deferred))
    (free_id,) = await world.enqueue_many(endpoint, free, 1)
    await ground.sql.execute("create extension if not exists pg_stat_statements")
    await world.service.todos.admission_status(endpoint.caller, AskAdmissionStatus())  # the process knows the policies
    await ground.sql.execute(
        "select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()))"
    )
    answer = await world.claim_next(endpoint)
    assert [todo.id for todo in answer.todos] == [free_id]
    row = await ground.sql.fetchrow(
        "select sum(calls) as statements, sum(shared_blks_hit + shared_blks_read) filter (where toplevel) as pages"
        " from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())"
        " and query not like '%pg_stat_statements%'"
    )
    return int(row["statements"]), int(row["pages"])


async def cancelled_anywhere(ground: Ground, number: int) -> None:
    """Claims whose callers go at random moments: what was committed is charged, nothing else, and all of it is free."""
    world, random = ground.world, Random(number)
    endpoint = await world.endpoint("cancelled", "q")
    await world.set_policy(endpoint, "q", max_in_flight=10_000, max_claims_per_window=100_000, window=FAR)
    todos = await world.enqueue_many(endpoint, "q", number)
    answered = 0
    for first in range(0, number, 8):
        # More callers than connections, so that some go while they wait for one.
        callers = [asyncio.create_task(world.claim_next(endpoint)) for _ in range(min(8, number - first))]
        for caller in callers:
            if random.random() < 0.75:
                asyncio.get_running_loop().call_later(random.random() * 0.02, caller.cancel)
        outcomes = await asyncio.gather(*callers, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) or not one.empty for one in outcomes)
        answered += sum(not isinstance(one, asyncio.CancelledError) for one in outcomes)
    committed = await world.committed_claims(endpoint, "q")
    assert answered <= committed <= number
    assert await world.used(endpoint, "q") == committed
    rest = [todo.id for _ in range(number // 100 + 1) for todo in (await world.claim_next(endpoint, max=100)).todos]
    assert len(rest) == number - committed
    await ground.check(expected=todos)
