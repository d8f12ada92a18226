"""A filter in words: the set is named as a person would name it, and each demand is told."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from switchboard_ui.core.filter_words import filter_words
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.todo import TodoState
from tests.ui.views.samples import BERLIN, NOW

MORNING, EVENING = datetime(2026, 12, 1, 7, 0, tzinfo=UTC), datetime(2026, 12, 2, 17, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("job_filter", "words"),
    [
        (JobFilter(), "all todos"),
        (JobFilter(queue="mail"), "todos of queue mail"),
        (JobFilter(queue="mail", kind="report"), "todos of queue mail and kind report"),
        (JobFilter(states=(TodoState.DEAD,)), "dead todos"),
        (JobFilter(states=(TodoState.FAILED, TodoState.DEAD)), "failed or dead todos"),
        (JobFilter(tags=("a",)), "todos, tagged a"),
        (
            JobFilter(queue="mail", states=(TodoState.DEAD,), tags=("a", "b", "c")),
            "dead todos of queue mail, tagged a, b and c",
        ),
        (JobFilter(ids=(7,)), "todo #7"),
        (JobFilter(ids=(7, 8, 9), states=(TodoState.DEAD,)), "dead todos #7, #8 and #9"),
        (JobFilter(ids=tuple(range(1, 1001))), "todos among 1,000 given by number"),
        (JobFilter(created_at_gte=MORNING), "todos, created from 08:00 CET"),
        (JobFilter(created_at_lt=EVENING), "todos, created before Wed 2 Dec 18:00 CET"),
        (
            JobFilter(kind="report", created_at_gte=MORNING, created_at_lt=EVENING),
            "todos of kind report, created from 08:00 CET and before Wed 2 Dec 18:00 CET",
        ),
    ],
)
def test_each_demand_is_told_once(job_filter: JobFilter, words: str) -> None:
    assert filter_words(job_filter, ZoneInfo(BERLIN), NOW) == words
