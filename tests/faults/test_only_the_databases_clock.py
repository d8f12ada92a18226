"""D12: no server's clock decides anything. Two servers days apart share a budget as two that agree."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import asyncpg
import pytest

from switchboard import sql as sql_package
from switchboard.store import statements
from tests.faults.conftest import DEBUGGING
from tests.faults.ground import Ground
from tests.faults.scenarios import FAR, FAR_DEFINITION
from tests.support.checker import Full
from tests.support.claimers import Claimer, race
from tests.support.servers import running_server

# Python reads this file at its start: every clock that tells the time of day is wrong by so many seconds.
_SITE = """
import datetime as _datetime, time as _time
_off = float({off})
_time_time, _now = _time.time, _datetime.datetime.now
_time.time = lambda: _time_time() + _off
_real = _datetime.datetime
class _Same(type(_real)):
    def __instancecheck__(cls, one):
        return isinstance(one, _real)
class datetime(_real, metaclass=_Same):
    def __new__(cls, *args, **keywords):
        return _real(*args, **keywords)
    @classmethod
    def now(cls, tz=None):
        return _now(tz) + _datetime.timedelta(seconds=_off)
    @classmethod
    def utcnow(cls):
        return _now(_datetime.timezone.utc).replace(tzinfo=None) + _datetime.timedelta(seconds=_off)
datetime.__name__ = datetime.__qualname__ = "datetime"
_datetime.datetime = datetime
"""
# The only times that a statement may take from its caller, and why no clock of the caller's is behind them.
TAKEN_FROM_THE_CALLER = {
    "claims.claim_next": ["starts", "ends"],
    "claims.complete_and_claim_next": [
        "starts",
        "ends",
    ],  # the window of the known policy at the database's clock; checked again
    "claims.claim_todo": ["starts", "ends"],
    "claims.claim_todo_by_hand": ["starts", "ends"],
    "policies.usage_of_queues": ["starts"],
    # fires, computed from the database's clock as the same transaction read it, for the zones are in the server
    "schedules.add": ["next_fire_at"],
    "schedules.advance": ["next_fire_at", "last_fired_at", "was_due_at"],
    "schedules.edit": ["next_fire_at"],
    "schedules.fired": ["scheduled_at"],
    "schedules.make_todo": ["scheduled_at"],
    "schedules.set_paused": ["next_fire_at"],
    "statistics.throughput": ["since"],  # as statistics.moments read it in the same snapshot
    "statistics.minutes": ["since"],
    "workers.note_sightings": ["instants"],  # as the database's clock told them, in the rows of claims
    "todos.enqueue": ["not_before"],  # the caller's own wish
    "queue_actions.cancel_waiting": ["created_until"],  # the database's own clock, when the drain began
}
_CLOCKS = re.compile(
    r"\b(now|clock_timestamp|statement_timestamp|transaction_timestamp)\s*\(|current_timestamp|localtime"
)


@pytest.fixture
def days_apart(ground: Ground, tmp_path: Path) -> Iterator[Ground]:
    """Two servers, one three days behind the database and one five days ahead of it."""
    environments = []
    inherited = [path for path in [os.environ.get("PYTHONPATH")] if path]
    for name, off in (("behind", -3 * 86_400 - 1234), ("ahead", 5 * 86_400 + 1234)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(_SITE.format(off=off))
        environments.append(DEBUGGING | {"PYTHONPATH": os.pathsep.join([str(folder), *inherited])})
    with running_server(ground.url, environments[0]) as one, running_server(ground.url, environments[1]) as other:
        ground.servers = [one, other]
        yield ground


async def test_servers_days_apart_share_one_window(days_apart: Ground) -> None:
    ground, world = days_apart, days_apart.world
    endpoint = await world.endpoint("e", "q")
    view = await world.set_policy(endpoint, "q", max_claims_per_window=10, window=FAR)
    todos = await world.enqueue_many(endpoint, "q", 40)
    await ground.start_of_run()
    answers = []
    for url in ground.urls:
        caller = Claimer(url, endpoint.credential)
        answers.append(await caller.call("admission_status"))
        await caller.close()
    said = [parsedate_to_datetime(answer.headers["date"]) for answer in answers]
    assert (said[1] - said[0]).days == 8  # as far as they know
    assert answers[0].body == answers[1].body
    answers = await race(40, ground.urls, [endpoint.credential], lease_seconds=60)
    claimed = [todo for answer in answers for todo in answer.body["todos"]]
    assert len(claimed) == 10
    now = await ground.sql.fetchval("select clock_timestamp()")
    rows = await ground.sql.fetch("select claimed_at, lease_expires_at from switchboard.todos where state = 'claimed'")
    for row in rows:
        assert abs((now - row["claimed_at"]).total_seconds()) < 60
        assert (row["lease_expires_at"] - row["claimed_at"]).total_seconds() == 60
    start = view.admission.window_started_at
    assert start is not None
    await ground.check(expected=todos, full=[Full(endpoint.queue_id("q"), FAR_DEFINITION, start, 10)])


async def test_no_statement_takes_the_time_from_its_caller(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    taken = {}
    for area in statements.AREAS:
        for statement in getattr(statements, area):
            if statement.script or not statement.parameters:
                continue
            types = (await connection.prepare(statement.sql)).get_parameters()
            times = [
                name
                for name, one in zip(statement.parameters, types, strict=True)
                if one.name.rstrip("[]") in ("timestamptz", "timestamp", "date", "time")
                or one.name.startswith("_timestamp")
            ]
            if times:
                taken[statement.name] = times
    await connection.close()
    assert taken == TAKEN_FROM_THE_CALLER


async def test_no_statement_of_the_claim_path_reads_any_clock_but_the_one(database_url: str) -> None:
    """switchboard.clock() is the only function that reads the wall clock; the rest are notes of creation."""
    connection = await asyncpg.connect(database_url)
    functions = await connection.fetch(
        "select proname, prosrc from pg_proc where pronamespace = 'switchboard'::regnamespace order by proname"
    )
    await connection.close()
    assert [row["proname"] for row in functions if _CLOCKS.search(row["prosrc"])] == ["clock"]
    claim_path = ("claims.sql", "todos.sql", "policies.sql", "sweeps.sql", "operator_todos.sql", "teams.sql")
    claim_path += ("dead_letters.sql", "queue_actions.sql", "operator_audit.sql")
    assert {name for name in claim_path if _CLOCKS.search(_sources()[name])} == set()


def _sources() -> dict[str, str]:
    """The files of statements by name, without their comments."""
    folder = Path(next(iter(sql_package.__path__)))
    return {
        path.name: "\n".join(line.partition("--")[0] for line in path.read_text(encoding="utf-8").splitlines())
        for path in sorted(folder.glob("*.sql"))
    }


async def test_a_todo_becomes_claimed_in_one_place_only(database_url: str) -> None:
    """Every way to a claim goes through `take`, and each way to `take` has decided the admission before."""
    connection = await asyncpg.connect(database_url)
    functions = {
        row["proname"]: row["prosrc"]
        for row in await connection.fetch(
            "select proname, prosrc from pg_proc where pronamespace = 'switchboard'::regnamespace"
        )
    }
    await connection.close()
    claims = re.compile(r"\bset\b(?:(?!\bwhere\b).)*\bstate\s*=\s*'claimed'", re.S)
    assert [name for name, source in functions.items() if claims.search(source)] == ["take"]
    assert sorted(name for name, source in functions.items() if "switchboard.take(" in source) == [
        "claim_next",
        "claim_todo",
    ]
    assert [name for name, source in _sources().items() if claims.search(source)] == []
    ways = re.compile(r"switchboard\.(claim_next|claim_todo|take)\(")
    assert [name for name, source in _sources().items() if ways.search(source)] == ["claims.sql"]
