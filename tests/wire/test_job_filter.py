"""A filter has one normal form, which the server runs and the tab keys its queries by (D27)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_wire.decoder import decode_json
from switchboard_wire.envelope import JobsQuery, decode_jobs_query
from switchboard_wire.job_filter import JobFilter, JobPage, decode_job_filter, filter_key, filter_to_plain
from switchboard_wire.todo import TodoState

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=200)
INSTANTS = st.datetimes(timezones=st.just(UTC))


@st.composite
def filters(draw: st.DrawFn) -> dict[str, Any]:
    """The members of a legal filter, their arrays in any order."""
    earlier, later = sorted(draw(st.tuples(INSTANTS, INSTANTS).filter(lambda pair: pair[0] != pair[1])))
    members = {
        "ids": st.lists(st.integers(1, 2**63 - 1), min_size=1, max_size=8, unique=True),
        "kind": NAMES,
        "queue": NAMES,
        "states": st.lists(st.sampled_from([state.value for state in TodoState]), min_size=1, unique=True),
        "tags": st.lists(NAMES, min_size=1, max_size=5, unique=True),
        "created_at_gte": st.just(earlier.isoformat()),
        "created_at_lt": st.just(later.isoformat()),
    }
    return draw(st.fixed_dictionaries({}, optional=members))


def test_an_empty_filter_matches_by_nothing() -> None:
    assert decode_job_filter({}) == JobFilter()
    assert filter_key(JobFilter()) == "{}"


def test_arrays_are_put_in_one_order_and_instants_in_utc() -> None:
    decoded = decode_job_filter(
        {
            "tags": ["b", "a"],
            "states": ["dead", "pending", "claimed"],
            "ids": [30, 4],
            "created_at_gte": "2026-09-22T10:00:00-07:00",
        }
    )
    assert decoded == JobFilter(
        ids=(4, 30),
        states=(TodoState.PENDING, TodoState.CLAIMED, TodoState.DEAD),
        tags=("a", "b"),
        created_at_gte=datetime(2026, 9, 22, 17, tzinfo=UTC),
    )
    assert filter_key(decoded) == (
        '{"ids":[4,30],"states":["pending","claimed","dead"],"tags":["a","b"],"created_at_gte":"2026-09-22T17:00:00Z"}'
    )


@given(filters(), st.randoms(use_true_random=False))
def test_the_order_of_members_and_items_does_not_matter(members: dict[str, Any], random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return random.sample(value, len(value))
        return value

    other = {name: shuffled(members[name]) for name in random.sample(list(members), len(members))}
    assert decode_job_filter(other) == decode_job_filter(members)
    assert filter_key(decode_job_filter(other)) == filter_key(decode_job_filter(members))


@given(filters())
def test_the_normal_form_is_read_back_as_itself(members: dict[str, Any]) -> None:
    normal = decode_job_filter(members)
    assert decode_job_filter(filter_to_plain(normal)) == normal
    assert decode_job_filter(decode_json(filter_key(normal))) == normal


@given(filters(), filters())
def test_different_filters_have_different_keys(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = decode_job_filter(one), decode_job_filter(other)
    assert (filter_key(first) == filter_key(second)) == (first == second)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ({}, JobPage(None, 50)),
        ({"limit": 1}, JobPage(None, 1)),
        ({"before_id": 2**63 - 1, "limit": 1000}, JobPage(2**63 - 1, 1000)),
    ],
)
def test_a_page_holds_fifty_jobs_unless_asked_otherwise(page: dict[str, int], expected: JobPage) -> None:
    assert decode_jobs_query({"version": 1, "filter": {}, "page": page}) == JobsQuery(JobFilter(), expected)
