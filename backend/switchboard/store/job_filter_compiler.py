"""JobFilter to SQL: the one file that composes a statement. Only fixed fragments are joined; values are parameters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from switchboard_wire.dead_letters import DlqPage
from switchboard_wire.job_filter import JobFilter, JobPage

_COLUMNS = """select t.queue_id, t.id, t.kind, t.source, t.title, t.tags, t.state, t.attempt, t.max_attempts,
    t.created_at, t.updated_at, t.claimed_at, t.lease_expires_at, t.next_retry_at, t.not_before, t.finished_at,
    t.worker, t.error, e.slug as claimant
"""
_TODOS = "from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id\n"
_WHOLE = "select t.* from switchboard.todos t\n"
_MERGED = "select d.* from "
_KEYS = "select t.id, t.finished_at from switchboard.todos t\n"
_DEAD_ORDER = "order by t.finished_at desc, t.id desc"


@dataclass(frozen=True, slots=True)
class CompiledListing:
    """One statement and its positional parameters."""

    sql: str
    parameters: tuple[Any, ...]


class _Parameters:
    """Collects the values of one statement."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def add(self, value: Any) -> str:
        self.values.append(value)
        return f"${len(self.values)}"


def compile_listing(job_filter: JobFilter, page: JobPage, queue_ids: list[int]) -> CompiledListing:
    """Newest first by id, one row more than the page holds. `queue_ids`: the queues the reader may see, already
    narrowed to the filter's queue name."""
    parameters = _Parameters()
    where = [f"t.queue_id = any ({parameters.add(queue_ids)}::bigint[])", *_matching(job_filter, parameters)]
    if page.before_id is not None:
        where.append(f"t.id < {parameters.add(page.before_id)}")
    sql = f"{_COLUMNS}{_TODOS}where {' and '.join(where)}\norder by t.id desc\nlimit {parameters.add(page.limit + 1)}"
    return CompiledListing(sql, tuple(parameters.values))


def compile_dead_letters(job_filter: JobFilter, page: DlqPage, queue_ids: list[int]) -> CompiledListing:
    """Dead todos, newest first by (finished_at, id), one row more than the page holds. `queue_ids` as above.

    Each queue is walked in the order of its own index and stops at a page's length; the walks are merged.
    """
    parameters = _Parameters()
    queues = parameters.add(queue_ids)
    where = ["t.state = 'dead'", *_matching(job_filter, parameters)]
    if page.before_dlq_at is not None:
        before = f"{parameters.add(page.before_dlq_at)}::timestamptz, {parameters.add(page.before_id)}::bigint"
        where.append(f"(t.finished_at, t.id) < ({before})")
    limit = parameters.add(page.limit + 1)
    if job_filter.ids is not None:
        found = f"{_WHOLE}where t.queue_id = any ({queues}::bigint[]) and {' and '.join(where)}"
    else:
        walk = f"{_WHOLE}where t.queue_id = k.id and {' and '.join(where)}\n{_DEAD_ORDER}\nlimit {limit}"
        found = f"{_MERGED}unnest({queues}::bigint[]) as k (id) cross join lateral (\n{walk}\n) d"
    sql = (
        f"{_COLUMNS}from (\n{found}\n) t left join switchboard.endpoints e on e.id = t.claimant_id\n"
        f"{_DEAD_ORDER}\nlimit {limit}"
    )
    return CompiledListing(sql, tuple(parameters.values))


def compile_dead_batch(
    job_filter: JobFilter, queue_id: int, before: tuple[datetime, int], limit: int
) -> CompiledListing:
    """Ids and finished_at of matching dead todos of one queue, in the listing's order, locked, for one transaction.

    What another transaction holds is passed by; what changed since the statement began is judged as it is now.
    """
    parameters = _Parameters()
    where = [
        f"t.queue_id = {parameters.add(queue_id)}::bigint",
        "t.state = 'dead'",
        f"(t.finished_at, t.id) < ({parameters.add(before[0])}::timestamptz, {parameters.add(before[1])}::bigint)",
        *_matching(job_filter, parameters),
    ]
    sql = f"{_KEYS}where {' and '.join(where)}\n{_DEAD_ORDER}\nlimit {parameters.add(limit)}\nfor update skip locked"
    return CompiledListing(sql, tuple(parameters.values))


def _matching(job_filter: JobFilter, parameters: _Parameters) -> list[str]:
    """The conditions of every field but `queue`, which the caller has resolved to queue ids."""
    where = []
    if job_filter.ids is not None:
        where.append(f"t.id = any ({parameters.add(list(job_filter.ids))}::bigint[])")
    if job_filter.kind is not None:
        where.append(f"t.kind = {parameters.add(job_filter.kind)}")
    if job_filter.states is not None:
        states = [state.value for state in job_filter.states]
        # one state is written as an equality, which the partial indexes can answer
        where.append(
            f"t.state = {parameters.add(states[0])}"
            if len(states) == 1
            else f"t.state = any ({parameters.add(states)}::text[])"
        )
    if job_filter.tags is not None:
        where.append(f"t.tags @> {parameters.add(list(job_filter.tags))}::text[]")
    if job_filter.created_at_gte is not None:
        where.append(f"t.created_at >= {parameters.add(job_filter.created_at_gte)}")
    if job_filter.created_at_lt is not None:
        where.append(f"t.created_at < {parameters.add(job_filter.created_at_lt)}")
    return where
