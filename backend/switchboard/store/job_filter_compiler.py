"""JobFilter to SQL: the one file that composes a statement. Only fixed fragments are joined; values are parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from switchboard_wire.job_filter import JobFilter, JobPage

_COLUMNS = """select t.queue_id, t.id, t.kind, t.source, t.title, t.tags, t.state, t.attempt, t.max_attempts,
    t.created_at, t.updated_at, t.claimed_at, t.lease_expires_at, t.next_retry_at, t.not_before, t.finished_at,
    t.worker, t.error, e.slug as claimant
from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id
"""
_COUNT = """select count(*) from (select from switchboard.todos t
"""


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
    return conditions.compiled(f"{_COLUMNS}where {{where}}\norder by t.id desc\nlimit {limit}")


def compile_count(job_filter: JobFilter, cap: int, queue_ids: list[int]) -> Compiled:
    """One value: how many match, counted to `cap` + 1."""
    conditions = _Conditions(job_filter, queue_ids)
    limit = conditions.parameter(cap + 1)
    return conditions.compiled(f"{_COUNT}where {{where}}\nlimit {limit}) capped")


class _Conditions:
    """The filter's conditions on `t`: the one meaning of a JobFilter, for listings, counts and scans."""

    def __init__(self, job_filter: JobFilter, queue_ids: list[int]) -> None:
        self._parameters: list[Any] = []
        parameter = self.parameter
        self._where = where = [f"t.queue_id = any ({parameter(queue_ids)}::bigint[])"]
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
            where.append(f"t.tags @> {parameter(list(job_filter.tags))}::text[]")
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

    def compiled(self, sql: str) -> Compiled:
        return Compiled(sql.format(where=" and ".join(self._where)), tuple(self._parameters))
