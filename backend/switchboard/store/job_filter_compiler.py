"""JobFilter to SQL: the one file that composes a statement. Only fixed fragments are joined; values are parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.todo import TodoState

_COLUMNS = """select t.queue_id, t.id, t.kind, t.source, t.title, t.tags, t.state, t.attempt, t.max_attempts,
    t.created_at, t.updated_at, t.claimed_at, t.lease_expires_at, t.next_retry_at, t.not_before, t.finished_at,
    t.worker, t.error, e.slug as claimant
from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id
"""

_COUNT = "select count(*) from (select from switchboard.todos t\n"
_STRETCH = """with t as materialized (
select t.id, t.queue_id, t.kind, t.state, t.tags, t.created_at from switchboard.todos t
"""
_FREEZE = """, frozen as (
insert into switchboard.operation_items (operation_id, todo_id, queue_id)
select $1::bigint, t.id, t.queue_id from t
"""
_LAST = """on conflict do nothing)
select max(t.id) from t"""


@dataclass(frozen=True, slots=True)
class CompiledListing:
    """One statement and its positional parameters."""

    sql: str
    parameters: tuple[Any, ...]


def compile_listing(job_filter: JobFilter, page: JobPage, queue_ids: list[int]) -> CompiledListing:
    """Newest first by id, one row more than the page holds. `queue_ids`: the queues the reader may see, already
    narrowed to the filter's queue name."""
    parameters, parameter = _parameters()
    where = _conditions(job_filter, queue_ids, parameter)
    if page.before_id is not None:
        where.append(f"t.id < {parameter(page.before_id)}")
    sql = f"{_COLUMNS}where {' and '.join(where)}\norder by t.id desc\nlimit {parameter(page.limit + 1)}"
    return CompiledListing(sql, tuple(parameters))


def compile_matching(
    job_filter: JobFilter, queue_ids: list[int], cap: int, among: Sequence[TodoState] | None = None
) -> CompiledListing:
    """How many jobs match, counted up to `cap` + 1; `among`: only those in one of these states."""
    parameters, parameter = _parameters()
    where = _conditions(job_filter, queue_ids, parameter)
    if among is not None:
        where.append(f"t.state = any ({parameter([state.value for state in among])}::text[])")
    sql = f"{_COUNT}where {' and '.join(where)}\nlimit {parameter(cap + 1)}) matching"
    return CompiledListing(sql, tuple(parameters))


def compile_scan(
    job_filter: JobFilter, queue_ids: list[int], *, operation_id: int, after_id: int, through_id: int, batch: int
) -> CompiledListing:
    """Freezes one stretch of an operation's set: `batch` jobs by id are looked at, those that match become items.

    Gives one value, the last id looked at; null when there was none left up to `through_id`. A stretch is bounded by
    what it looks at, not by what it finds, so that no snapshot is held for long over a filter that finds nothing.
    """
    parameters, parameter = _parameters()
    parameter(operation_id)  # $1, as _FREEZE says
    stretch = [f"t.id > {parameter(after_id)}", f"t.id <= {parameter(through_id)}"]
    if job_filter.ids is not None:
        stretch.append(f"t.id = any ({parameter(list(job_filter.ids))}::bigint[])")
    limit = parameter(batch)
    where = _conditions(job_filter, queue_ids, parameter)
    sql = (
        f"{_STRETCH}where {' and '.join(stretch)} order by t.id limit {limit})\n"
        f"{_FREEZE}where {' and '.join(where)}\n{_LAST}"
    )
    return CompiledListing(sql, tuple(parameters))


def _parameters() -> tuple[list[Any], Callable[[Any], str]]:
    """The values so far, and what adds one and gives its place in the statement."""
    parameters: list[Any] = []

    def parameter(value: Any) -> str:
        parameters.append(value)
        return f"${len(parameters)}"

    return parameters, parameter


def _conditions(job_filter: JobFilter, queue_ids: list[int], parameter: Callable[[Any], str]) -> list[str]:
    """What a row `t` must meet; the filter's queue name is in `queue_ids` already."""
    where = [f"t.queue_id = any ({parameter(queue_ids)}::bigint[])"]
    if job_filter.ids is not None:
        where.append(f"t.id = any ({parameter(list(job_filter.ids))}::bigint[])")
    if job_filter.kind is not None:
        where.append(f"t.kind = {parameter(job_filter.kind)}")
    if job_filter.states is not None:
        states = [state.value for state in job_filter.states]
        # one state is written as an equality, which the partial indexes can answer
        where.append(
            f"t.state = {parameter(states[0])}" if len(states) == 1 else f"t.state = any ({parameter(states)}::text[])"
        )
    if job_filter.tags is not None:
        where.append(f"t.tags @> {parameter(list(job_filter.tags))}::text[]")
    if job_filter.created_at_gte is not None:
        where.append(f"t.created_at >= {parameter(job_filter.created_at_gte)}")
    if job_filter.created_at_lt is not None:
        where.append(f"t.created_at < {parameter(job_filter.created_at_lt)}")
    return where
