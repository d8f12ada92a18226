"""JobFilter to SQL: the one file that composes a statement. Only fixed fragments are joined; values are parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from switchboard_wire.dead_letters import DlqPage
from switchboard_wire.job_filter import JobFilter, JobPage

_SELECTED = """select t.queue_id, t.id, t.kind, t.source, t.title, t.tags, t.state, t.attempt, t.max_attempts,
    t.created_at, t.updated_at, t.claimed_at, t.lease_expires_at, t.next_retry_at, t.not_before, t.finished_at,
    t.worker, t.error, e.slug as claimant
"""
_COLUMNS = f"""{_SELECTED}from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id
"""
_WHERE = "<where>"
_COUNT = """select count(*) from (select from switchboard.todos t
"""
_WHOLE = "select t.* from switchboard.todos t\n"
_MERGED = "select d.* from "
_KEYS = "select t.id, t.finished_at from switchboard.todos t\n"
_DEAD_ORDER = "order by t.finished_at desc, t.id desc"
_STRETCH = """with t as materialized (
select t.id, t.queue_id, t.kind, t.state, t.tags, t.created_at from switchboard.todos t
"""
_FREEZE = """, frozen as (
insert into switchboard.operation_items (operation_id, todo_id, queue_id)
select """
_STRETCHED = """, t.id, t.queue_id from t
"""
_LAST = """on conflict do nothing)
select max(t.id) from t"""


@dataclass(frozen=True, slots=True)
class Compiled:
    """One statement and its positional parameters."""

    sql: str
    parameters: tuple[Any, ...]


def compile_listing(job_filter: JobFilter, page: JobPage, queue_ids: list[int]) -> Compiled:
    """Newest first by id, one row more than the page holds. `queue_ids`: the queues the reader may see, already
    narrowed to the filter's queue name."""
    conditions = _Conditions(job_filter, queue_ids)
    if page.before_id is not None:
        conditions.add(f"t.id < {conditions.parameter(page.before_id)}")
    limit = conditions.parameter(page.limit + 1)
    return conditions.compiled(f"{_COLUMNS}where {_WHERE}\norder by t.id desc\nlimit {limit}")


def compile_count(job_filter: JobFilter, cap: int, queue_ids: list[int]) -> Compiled:
    """One value: how many match, counted to `cap` + 1."""
    conditions = _Conditions(job_filter, queue_ids)
    limit = conditions.parameter(cap + 1)
    return conditions.compiled(f"{_COUNT}where {_WHERE}\nlimit {limit}) capped")


def compile_dead_letters(job_filter: JobFilter, page: DlqPage, queue_ids: list[int]) -> Compiled:
    """Dead todos, newest first by (finished_at, id), one row more than the page holds. `queue_ids` as above.

    Unfiltered, each queue is walked in the order of its own index for a page's length, and the walks are merged: no
    queue of others is in the way. With a filter the planner has the choice, for it knows what is rare.
    """
    filtered = replace(job_filter, queue=None, states=None) != JobFilter()
    conditions = _Conditions(job_filter, queue_ids if filtered else None)
    conditions.add("t.state = 'dead'")
    if page.before_dlq_at is not None and page.before_id is not None:
        conditions.died_before(page.before_dlq_at, page.before_id)
    limit = conditions.parameter(page.limit + 1)
    if filtered:
        return conditions.compiled(f"{_COLUMNS}where {_WHERE}\n{_DEAD_ORDER}\nlimit {limit}")
    queues = conditions.parameter(queue_ids)
    walk = f"{_WHOLE}where t.queue_id = k.id and {_WHERE}\n{_DEAD_ORDER}\nlimit {limit}"
    found = f"{_MERGED}unnest({queues}::bigint[]) as k (id) cross join lateral (\n{walk}\n) d"
    return conditions.compiled(
        f"{_SELECTED}from (\n{found}\n) t left join switchboard.endpoints e on e.id = t.claimant_id\n"
        f"{_DEAD_ORDER}\nlimit {limit}"
    )


def compile_dead_batch(job_filter: JobFilter, queue_id: int, before: tuple[datetime, int], limit: int) -> Compiled:
    """Ids and finished_at of matching dead todos of one queue, in the listing's order, locked for the transaction.

    What another transaction holds is passed by; what changed since the statement began is judged as it is now.
    """
    conditions = _Conditions(job_filter)
    conditions.add(f"t.queue_id = {conditions.parameter(queue_id)}::bigint and t.state = 'dead'")
    conditions.died_before(*before)
    most = conditions.parameter(limit)
    return conditions.compiled(f"{_KEYS}where {_WHERE}\n{_DEAD_ORDER}\nlimit {most}\nfor update skip locked")


def compile_scan(
    job_filter: JobFilter, queue_ids: list[int], *, operation_id: int, after_id: int, through_id: int, batch: int
) -> Compiled:
    """Freezes one stretch of an operation's set: `batch` jobs by id are looked at, those that match become items.

    One value, the last id looked at; null when there was none left up to `through_id`. A stretch is bounded by what it
    looks at, not by what it finds, so that no snapshot is held for long over a filter that finds nothing.
    """
    conditions = _Conditions(job_filter, queue_ids)
    parameter = conditions.parameter
    stretch = f"t.id > {parameter(after_id)} and t.id <= {parameter(through_id)}"
    if job_filter.ids is not None:
        stretch += f" and t.id = any ({parameter(list(job_filter.ids))}::bigint[])"
    return conditions.compiled(
        f"{_STRETCH}where {stretch} order by t.id limit {parameter(batch)})\n"
        f"{_FREEZE}{parameter(operation_id)}::bigint{_STRETCHED}where {_WHERE}\n{_LAST}"
    )


class _Conditions:
    """The filter's conditions on `t`: the one meaning of a JobFilter, for listings, counts and scans.

    Without `queue_ids`, the caller itself says which queues.
    """

    def __init__(self, job_filter: JobFilter, queue_ids: list[int] | None = None) -> None:
        self._parameters: list[Any] = []
        parameter = self.parameter
        self._where = where = [] if queue_ids is None else [f"t.queue_id = any ({parameter(queue_ids)}::bigint[])"]
        if job_filter.ids is not None:
            where.append(f"t.id = any ({parameter(list(job_filter.ids))}::bigint[])")
        if job_filter.kind is not None:
            where.append(f"t.kind = {parameter(job_filter.kind)}")
        if job_filter.states is not None:
            states = [state.value for state in job_filter.states]
            # one state is written as an equality, which the partial indexes can answer
            where.append(
                f"t.state = {parameter(states[0])}"
                if len(states) == 1
                else f"t.state = any ({parameter(states)}::text[])"
            )
        if job_filter.tags is not None:
            # the second half names the partial index, which PostgreSQL does not conclude from the first
            where.append(f"t.tags @> {parameter(list(job_filter.tags))}::text[] and t.tags <> '{{}}'")
        if job_filter.created_at_gte is not None:
            where.append(f"t.created_at >= {parameter(job_filter.created_at_gte)}")
        if job_filter.created_at_lt is not None:
            where.append(f"t.created_at < {parameter(job_filter.created_at_lt)}")

    def parameter(self, value: Any) -> str:
        """The placeholder of one more parameter."""
        self._parameters.append(value)
        return f"${len(self._parameters)}"

    def add(self, condition: str) -> None:
        self._where.append(condition)

    def died_before(self, at: datetime, todo_id: int) -> None:
        """Past this place in the order of the dead letters."""
        self.add(f"(t.finished_at, t.id) < ({self.parameter(at)}::timestamptz, {self.parameter(todo_id)}::bigint)")

    def compiled(self, sql: str) -> Compiled:
        return Compiled(sql.replace(_WHERE, " and ".join(self._where)), tuple(self._parameters))
