"""Whether a database is in order after a run: nothing over a limit, nothing uncharged, lost, doubled or left behind.

`keep_ledger` before the run writes down every claim, end, charge and policy with its transaction. `check` then plays
them back in the order of their commits, which is the only order in which "never above the cap at any commit" can be
told: an attempt's own times are read a moment before what they stand for is visible. The ledger needs a server with
track_commit_timestamp. Without a ledger, `check` goes by the attempts' own times and the audit's, which is enough where
one claim follows the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby
from typing import Any

import asyncpg
import orjson

from switchboard.core.known_policy import KnownPolicy, PolicyColumns, evaluate
from switchboard.core.windows import definition, window_at
from switchboard_wire.policy import Window
from tests.support.waiting import no_statements

_LEDGER = """
create schema ledger;
create table ledger.events (
    n bigint generated always as identity,
    xid xid8 not null default pg_current_xact_id(),
    kind text not null,
    queue_id bigint not null,
    todo_id bigint,
    at timestamptz,
    definition text,
    window_started_at timestamptz,
    used_before integer,
    used_after integer,
    number integer,
    policy jsonb
);

create function ledger.note_todo() returns trigger language plpgsql set search_path = '' as $$
begin
    if tg_op = 'INSERT' then
        insert into ledger.events (kind, queue_id, todo_id) values ('made', new.queue_id, new.id);
        if new.state = 'claimed' then
            insert into ledger.events (kind, queue_id, todo_id, at)
            values ('claimed', new.queue_id, new.id, coalesce(new.claimed_at, new.updated_at));
        end if;
    elsif tg_op = 'DELETE' then
        insert into ledger.events (kind, queue_id, todo_id, number) values ('gone', old.queue_id, old.id, old.claims);
        if old.state = 'claimed' then
            insert into ledger.events (kind, queue_id, todo_id) values ('ended', old.queue_id, old.id);
        end if;
    elsif new.state = 'claimed' and (old.state <> 'claimed' or new.claims <> old.claims) then
        if old.state = 'claimed' then
            insert into ledger.events (kind, queue_id, todo_id) values ('ended', old.queue_id, old.id);
        end if;
        insert into ledger.events (kind, queue_id, todo_id, at)
        values ('claimed', new.queue_id, new.id, coalesce(new.claimed_at, new.updated_at));
    elsif old.state = 'claimed' and new.state <> 'claimed' then
        insert into ledger.events (kind, queue_id, todo_id) values ('ended', new.queue_id, new.id);
    end if;
    return null;
end
$$;
create trigger ledger after insert or update or delete on switchboard.todos
    for each row execute function ledger.note_todo();

create function ledger.note_policy() returns trigger language plpgsql set search_path = '' as $$
begin
    insert into ledger.events (kind, queue_id, policy)
    values ('policy', coalesce(new.queue_id, old.queue_id), case when tg_op <> 'DELETE' then to_jsonb(new) end);
    return null;
end
$$;
create trigger ledger after insert or update or delete on switchboard.policies
    for each row execute function ledger.note_policy();

create function ledger.note_charge() returns trigger language plpgsql set search_path = '' as $$
begin
    insert into ledger.events (kind, queue_id, definition, window_started_at, used_before, used_after)
    values ('charge', coalesce(new.queue_id, old.queue_id), coalesce(new.window_definition, old.window_definition),
        coalesce(new.window_started_at, old.window_started_at), coalesce(old.used, 0), coalesce(new.used, 0));
    return null;
end
$$;
create trigger ledger after insert or update or delete on switchboard.usage
    for each row execute function ledger.note_charge();

-- what stood before the ledger
insert into ledger.events (kind, queue_id, todo_id, number, at)
select 'found', queue_id, id, claims, case when state = 'claimed' then claimed_at end
from switchboard.todos order by id;
insert into ledger.events (kind, queue_id, policy)
select 'policy', p.queue_id, to_jsonb(p) from switchboard.policies p order by queue_id;
insert into ledger.events (kind, queue_id, definition, window_started_at, used_before, used_after)
select 'found used', queue_id, window_definition, window_started_at, used, used from switchboard.usage;
"""

# What each todo must be, by itself. The text says what is wrong with those that the condition finds.
_TORN = {
    "claimed without a claimant, a time or a lease": (
        "state = 'claimed' and num_nulls(claimant_id, claimed_at, lease_expires_at) > 0"
    ),
    "a lease or a fence without a claim": "state <> 'claimed' and (lease_expires_at is not null or fence is not null)",
    "parked without a time": "state = 'failed' and next_retry_at is null",
    "pending or claimed with a time to retry at": "state in ('pending', 'claimed') and next_retry_at is not null",
    "ended without a time, or with one and not ended": (
        "(finished_at is not null) <> (state in ('done', 'dead', 'canceled'))"
    ),
    "attempts counted wrongly": "attempt not between 0 and least(claims, max_attempts)",
}
_ATTEMPTS = """
select coalesce(t.id, a.todo_id) as id, t.state, t.claims, coalesce(a.number, 0) as number, a.lowest, a.highest,
    coalesce(a.open, 0) as open, a.open_seq
from switchboard.todos t
full join (
    select queue_id, todo_id, count(*) as number, min(seq) as lowest, max(seq) as highest,
        count(*) filter (where ended_at is null) as open, max(seq) filter (where ended_at is null) as open_seq
    from switchboard.attempts group by queue_id, todo_id
) a on a.todo_id = t.id and a.queue_id = t.queue_id
"""
_SESSIONS = """
select count(*) from pg_stat_activity
where datname = current_database() and application_name like 'switchboard%' and backend_type = 'client backend'
"""
_DEADLOCKS = "select deadlocks from pg_stat_database where datname = current_database()"

_Key = tuple[int, str, datetime]  # queue, window definition, window start


@dataclass(frozen=True, slots=True)
class Start:
    """What is compared with at the end of a run."""

    sessions: int
    deadlocks: int


@dataclass(frozen=True, slots=True)
class Full:
    """A window that had more work and more claimers than budget from its beginning to its end."""

    queue_id: int
    definition: str
    window_started_at: datetime
    limit: int


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of one run. Everything from `over` on must be 0; `violations` says of each what it is."""

    todos: int
    claims: int
    charges: int
    windows: int
    most_in_flight: int
    over: int
    under: int
    over_cap: int
    uncharged: int
    overcharged: int
    lost: int
    doubled: int
    torn: int
    deadlocks: int
    leaked: int
    violations: tuple[str, ...]

    def table(self) -> str:
        """A line each, aligned."""
        shown = [(field.name.replace("_", " "), getattr(self, field.name)) for field in fields(self)][:-1]
        lines = [f"{name:<16}{value:>12,}" for name, value in shown]
        return "\n".join([*lines, *(f"! {violation}" for violation in self.violations)])


async def keep_ledger(connection: Any) -> None:
    """Starts the ledger in this database. Raises AssertionError on a server that keeps no commit times."""
    assert await connection.fetchval("show track_commit_timestamp") == "on", "the ledger needs track_commit_timestamp"
    async with connection.transaction():
        # Nothing may happen between the look at what stands and the first event.
        await connection.execute(
            "lock table switchboard.todos, switchboard.usage, switchboard.policies in access exclusive mode"
        )
        await connection.execute(_LEDGER)


async def start_of_run(connection: Any) -> Start:
    return Start(await connection.fetchval(_SESSIONS), await connection.fetchval(_DEADLOCKS))


async def todo_rows(connection: Any) -> list[tuple[Any, ...]]:
    """Where every todo lies and who wrote it: equal exactly when no todo was written in between."""
    rows = await connection.fetch("select id, ctid::text, xmin::text from switchboard.todos order by id, queue_id")
    return [tuple(row) for row in rows]


async def check(
    url: str,
    start: Start | None = None,
    *,
    expected: Collection[int] = (),
    full: Iterable[Full] = (),
    others: int = 0,
) -> Report:
    """Looks at everything. `expected`: ids that were told to somebody, so that they must exist. `start`: compare the
    sessions and deadlocks too, `others` being the sessions that came or went by intention."""
    connection = await asyncpg.connect(url, server_settings={"application_name": "checker"})
    try:
        if start is not None:
            await no_statements(connection)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            return await look(connection, start, expected=expected, full=full, others=others)
    finally:
        await connection.close()


async def look(
    connection: Any,
    start: Start | None = None,
    *,
    expected: Collection[int] = (),
    full: Iterable[Full] = (),
    others: int = 0,
) -> Report:
    """`check` as this connection sees the data now; sessions are counted and not waited for."""
    found = _Findings()
    await _look_at_todos(connection, found, expected)
    if await connection.fetchval("select to_regclass('ledger.events') is not null"):
        async with connection.transaction():  # a cursor needs one
            await _play_back(connection, found)
    else:
        await _go_by_times(connection, found)
    await _look_at_full_windows(connection, found, full)
    if start is not None:
        found.leaked = await connection.fetchval(_SESSIONS) - start.sessions - others
        found.wrong(found.leaked, f"{found.leaked:+} sessions compared with the start")
        found.deadlocks = await connection.fetchval(_DEADLOCKS) - start.deadlocks
        found.wrong(found.deadlocks, f"{found.deadlocks} deadlocks")
    return found.report()


class _Findings:
    def __init__(self) -> None:
        self.todos = self.claims = self.charges = self.windows = self.most_in_flight = 0
        self.over = self.under = self.over_cap = self.uncharged = self.overcharged = 0
        self.lost = self.doubled = self.torn = self.deadlocks = self.leaked = 0
        self.violations: list[str] = []

    def wrong(self, count: int, text: str) -> None:
        if count:
            self.violations.append(text)

    def report(self) -> Report:
        counts = {field.name: getattr(self, field.name) for field in fields(Report) if field.name != "violations"}
        return Report(**counts, violations=tuple(self.violations))


async def _look_at_todos(connection: Any, found: _Findings, expected: Collection[int]) -> None:
    ids = Counter(row["id"] for row in await connection.fetch("select id from switchboard.todos"))
    found.todos = len(ids)
    twice = sorted(one for one, number in ids.items() if number > 1)
    found.doubled += len(twice)
    found.wrong(len(twice), f"todos that exist twice: {twice[:5]}")
    missing = sorted(set(expected) - set(ids))
    found.lost += len(missing)
    found.wrong(len(missing), f"todos that were enqueued and are gone: {missing[:5]}")

    for text, condition in _TORN.items():
        rows = await connection.fetch(f"select id from switchboard.todos where {condition} order by id")
        found.torn += len(rows)
        found.wrong(len(rows), f"todos {text}: {[row['id'] for row in rows[:5]]}")
    for row in await connection.fetch(_ATTEMPTS):
        found.claims += row["number"]
        todo = f"todo {row['id']} ({row['state']})"
        if row["state"] is None:
            found.lost += 1
            found.wrong(1, f"{todo} has attempts and does not exist")
            continue
        if row["number"] != row["claims"] or (row["number"] and (row["lowest"], row["highest"]) != (1, row["number"])):
            found.torn += 1
            found.wrong(
                1,
                f"{todo} was claimed {row['claims']} times; attempts {row['lowest']} to {row['highest']} exist, "
                f"{row['number']} of them",
            )
        if row["open"] > 1:
            found.doubled += 1
            found.wrong(1, f"{todo} has {row['open']} open attempts")
        elif row["open"] != (row["state"] == "claimed") or (row["open"] and row["open_seq"] != row["claims"]):
            found.torn += 1
            found.wrong(1, f"{todo} has {row['open']} open attempts, the last at {row['open_seq']}")


async def _usage(connection: Any) -> dict[_Key, int]:
    rows = await connection.fetch("select * from switchboard.usage")
    return {(row["queue_id"], row["window_definition"], row["window_started_at"]): row["used"] for row in rows}


async def _look_at_full_windows(connection: Any, found: _Findings, full: Iterable[Full]) -> None:
    usage = await _usage(connection)
    for one in full:
        used = usage.get((one.queue_id, one.definition, one.window_started_at), 0)
        found.under += max(one.limit - used, 0)
        found.wrong(
            used < one.limit,
            f"queue {one.queue_id}, {one.definition} from {one.window_started_at}: {used} of {one.limit} used",
        )


# By commits ---------------------------------------------------------------------------------------------------------


class _Policies:
    """The policy of each queue as its edits committed, evaluated once a window."""

    def __init__(self) -> None:
        self._stored: dict[int, str | None] = {}
        self._known: dict[int, KnownPolicy] = {}

    def set(self, queue_id: int, policy: str | None) -> None:
        self._stored[queue_id] = policy
        self._known.pop(queue_id, None)

    def at(self, queue_id: int, at: datetime) -> KnownPolicy | None:
        stored = self._stored.get(queue_id)
        if stored is None:
            return None
        known = self._known.get(queue_id)
        if known is None or (known.interval is not None and not known.interval.start <= at < known.interval.end):
            row = orjson.loads(stored)
            columns = PolicyColumns(**{one.name: row[one.name] for one in fields(PolicyColumns)})
            known = self._known[queue_id] = evaluate(queue_id, columns, at)
        return known


class _PlayBack:
    """The ledger, one transaction after the other in the order of their commits."""

    def __init__(self, found: _Findings) -> None:
        self._found = found
        self.policies = _Policies()
        self.in_flight: Counter[int] = Counter()
        self.used: dict[_Key, int] = {}
        self.made: set[int] = set()
        self.claims: Counter[int] = Counter()

    def transaction(self, events: list[Any]) -> None:
        found, where = self._found, f"transaction {events[0]['xid']} of {events[0]['committed_at']}"
        claimed: dict[int, list[datetime]] = defaultdict(list)
        charged: Counter[_Key] = Counter()
        for event in events:
            queue_id = event["queue_id"]
            match event["kind"]:
                case "made":
                    self.made.add(event["todo_id"])
                case "gone":
                    self.made.discard(event["todo_id"])
                    self.claims[queue_id] -= event["number"]
                case "policy":
                    self.policies.set(queue_id, event["policy"])
                case "found":
                    self.made.add(event["todo_id"])
                    self.claims[queue_id] += event["number"]
                    self.in_flight[queue_id] += event["at"] is not None
                case "claimed":
                    claimed[queue_id].append(event["at"])
                    self.in_flight[queue_id] += 1
                case "ended":
                    self.in_flight[queue_id] -= 1
                case "found used" | "charge":
                    key = (queue_id, event["definition"], event["window_started_at"])
                    known = event["used_before"] if event["kind"] == "found used" else self.used.get(key, 0)
                    found.overcharged += known != event["used_before"]
                    found.wrong(
                        known != event["used_before"],
                        f"{where}: {key} went from {event['used_before']}, and {known} were used",
                    )
                    self.used[key] = event["used_after"]
                    charged[key] += event["used_after"] - event["used_before"]
        for queue_id, times in claimed.items():
            self.claims[queue_id] += len(times)
            expected = _judge(found, where, queue_id, times, self.policies, self.in_flight[queue_id], self.used)
            _compare(found, where, queue_id, expected, charged)
            found.most_in_flight = max(found.most_in_flight, self.in_flight[queue_id])
        for key, units in charged.items():
            if key[0] not in claimed and units:
                found.overcharged += max(units, 0)
                found.uncharged += max(-units, 0)
                found.wrong(1, f"{where}: {units:+} units on {key} without a claim")


async def _play_back(connection: Any, found: _Findings) -> None:
    played = _PlayBack(found)
    together: list[Any] = []
    async for event in connection.cursor(
        "select e.*, pg_xact_commit_timestamp(e.xid::xid) as committed_at from ledger.events e"
        # Of commits in one microsecond, the end of a claim comes first: a claim that saw it committed after it.
        " order by committed_at, bool_and(kind = 'ended') over (partition by xid) desc, xid, n",
        prefetch=5000,
    ):
        if together and together[0]["xid"] != event["xid"]:
            played.transaction(together)
            together = []
        together.append(event)
    if together:
        played.transaction(together)
    used, in_flight, made = played.used, played.in_flight, played.made

    attempts = Counter(
        dict(await connection.fetch("select queue_id, count(*) from switchboard.attempts group by queue_id"))
    )
    for queue_id in attempts.keys() | played.claims.keys():
        difference = attempts[queue_id] - played.claims[queue_id]
        found.torn += difference != 0
        found.wrong(
            difference, f"queue {queue_id}: {attempts[queue_id]} attempts, {played.claims[queue_id]} committed claims"
        )
    usage = await _usage(connection)
    found.windows, found.charges = len(usage), sum(usage.values())
    for key in usage.keys() | used.keys():
        difference = usage.get(key, 0) - used.get(key, 0)
        found.overcharged += max(difference, 0)
        found.uncharged += max(-difference, 0)
        found.wrong(difference, f"{key}: {usage.get(key, 0)} used, and {used.get(key, 0)} were charged")
    standing = {row["id"] for row in await connection.fetch("select id from switchboard.todos")}
    lost = made - standing
    found.lost += len(lost)
    found.wrong(len(lost), f"todos that are gone and were not deleted: {sorted(lost)[:5]}")
    counted = await connection.fetch(
        "select queue_id, count(*) as number from switchboard.todos where state = 'claimed' group by queue_id"
    )
    now = Counter({row["queue_id"]: row["number"] for row in counted})
    for queue_id in now.keys() | in_flight.keys():
        found.torn += now[queue_id] != in_flight[queue_id]
        found.wrong(
            now[queue_id] != in_flight[queue_id],
            f"queue {queue_id}: {now[queue_id]} in flight, and by the claims and their ends {in_flight[queue_id]}",
        )


def _judge(
    found: _Findings,
    where: str,
    queue_id: int,
    times: list[datetime],
    policies: _Policies,
    in_flight: int,
    used: dict[_Key, int],
) -> Counter[_Key]:
    """What these claims must have charged. Notes what they were admitted over."""
    expected: Counter[_Key] = Counter()
    for at in times:
        known = policies.at(queue_id, at)
        if known is not None and known.definition is not None and known.interval is not None:
            expected[queue_id, known.definition, known.interval.start] += 1
    if known is None:
        return expected
    if known.policy is None:
        found.over += len(times)
        found.wrong(1, f"{where}: a claim in queue {queue_id}, whose policy has a fault: {known.fault}")
        return expected
    cap, limit = known.policy.max_in_flight, known.policy.max_claims_per_window
    if cap is not None and in_flight > cap:
        found.over_cap += min(in_flight - cap, len(times))
        found.wrong(1, f"{where}: {in_flight} in flight in queue {queue_id}, where {cap} may be")
    for key, number in expected.items():
        if limit is not None and used.get(key, 0) > limit:
            found.over += min(used[key] - limit, number)
            found.wrong(1, f"{where}: {used[key]} used of {limit} in {key}")
    return expected


def _compare(found: _Findings, where: str, queue_id: int, expected: Counter[_Key], charged: Counter[_Key]) -> None:
    for key in expected.keys() | {key for key in charged if key[0] == queue_id}:
        missing = expected[key] - charged[key]
        found.uncharged += max(missing, 0)
        found.overcharged += max(-missing, 0)
        found.wrong(missing, f"{where}: {expected[key]} claims and {charged[key]} charges in {key}")


# By the attempts' and the audit's times -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stretch:
    """One policy from `begin` up to, not including, `end` (None: it stands)."""

    begin: datetime
    end: datetime | None
    policy: dict[str, Any]

    def holds(self, at: datetime) -> bool:
        return self.begin < at and (self.end is None or at < self.end)

    def touches(self, at: datetime) -> bool:
        """Whether `at` is inside or at an edge, where the times cannot tell what came first."""
        return self.begin <= at and (self.end is None or at <= self.end)


async def _stretches(connection: Any) -> dict[int, list[_Stretch]]:
    rows = await connection.fetch("select queue_id, at, after from switchboard.policy_audit order by queue_id, id")
    stretches: dict[int, list[_Stretch]] = {}
    for queue_id, group in groupby(rows, key=lambda row: row["queue_id"]):
        records = list(group)
        ends = [row["at"] for row in records[1:]] + [None]
        stretches[queue_id] = [
            _Stretch(row["at"], end, orjson.loads(row["after"]))
            for row, end in zip(records, ends, strict=True)
            if row["after"] is not None
        ]
    return stretches


async def _go_by_times(connection: Any, found: _Findings) -> None:
    usage = await _usage(connection)
    found.windows, found.charges = len(usage), sum(usage.values())
    stretches = await _stretches(connection)
    attempts: dict[int, list[tuple[datetime, datetime | None]]] = defaultdict(list)
    for row in await connection.fetch("select queue_id, claimed_at, ended_at from switchboard.attempts"):
        attempts[row["queue_id"]].append((row["claimed_at"], row["ended_at"]))

    least: Counter[_Key] = Counter()
    most: Counter[_Key] = Counter()
    limits: dict[tuple[int, str], int] = {}
    for queue_id, stood in stretches.items():
        for stretch in stood:
            if stretch.policy["window"] is None:
                continue
            window = Window(**stretch.policy["window"])
            name = definition(window)
            limits[queue_id, name] = max(limits.get((queue_id, name), 0), stretch.policy["max_claims_per_window"])
            for at, _ in attempts[queue_id]:
                if stretch.touches(at):
                    key = (queue_id, name, window_at(window, at).start)
                    most[key] += 1
                    least[key] += stretch.holds(at)
    for key in usage.keys() | most.keys():
        units = usage.get(key, 0)
        found.overcharged += max(units - most[key], 0)
        found.uncharged += max(least[key] - units, 0)
        found.wrong(not least[key] <= units <= most[key], f"{key}: {most[key]} claims and {units} charges")
        limit = limits.get(key[:2], 0)
        found.over += max(units - limit, 0)
        found.wrong(units > limit, f"{units} used of {limit} in {key}")
    for queue_id, stood in stretches.items():
        _overlaps(found, queue_id, attempts[queue_id], stood)


def _overlaps(
    found: _Findings, queue_id: int, attempts: list[tuple[datetime, datetime | None]], stood: list[_Stretch]
) -> None:
    """Each claim must have found room under the cap that stood; ends before beginnings of the same instant."""
    marks = [(begin, 1) for begin, end in attempts if end is None or begin < end]
    marks += [(end, 0) for begin, end in attempts if end is not None and begin < end]
    in_flight = 0
    for at, begins in sorted(marks):
        in_flight += 1 if begins else -1
        found.most_in_flight = max(found.most_in_flight, in_flight)
        caps = [one.policy["max_in_flight"] for one in stood if begins and one.holds(at)]
        for cap in caps:
            if cap is not None and in_flight > cap:
                found.over_cap += 1
                found.wrong(1, f"{in_flight} in flight in queue {queue_id} at {at}, where {cap} may be")
