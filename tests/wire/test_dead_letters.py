"""The strict query of dead letters, and the set that a bulk change means."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard_wire.dead_letters import DlqPage, DlqQuery, MatchingBody, decode_dlq_query, decode_matching
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.job_filter import JobFilter

AT = "2026-09-22T10:00:00-07:00"


def test_a_query_is_a_filter_and_a_page() -> None:
    value = {
        "version": 1,
        "filter": {"tags": ["b", "a"]},
        "page": {"before_dlq_at": AT, "before_id": 7, "limit": 1000},
    }
    assert decode_dlq_query(value) == DlqQuery(
        JobFilter(tags=("a", "b")), DlqPage(datetime(2026, 9, 22, 17, tzinfo=UTC), 7, 1000)
    )
    assert decode_dlq_query({"version": 1, "filter": {}, "page": {}}) == DlqQuery(JobFilter(), DlqPage(limit=50))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": 2, "filter": {"new": 1}}, "version"),
        ({"version": True}, "version"),
        ({"more": 1}, "more"),
        ({"filter": {"states": ["dead"]}}, "filter.states"),
        ({"filter": {"states": None}}, "filter.states"),
        ({"filter": {"state": "dead"}}, "filter.state"),
        ({"filter": []}, "filter"),
        ({"page": {"before_id": 7}}, "page.before_dlq_at"),
        ({"page": {"before_dlq_at": AT}}, "page.before_id"),
        ({"page": {"before_dlq_at": AT, "before_id": None}}, "page.before_id"),
        ({"page": {"before_dlq_at": "2026-09-22T10:00:00", "before_id": 7}}, "page.before_dlq_at"),
        ({"page": {"before_dlq_at": AT, "before_id": 0}}, "page.before_id"),
        ({"page": {"limit": 0}}, "page.limit"),
        ({"page": {"limit": 1001}}, "page.limit"),
        ({"page": {"after": 1}}, "page.after"),
    ],
)
def test_anything_else_is_refused_by_name(change: dict[str, Any], field: str) -> None:
    with pytest.raises(SwitchboardError) as refused:
        decode_dlq_query({"version": 1, "filter": {}, "page": {}} | change)
    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_ARGUMENT, field)


@pytest.mark.parametrize("missing", ["version", "filter", "page"])
def test_nothing_may_be_left_out(missing: str) -> None:
    value: dict[str, Any] = {"version": 1, "filter": {}, "page": {}}
    del value[missing]
    with pytest.raises(SwitchboardError) as refused:
        decode_dlq_query(value)
    assert refused.value.field == missing


def test_a_set_is_a_filter_that_narrows_or_everything_said_so() -> None:
    assert decode_matching(MatchingBody({"kind": "mail"})) == JobFilter(kind="mail")
    assert decode_matching(MatchingBody({}, all=True)) == JobFilter()
