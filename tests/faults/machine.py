"""Every verb in any order against the real database, judged by the model; and by the checker at the end of each run."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar

import asyncpg
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from switchboard.core.known_policy import validated
from switchboard.service.services import Services
from switchboard.service.sweeps import sweeps
from switchboard.store.database import Database, DatabaseSettings
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.operator import decode_policy
from switchboard_wire.worker import (
    AskAdmissionStatus,
    Claim,
    ClaimNext,
    ClaimNextAnswer,
    Complete,
    Completion,
    Enqueue,
    Fail,
    Heartbeat,
    Release,
)
from tests.faults.model import Claimed, Limits, Model, Todo
from tests.support.checker import keep_ledger, look
from tests.support.clock import Clock, instant
from tests.support.loop_thread import LoopThread
from tests.support.scenario import Endpoint, World, process

T = TypeVar("T")

START = "2026-10-31T23:40:00Z"
WINDOWS: list[dict[str, str]] = [
    {"period": "hour", "tz": "UTC", "start": "00:00"},
    {"period": "hour", "tz": "Asia/Kathmandu", "start": "00:30"},
    {"period": "day", "tz": "America/Los_Angeles", "start": "01:30"},  # twice on the first of November
    {"period": "week", "tz": "Europe/Berlin", "start": "00:00", "weekday": "Sun"},
]
LEASES = [1, 60, 4000]
_ROWS = """
select id, queue_id, state, attempt, claims, lease_expires_at, next_retry_at, fence::text
from switchboard.todos order by id
"""
_RESET = """
truncate switchboard.todos, switchboard.attempts, switchboard.usage, switchboard.policies, switchboard.policy_audit,
    ledger.events restart identity
"""


class Bench:
    """The database of all runs, with two endpoints: queue names `a` of each, `b` of one, and `pool` of a team."""

    def __init__(self, loop: LoopThread) -> None:
        self._loop = loop
        self.sql: asyncpg.Connection
        self.clock: Clock
        self.database: Database
        self.endpoints: list[Endpoint]

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(coroutine)

    async def open(self, url: str) -> None:
        self.sql = await asyncpg.connect(url)
        await keep_ledger(self.sql)
        self.clock = Clock(self.sql)
        await self.clock.install(START)
        self.database = Database(DatabaseSettings(url, claim_connections=2, read_connections=1))
        await self.database.open()
        world = World(self.database, self.sql)
        one, other = await world.team_endpoints("crew", "pool", "one", "other")
        made = []
        for endpoint, names in ((one, ("a", "b")), (other, ("a",))):
            queues = dict(endpoint.caller.queues)
            for name in names:
                queue_id = await self.sql.fetchval(
                    "insert into switchboard.queues (endpoint_id, name) values ($1, $2) returning id",
                    endpoint.caller.endpoint_id,
                    name,
                )
                await self.sql.execute(
                    "insert into switchboard.endpoint_queues values ($1, $2, $3)",
                    endpoint.caller.endpoint_id,
                    name,
                    queue_id,
                )
            caller = await world.service.callers.endpoint(endpoint.credential)
            assert caller is not None
            assert set(caller.queues) > set(queues)
            made.append(replace(endpoint, caller=caller))
        self.endpoints = made

    async def close(self) -> None:
        await self.database.close()
        await self.sql.close()

    async def reset(self) -> list[Services]:
        await self.sql.execute(_RESET)
        await self.clock.set(START)
        return [process(self.database) for _ in range(2)]


@contextmanager
def bench(loop: LoopThread, url: str) -> Iterator[Bench]:
    made = Bench(loop)
    loop.run(made.open(url))
    try:
        yield made
    finally:
        loop.run(made.close())


# Few enough values for Hypothesis to draw each as often as any other.
whichever = st.integers(0, 127)


class Machine(RuleBasedStateMachine):
    """One client at a time, through either of two processes. Set `bench` before use."""

    bench: ClassVar[Bench]

    def __init__(self) -> None:
        super().__init__()
        self.processes = self.bench.run(self.bench.reset())
        self.model = Model(instant(START))
        self.queues = sorted({queue.id for one in self.bench.endpoints for queue in one.caller.queues.values()})

    # Choices

    def _process(self, which: int) -> Services:
        return self.processes[which % 2]

    def _endpoint(self, which: int) -> Endpoint:
        return self.bench.endpoints[which // 2 % 2]

    def _todo(self, which: int, *states: str) -> Todo:
        """A todo in one of these states, where there is one."""
        fitting = [todo for todo in self.model.todos.values() if todo.state in states] or [*self.model.todos.values()]
        return fitting[which % len(fitting)]

    def _ids(self, endpoint: Endpoint) -> list[int]:
        return [queue.id for queue in endpoint.caller.queues.values()]

    def _refusal(self, work: Coroutine[Any, Any, Any]) -> tuple[str, Any] | Any:
        """(code, reason or state) of a refusal, else what the verb gave."""
        try:
            return self.bench.run(work)
        except SwitchboardError as error:
            return error.code.value, error.details.get("reason", error.details.get("state"))

    # Work comes

    @initialize(
        limits=st.lists(st.tuples(whichever, whichever, whichever), min_size=1, max_size=6), work=st.integers(0, 3)
    )
    def policies_and_work_from_the_beginning(self, limits: list[tuple[int, int, int]], work: int) -> None:
        for which, cap, limit in limits:
            self.set_policy(which, cap, limit)
        for which in range(0, 24, 2):
            self.enqueue(which, work, None, 2, None)

    @rule(
        which=whichever,
        number=st.integers(1, 3),
        key=st.sampled_from([None, None, "k1", "k2"]),
        max_attempts=st.sampled_from([1, 2, 5]),
        delay=st.sampled_from([None, None, None, 0, 90]),
    )
    def enqueue(self, which: int, number: int, key: str | None, max_attempts: int, delay: int | None) -> None:
        endpoint = self._endpoint(which)
        names = sorted(endpoint.caller.queues)
        name = names[which // 4 % len(names)]
        not_before = None if delay is None else self.model.now + timedelta(seconds=delay)
        for _ in range(number):
            ask = Enqueue(queue=name, kind="k", idempotency_key=key, max_attempts=max_attempts, not_before=not_before)
            made = self.bench.run(self._process(which).enqueue.enqueue(endpoint.caller, ask))
            twin = self.model.twin(endpoint.caller.endpoint_id, key)
            assert made.duplicate == (twin is not None)
            if twin is not None:
                assert made.todo.id == twin.id
                continue
            assert made.todo.id not in self.model.todos
            self.model.todos[made.todo.id] = Todo(
                made.todo.id,
                endpoint.queue_id(name),
                endpoint.caller.endpoint_id,
                self.model.now,
                "scheduled" if delay else "pending",
                max_attempts,
                key,
                not_before,
            )

    # Claims

    @rule(
        which=whichever,
        most=st.sampled_from([None, None, 1, 2, 5, 100]),
        lease=st.sampled_from(LEASES),
        fence=st.booleans(),
        narrow=st.booleans(),
    )
    def claim_next(self, which: int, most: int | None, lease: int, fence: bool, narrow: bool) -> None:
        service, endpoint = self._process(which), self._endpoint(which)
        names = [name for number, name in enumerate(endpoint.caller.queues) if not narrow or which >> number & 8]
        ask = ClaimNext(queues=tuple(names) if narrow and names else None, max=most, lease_seconds=lease, fence=fence)
        self.status_tells_what_the_next_claim_will_say(which)
        answer = self.bench.run(service.claim.claim_next(endpoint.caller, ask))
        self._judge_claim_next(endpoint, ask, answer)

    @rule(which=whichever, most=st.sampled_from([None, 2, 100]), lease=st.sampled_from(LEASES))
    def claim_next_of_all(self, which: int, most: int | None, lease: int) -> None:
        self.claim_next(which, most, lease, False, False)

    def _judge_claim_next(self, endpoint: Endpoint, ask: ClaimNext, answer: ClaimNextAnswer) -> None:
        asked = list(ask.queues or endpoint.caller.queues)
        ids = [endpoint.queue_id(name) for name in asked]
        chosen = self.model.choose(ids, ask.max or 1)
        if chosen is None:
            assert answer.empty
            assert answer.todos == ()
            told = [
                (endpoint.queue_id(one.queue), one.reason, one.pending, one.next_eligible_at, one.exact)
                for one in answer.deferred
            ]
            assert told == self.model.deferred(ids)
            return
        _, claimed = chosen
        assert not answer.empty
        assert [todo.id for todo in answer.todos] == claimed.ids
        assert answer.held_back == claimed.held_back
        assert answer.deferred == ()
        self._judge_headroom(answer.admission, claimed)
        self._take(endpoint.caller.endpoint_id, answer.todos, ask.lease_seconds or 300)
        assert all((todo.fence is not None) == ask.fence for todo in answer.todos)

    def _judge_headroom(self, admission: Any, claimed: Claimed) -> None:
        if claimed.in_flight is None:
            assert admission is None
            return
        assert (admission.in_flight, admission.used) == (claimed.in_flight, claimed.used)
        if admission.max_claims_per_window is not None:
            assert admission.remaining == admission.max_claims_per_window - claimed.used >= 0
        if admission.max_in_flight is not None:
            assert admission.in_flight <= admission.max_in_flight

    def _take(self, endpoint_id: int, todos: Any, lease: int) -> None:
        self.model.take(
            [todo.id for todo in todos], endpoint_id, timedelta(seconds=lease), [todo.fence for todo in todos]
        )

    @precondition(lambda self: self.model.todos)
    @rule(which=whichever, lease=st.sampled_from(LEASES), fence=st.booleans())
    def claim(self, which: int, lease: int, fence: bool) -> None:
        endpoint, todo = self._endpoint(which), self._todo(which // 4, "pending", "claimed", "failed")
        ask = Claim(todo_id=todo.id, lease_seconds=lease, fence=fence)
        told = self._refusal(self._process(which).claim.claim(endpoint.caller, ask))
        if todo.queue not in self._ids(endpoint):
            assert told == ("forbidden", None)
            return
        self._judge_claim(told, todo, endpoint.caller.endpoint_id, lease)

    def claim_on_the_board(self, which: int) -> None:
        todo = self._todo(which // 4, "pending", "claimed", "failed")
        told = self._refusal(self._process(which).operator_todos.claim(self.bench.endpoints[0].owner, todo.id))
        self._judge_claim(told, todo, todo.endpoint, 300)

    def _judge_claim(self, told: Any, todo: Todo, endpoint_id: int, lease: int) -> None:
        match self.model.why_not(todo):
            case "conflict":
                assert told == ("conflict", todo.state)
            case None:
                assert not isinstance(told, tuple), told
                takeover = todo.state == "claimed"
                in_flight = len(self.model.in_state(todo.queue, "claimed")) + (not takeover)
                used = self.model.used(todo.queue)
                known = todo.queue in self.model.policies
                self._take(endpoint_id, [told.todo], lease)
                self._judge_headroom(
                    told.admission,
                    Claimed([todo.id], in_flight if known else None, None if used is None else used + 1),
                )
            case reason:
                assert told == ("deferred", reason)

    def status_tells_what_the_next_claim_will_say(self, which: int) -> None:
        endpoint = self._endpoint(which)
        answer = self.bench.run(self._process(which).todos.admission_status(endpoint.caller, AskAdmissionStatus()))
        for one in answer.queues:
            reason = self.model.reason(one.queue_id)
            assert one.status.reason == reason
            assert (one.status.next_eligible_at, one.status.exact) == self.model.next_eligible(one.queue_id, reason)
            assert one.used == self.model.used(one.queue_id)
            assert one.in_flight == len(self.model.in_state(one.queue_id, "claimed"))

    # Claims end

    def _end(self, which: int, verb: str, ask: Any) -> tuple[Todo, Any] | None:
        """The todo and the answer, when the model says that it ends."""
        endpoint = self._endpoint(which)
        todo = self.model.todos[ask.todo_id]
        services = self._process(which)
        act = services.complete.complete if verb == "complete" else getattr(services.drain, verb)
        told = self._refusal(act(endpoint.caller, ask))
        if todo.queue not in self._ids(endpoint):
            assert told == ("not_found", None)
        elif not self.model.holds(todo, endpoint.caller.endpoint_id, ask.fence):
            assert told == ("conflict", todo.state)
        else:
            assert not isinstance(told, tuple), told
            return todo, told
        return None

    def _fence(self, todo: Todo, right: bool) -> str | None:
        return todo.fence if right else "00000000-0000-0000-0000-000000000000"

    @precondition(lambda self: self.model.todos)
    @rule(which=whichever, right=st.sampled_from([True] * 5 + [False]), following=st.booleans())
    def complete(self, which: int, right: bool, following: bool) -> None:
        todo = self._todo(which // 4, "claimed")
        more = ClaimNext(max=2, lease_seconds=60) if following else None
        ended = self._end(which, "complete", Complete(todo_id=todo.id, fence=self._fence(todo, right), next=more))
        if ended is not None:
            self.model.end(todo, "complete")
            assert ended[1].todo.state == "done"
            assert (ended[1].next is None) == (more is None)
            if more is not None:
                self._judge_claim_next(self._endpoint(which), more, ended[1].next)

    @precondition(lambda self: self.model.todos)
    @rule(which=whichever, places=st.sets(whichever, min_size=1, max_size=4), following=st.booleans())
    def complete_several(self, which: int, places: set[int], following: bool) -> None:
        endpoint = self._endpoint(which)
        todos = {todo.id: todo for todo in (self._todo(place, "claimed", "pending") for place in places)}
        more = ClaimNext(max=2, lease_seconds=60) if following else None
        ask = Complete(todos=tuple(Completion(todo.id, fence=todo.fence) for todo in todos.values()), next=more)
        told = self.bench.run(self._process(which).complete.complete(endpoint.caller, ask))
        outcomes: dict[int, tuple[str, str | None]] = dict.fromkeys(told.completed, ("done", None))
        outcomes |= {one.todo_id: (one.code.value, one.state) for one in told.refused}
        expected: dict[int, tuple[str, str | None]] = {}
        for todo in todos.values():
            if todo.queue not in self._ids(endpoint):
                expected[todo.id] = ("not_found", None)
            elif not self.model.holds(todo, endpoint.caller.endpoint_id, todo.fence):
                expected[todo.id] = ("conflict", todo.state)
            else:
                expected[todo.id] = ("done", None)
                self.model.end(todo, "complete")
        assert outcomes == expected
        assert (told.next is None) == (more is None or not told.completed)
        if told.next is not None:
            self._judge_claim_next(endpoint, more, told.next)

    @precondition(lambda self: self.model.todos)
    @rule(which=whichever, right=st.sampled_from([True] * 5 + [False]), retry=st.booleans())
    def fail(self, which: int, right: bool, retry: bool) -> None:
        todo = self._todo(which // 4, "claimed")
        if self._end(which, "fail", Fail(todo_id=todo.id, retry=retry, fence=self._fence(todo, right))):
            self.model.end(todo, "fail", retry=retry)

    @precondition(lambda self: self.model.todos)
    @rule(which=whichever, right=st.sampled_from([True] * 5 + [False]))
    def release(self, which: int, right: bool) -> None:
        todo = self._todo(which // 4, "claimed")
        if self._end(which, "release", Release(todo_id=todo.id, fence=self._fence(todo, right))):
            self.model.end(todo, "release")

    @precondition(lambda self: self.model.todos)
    @rule(which=whichever, right=st.sampled_from([True] * 5 + [False]), lease=st.sampled_from(LEASES))
    def heartbeat(self, which: int, right: bool, lease: int) -> None:
        todo = self._todo(which // 4, "claimed")
        ask = Heartbeat(todo_id=todo.id, lease_seconds=lease, fence=self._fence(todo, right))
        if self._end(which, "heartbeat", ask):
            todo.lease = self.model.now + timedelta(seconds=lease)

    # By hand

    @precondition(lambda self: self.model.todos)
    @rule(which=whichever, action=st.sampled_from(["retry_now", "cancel", "claim_on_the_board"]))
    def by_hand(self, which: int, action: str) -> None:
        getattr(self, action)(which)

    def retry_now(self, which: int) -> None:
        todo = self._todo(which // 4, "failed", "dead")
        told = self._refusal(self._process(which).operator_todos.retry_now(self.bench.endpoints[0].owner, todo.id))
        twin = self.model.twin(todo.endpoint, todo.key, besides=todo.id)
        if todo.state not in ("failed", "dead") or (twin is not None and todo.state == "dead"):
            assert told[0] == "conflict"
            return
        assert told.todo.state == "pending"
        todo.state, todo.attempt, todo.retry_at, todo.holder = "pending", 0, None, None

    def cancel(self, which: int) -> None:
        todo = self._todo(which // 4, "pending", "failed", "dead", "scheduled")
        told = self._refusal(self._process(which).operator_todos.cancel(self.bench.endpoints[0].owner, todo.id))
        if todo.state not in ("scheduled", "pending", "failed", "dead"):
            assert told == ("conflict", todo.state)
            return
        todo.state, todo.retry_at = "canceled", None

    # Policies

    def _lane(self, which: int) -> tuple[Endpoint, str]:
        endpoint = self._endpoint(which)
        names = sorted(endpoint.caller.queues)
        return endpoint, names[which // 4 % len(names)]

    @rule(which=whichever, cap=whichever, limit=whichever)
    def set_policy(self, which: int, cap: int, limit: int) -> None:
        endpoint, name = self._lane(which)
        body: dict[str, Any] = {
            "max_in_flight": [None, None, 0, 1, 1, 2, 3][cap % 7],
            "max_claims_per_window": [None, None, 0, 1, 2, 4, 8][limit % 7],
        }
        if body == {"max_in_flight": None, "max_claims_per_window": None}:
            body["max_in_flight"] = 2
        body["window"] = None if body["max_claims_per_window"] is None else WINDOWS[limit // 7 % len(WINDOWS)]
        scope = endpoint.caller.queues[name].scope
        self.bench.run(self._process(which).policies.set(endpoint.owner, scope, name, body))
        policy = validated(decode_policy(body))
        self.model.policies[endpoint.queue_id(name)] = Limits(
            policy.max_in_flight, policy.max_claims_per_window, policy.window
        )

    @rule(which=whichever, action=st.sampled_from(["clear_policy", "break_policy"]))
    def spoil_policy(self, which: int, action: str) -> None:
        getattr(self, action)(which)

    def clear_policy(self, which: int) -> None:
        endpoint, name = self._lane(which)
        scope = endpoint.caller.queues[name].scope
        cleared = self.bench.run(self._process(which).policies.clear(endpoint.owner, scope, name))
        assert cleared == (self.model.policies.pop(endpoint.queue_id(name), None) is not None)

    def break_policy(self, which: int) -> None:
        """The stored zone is none that the zone database knows (REQ-9)."""
        endpoint, name = self._lane(which)
        queue_id = endpoint.queue_id(name)
        policy = self.model.policies.get(queue_id)
        if policy is not None and policy.window is not None:
            self.bench.run(
                self.bench.sql.execute(
                    "update switchboard.policies set window_tz = 'Mars/Olympus' where queue_id = $1", queue_id
                )
            )
            self.model.policies[queue_id] = replace(policy, broken=True)

    # Time

    @rule(seconds=st.sampled_from([1, 29, 60, 900, 3600, 86_400]))
    def time_passes(self, seconds: int) -> None:
        self._set_clock(self.model.now + timedelta(seconds=seconds))

    @rule(which=whichever, late=st.sampled_from([timedelta(microseconds=-1), timedelta()]))
    def a_moment_comes(self, which: int, late: timedelta) -> None:
        """Just before or at a boundary, the end of a lease or of a backoff."""
        moments = [one.end for queue in self.queues if (one := self.model.interval(queue)) is not None]
        for todo in self.model.todos.values():
            moments += [at for at in (todo.lease, todo.retry_at) if at is not None]
        coming = [at + late for at in moments if at + late > self.model.now]
        if coming:
            self._set_clock(sorted(coming)[which % len(coming)])

    def _set_clock(self, at: datetime) -> None:
        self.model.now = self.bench.run(self.bench.clock.set(at))

    @rule(action=st.sampled_from(["reap", "promote"]))
    def sweep(self, action: str) -> None:
        getattr(self, action)()

    def reap(self) -> None:
        self._sweep("reaper")
        self.model.reap()

    def promote(self) -> None:
        self._sweep("due")
        self.model.promote()

    def _sweep(self, name: str) -> None:
        (sweep,) = (one for one in sweeps(self.bench.database) if one.name == name)
        assert self.bench.run(_awaited(sweep.run_once())) is False

    # What holds after all

    def teardown(self) -> None:
        rows = [tuple(row) for row in self.bench.run(self.bench.sql.fetch(_ROWS))]
        assert rows == self.model.rows()
        usage = self.bench.run(self.bench.sql.fetch("select * from switchboard.usage"))
        charges = {(row["queue_id"], row["window_definition"], row["window_started_at"]): row["used"] for row in usage}
        assert charges == self.model.charges()
        report = self.bench.run(look(self.bench.sql, expected=list(self.model.todos)))
        assert report.violations == (), report.table()
        assert report.claims == sum(todo.claims for todo in self.model.todos.values())


async def _awaited(awaitable: Any) -> Any:
    return await awaitable
