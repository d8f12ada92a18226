"""Two servers, many workers, edits, kills and real boundaries, for so many minutes."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import Coroutine
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from switchboard.core.windows import definition, window_at
from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.policy import Period, Window
from tests.faults.ground import assert_quiet
from tests.support.checker import Full, Report, check, keep_ledger, start_of_run
from tests.support.claimers import Claimer, NoAnswer, Tally, WorkerLoop, randomness
from tests.support.scenario import Endpoint, World
from tests.support.servers import Server, running_server
from tests.support.waiting import no_statements

WORKERS = 24
FULL_LIMIT = 60
LEAST_FILLING = timedelta(seconds=25)  # a window that the run saw for less may not have been filled
EDITED, CAPPED, PLAIN, POOL, NAMESAKE = "edited", "capped", "plain", "pool", "namesake"
ENDS = {"complete": 60, "release": 5, "fail": 5, "hold": 4, "hang up": 3}
DEBUGGING = {"PYTHONWARNINGS": "default"}
_FEED = """
insert into switchboard.todos (queue_id, endpoint_id, kind, source, title, payload, state, created_at, updated_at)
select $1, $2, 'soak', '', '', 'null', 'pending', c.at + n * interval '1 microsecond', c.at
from (select switchboard.clock() as at offset 0) c, generate_series(1, 100) n
order by n returning id
"""


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Station:
    """A server that comes back on its port whenever it is gone."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._port = 0
        self._running: AbstractContextManager[Server] | None = None
        self.server: Server
        self.complaints: list[str] = []

    async def start(self) -> None:
        self._running = running_server(self._url, DEBUGGING, self._port)
        self.server = await asyncio.to_thread(self._running.__enter__)
        self._port = urlsplit(self.server.url).port or 0

    async def stop(self, *, kill: bool) -> None:
        """Ends the server at once, or as an operator does."""
        assert self._running is not None
        if kill:
            await asyncio.to_thread(self.server.kill)
        elif (code := await asyncio.to_thread(self.server.stop)) != 0:
            self.complaints.append(f"a server ended with {code}")
        try:
            assert_quiet(self.server)
        except AssertionError as complaint:
            self.complaints.append(str(complaint)[:2000])
        await asyncio.to_thread(self._running.__exit__, None, None, None)
        self._running = None


@dataclass(slots=True)
class Soaked:
    """What came of it. `problems` are violations that are no rows of the report."""

    report: Report
    tally: Tally
    seconds: float
    kills: int = 0
    restarts: int = 0
    terminations: int = 0
    edits: Counter[str] = field(default_factory=Counter)
    boundaries: int = 0
    full_windows: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not self.report.violations and not self.problems

    def table(self) -> str:
        refused = sum(self.tally.refusals.values())
        rows: list[tuple[str, object]] = [
            ("seconds", f"{self.seconds:.0f}"),
            ("claims a second", f"{self.report.claims / self.seconds:.0f}"),
            ("windows filled", self.full_windows),
            ("boundaries", self.boundaries),
            ("server kills", self.kills),
            ("server restarts", self.restarts),
            ("sessions ended", self.terminations),
            ("policy edits", sum(self.edits.values())),
            ("enqueued", len(self.tally.enqueued)),
            ("refused", refused),
            *((f"  {reason}", number) for reason, number in sorted(self.tally.refusals.items())),
            ("no answer", self.tally.away),
            *((f"  {error}", number) for error, number in sorted(self.tally.errors.items())),
        ]
        lines = [f"{name:<28}{value!s:>12}" for name, value in rows]
        return "\n".join([self.report.table(), *lines, *(f"! {problem}" for problem in self.problems)])


class Soak:
    """One run on an empty, migrated database."""

    def __init__(self, url: str, minutes: float, seed: int) -> None:
        self._url = url
        self._minutes = minutes
        self._random = randomness(seed)
        self._stop = asyncio.Event()
        self._tally = Tally()
        self._stations = [Station(url), Station(url)]
        self._edits: Counter[str] = Counter()
        self._kills = self._restarts = self._terminations = 0
        self._problems: list[str] = []

    async def run(self) -> Soaked:
        async with AsyncExitStack() as stack:
            self._sql = await asyncpg.connect(self._url)
            stack.push_async_callback(self._sql.close)
            await keep_ledger(self._sql)
            await self._prepare()
            start = await start_of_run(self._sql)  # no server yet: at the end there must be as few sessions
            await asyncio.gather(*(station.start() for station in self._stations))
            loop = asyncio.get_running_loop()
            began, began_at = loop.time(), await self._now()
            await self._until_the_end()
            seconds, ended_at = loop.time() - began, await self._now()
            await no_statements(self._sql)
            await asyncio.gather(*(station.stop(kill=False) for station in self._stations))
            full = self._filled(began_at, ended_at)
            report = await check(self._url, start, expected=self._tally.enqueued, full=full)
            await self._compare_with_what_was_told()
        for station in self._stations:
            self._problems += station.complaints
        return Soaked(
            report,
            self._tally,
            seconds,
            self._kills,
            self._restarts,
            self._terminations,
            self._edits,
            sum(began_at < at < ended_at for at in self._boundaries(began_at)),
            len(full),
            self._problems,
        )

    async def _now(self) -> datetime:
        at: datetime = await self._sql.fetchval("select clock_timestamp()")
        return at

    # What there is

    async def _prepare(self) -> None:
        database = Database(DatabaseSettings(self._url, claim_connections=2, read_connections=1))
        await database.open()
        world = World(database, self._sql)
        now = await self._now()
        minutes = range(1, max(2, min(9, int(self._minutes) + 1)))
        self._starts = [(now + timedelta(minutes=number)).minute for number in minutes]
        self._always = [f"full-{number}" for number in range(len(self._starts))]
        one, other = await world.team_endpoints("crew", POOL, "one", "other")
        self._one = await self._grant(world, one, *self._always, EDITED, CAPPED, PLAIN, NAMESAKE)
        self._other = await self._grant(world, other, NAMESAKE)
        self._token = await world.operator_token(one.owner)
        for name, minute in zip(self._always, self._starts, strict=True):
            await world.set_policy(self._one, name, max_claims_per_window=FULL_LIMIT, window=_hour(minute))
            self._tally.enqueued |= set(await world.enqueue_many(self._one, name, 3 * FULL_LIMIT))
        await world.set_policy(self._one, CAPPED, max_in_flight=3)
        await world.set_policy(
            self._one, POOL, max_in_flight=5, max_claims_per_window=2000, window=_hour(self._starts[0])
        )
        await world.set_policy(self._other, NAMESAKE, max_in_flight=2, max_claims_per_window=500, window=_hour(0))
        await world.set_policy(self._one, EDITED, max_in_flight=4, max_claims_per_window=300, window=_hour(0))
        await database.close()

    async def _grant(self, world: World, endpoint: Endpoint, *names: str) -> Endpoint:
        """Queues of the endpoint's own, besides its team's."""
        for name in names:
            await self._sql.execute(
                "with made as (insert into switchboard.queues (endpoint_id, name) values ($1, $2) returning id)"
                " insert into switchboard.endpoint_queues select $1, $2, id from made",
                endpoint.caller.endpoint_id,
                name,
            )
        caller = await world.service.callers.endpoint(endpoint.credential)
        assert caller is not None
        return Endpoint(endpoint.slug, caller, endpoint.credential, endpoint.owner)

    # What happens

    async def _until_the_end(self) -> None:
        credentials = [self._one.credential, self._one.credential, self._other.credential]
        works: list[Coroutine[Any, Any, None]] = [
            WorkerLoop(
                Claimer(self._stations[number % 2].server.url, credentials[number % 3]),
                self._tally,
                self._stop,
                randomness(self._random.getrandbits(32)),
                ends=ENDS,
                ask={"worker": f"w{number}", "lease_seconds": 2, "fence": number % 2 == 0, "max": 1 + number % 4},
                pause=0.05,
            ).run()
            for number in range(WORKERS)
        ]
        works += [self._feed(), self._edit(), self._kill(), self._terminate(), self._tell()]
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
            await self._pause(self._minutes * 60)
            self._stop.set()

    async def _pause(self, seconds: float) -> None:
        """So long, or until the end of the run."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)

    async def _ask(self, caller: Claimer, method: str, path: str, body: Any = None) -> int:
        """The status; 0 without an answer."""
        try:
            answer = await caller.request(method, path, body)
        except (NoAnswer, OSError, TimeoutError):
            await caller.close()
            return 0
        if path.endswith("/enqueue") and answer.status == 200:
            self._tally.enqueued.add(answer.body["todo"]["id"])
        return answer.status

    async def _feed(self) -> None:
        """More than is worked off, up to a bound: most of it written at once, the rest through the verb."""
        callers = [Claimer(station.server.url, self._one.credential) for station in self._stations]
        others = [Claimer(station.server.url, self._other.credential) for station in self._stations]
        number = 0
        while not self._stop.is_set():
            rows = await self._sql.fetch(
                "select queue_id, count(*) as number from switchboard.todos where state = 'pending' group by queue_id"
            )
            waiting = {row["queue_id"]: row["number"] for row in rows}
            for endpoint, pair in ((self._one, callers), (self._other, others)):
                for name, queue in endpoint.caller.queues.items():
                    if waiting.get(queue.id, 0) > 150:
                        continue
                    made = await self._sql.fetch(_FEED, queue.id, endpoint.caller.endpoint_id)
                    self._tally.enqueued |= {row["id"] for row in made}
                    for _ in range(3):
                        number += 1
                        body = {"queue": name, "kind": "soak", "payload": {"n": number}, "max_attempts": 1 + number % 5}
                        await self._ask(pair[number % 2], "POST", "/api/v1/worker/enqueue", body)
            await self._pause(0.1)
        for caller in (*callers, *others):
            await caller.close()

    async def _edit(self) -> None:
        callers = [Claimer(station.server.url, self._token) for station in self._stations]
        paths = {
            EDITED: f"/api/v1/admission/endpoint:one/{EDITED}",
            PLAIN: f"/api/v1/admission/endpoint:one/{PLAIN}",
            POOL: f"/api/v1/admission/team:crew/{POOL}",
        }
        while not self._stop.is_set():
            name = self._random.choice([EDITED, EDITED, EDITED, PLAIN, POOL])
            caller = self._random.choice(callers)
            status = await self._ask(caller, *self._an_edit(name, paths[name]))
            self._edits[f"{name} {status}"] += 1
            if status not in (0, 200, 503):
                self._problems.append(f"an edit of {name} was answered {status}")
            await self._pause(self._random.uniform(0.2, 2.0))
        for caller in callers:
            await caller.close()

    def _an_edit(self, name: str, path: str) -> tuple[str, str, Any]:
        if name != POOL and self._random.random() < 0.3:
            return "DELETE", path, None
        if name == PLAIN:  # a policy that comes and goes where claims were plain
            return (
                "PUT",
                path,
                {"max_in_flight": self._random.choice([1, 6]), "max_claims_per_window": None, "window": None},
            )
        limit = self._random.choice([None, 0, 50, 300, 1000, 5000])
        cap = self._random.choice([1, 2, 4, 8] if limit is None else [None, 0, 1, 2, 4, 8])
        window = None if limit is None else _hour(self._random.choice([0, self._starts[-1], 30]))
        return "PUT", path, {"max_in_flight": cap, "max_claims_per_window": limit, "window": window}

    async def _kill(self) -> None:
        """One of the servers at a time, by turns killed and stopped."""
        while not self._stop.is_set():
            await self._pause(self._random.uniform(12, 25))
            if self._stop.is_set():
                return
            station = self._random.choice(self._stations)
            kill = self._random.random() < 0.6
            await station.stop(kill=kill)
            self._kills += kill
            self._restarts += not kill
            await station.start()

    async def _terminate(self) -> None:
        while not self._stop.is_set():
            await self._pause(self._random.uniform(3, 9))
            self._terminations += await self._sql_ended()

    async def _sql_ended(self) -> int:
        connection = await asyncpg.connect(self._url)
        try:
            return int(
                await connection.fetchval(
                    "select count(pg_terminate_backend(pid)) from (select pid from pg_stat_activity"
                    " where application_name like 'switchboard%' and datname = current_database()"
                    " order by state = 'active' desc, random() limit 2) s"
                )
            )
        finally:
            await connection.close()

    async def _tell(self) -> None:
        passed = 0
        while not self._stop.is_set():
            await self._pause(30)
            passed += 30
            if not self._stop.is_set():
                say(f"{passed:>6} s {sum(self._tally.claimed.values()):>9,} claims told")

    # What must be

    def _boundaries(self, began_at: datetime) -> list[datetime]:
        return [window_at(_window(minute), began_at).end for minute in self._starts]

    def _filled(self, began_at: datetime, ended_at: datetime) -> list[Full]:
        """The windows of the queues that always had more work and workers than budget."""
        full = []
        for name, minute in zip(self._always, self._starts, strict=True):
            window, at = _window(minute), began_at
            while at < ended_at:
                interval = window_at(window, at)
                if min(interval.end, ended_at) - at >= LEAST_FILLING:
                    full.append(Full(self._one.queue_id(name), definition(window), interval.start, FULL_LIMIT))
                at = interval.end
        return full

    async def _compare_with_what_was_told(self) -> None:
        """A worker that was told of a claim has an attempt for it, whatever was killed meanwhile."""
        attempts = dict(await self._sql.fetch("select todo_id, count(*) from switchboard.attempts group by todo_id"))
        missing = {one: number for one, number in self._tally.claimed.items() if attempts.get(one, 0) < number}
        if missing:
            self._problems.append(f"{len(missing)} todos were told claimed more often than they were: {missing}"[:500])
        allowed = {"conflict", "unavailable", "rate_limited"}
        for error, number in self._tally.errors.items():
            if error.rpartition(" ")[2] not in allowed:
                self._problems.append(f"{number} answers that must not be: {error}")


def _hour(minute: int) -> dict[str, str]:
    return {"period": "hour", "tz": "UTC", "start": f"00:{minute:02}"}


def _window(minute: int) -> Window:
    return Window(Period.HOUR, "UTC", f"00:{minute:02}")
