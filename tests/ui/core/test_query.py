"""Exact keys: what is the same read and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard_ui.core.query import Floor, Query, covers, strict_request
from switchboard_ui.ports import Request

from .fakes import decode


def make(request: Request, scope: str = "jobs", **options: Any) -> Query[Any]:
    return Query(scope, request, decode, Floor.UNCACHED, options.pop("cadence", 5.0), **options)


def strict(job_filter: dict[str, Any], page: dict[str, Any] | None = None) -> Query[Any]:
    return make(strict_request("/api/v1/jobs/query", job_filter, page))


def test_a_strict_request_is_the_versioned_envelope() -> None:
    assert strict_request("/api/v1/jobs/query", {"kind": "mail"}, {"limit": 50}) == Request(
        "POST", "/api/v1/jobs/query", '{"filter":{"kind":"mail"},"page":{"limit":50},"version":1}'
    )


def test_a_count_has_no_page() -> None:
    assert strict_request("/api/v1/jobs/count", {}).body == '{"filter":{},"version":1}'


def test_the_order_in_which_a_filter_was_chosen_makes_no_other_key() -> None:
    one = strict({"states": ["failed", "dead"], "tags": ["b", "a"], "ids": [10, 9]}, {"limit": 50})
    two = strict({"ids": [9, 10], "tags": ["a", "b"], "states": ["dead", "failed"]}, {"limit": 50})
    assert one.key == two.key
    assert one.request.body is not None
    assert '"ids":[9,10]' in one.request.body


def test_a_body_written_by_hand_is_normalised_the_same_way() -> None:
    by_hand = make(
        Request("POST", "/api/v1/jobs/query", '{ "version": 1, "filter": {"tags": ["b", "a"]}, "page": {} }')
    )
    assert by_hand.key == strict({"tags": ["a", "b"]}, {}).key


@pytest.mark.parametrize(
    "other",
    [
        strict({"kind": "mail"}, {"limit": 51}),
        strict({"kind": "mail"}, {"limit": 50, "before_id": 7}),
        strict({"kind": "mails"}, {"limit": 50}),
        strict({"kind": "mail", "queue": "q"}, {"limit": 50}),
        strict({"kind": "mail"}),
        strict({}, {"limit": 50}),
        make(strict_request("/api/v1/dlq/query", {"kind": "mail"}, {"limit": 50})),
        make(strict_request("/api/v1/jobs/query", {"kind": "mail"}, {"limit": 50}), scope="dlq"),
    ],
)
def test_another_filter_page_route_or_scope_is_another_key(other: Query[Any]) -> None:
    assert strict({"kind": "mail"}, {"limit": 50}).key != other.key


def test_parameters_of_a_get_are_in_the_key_in_any_order() -> None:
    assert make(Request("GET", "/api/jobs?limit=5&kind=a")).key == make(Request("GET", "/api/jobs?kind=a&limit=5")).key
    assert make(Request("GET", "/api/jobs?limit=5")).key != make(Request("GET", "/api/jobs")).key


def test_large_ids_stay_exact_in_the_key() -> None:
    assert strict({"ids": [9007199254740993]}).key != strict({"ids": [9007199254740992]}).key


def test_a_key_shows_no_filter_when_printed() -> None:
    secret = strict({"tags": ["patient-4711"]})
    by_get = make(Request("GET", "/api/jobs?kind=patient-4711"))
    assert "4711" not in repr(secret.key)
    assert repr(by_get.key) == "QueryKey(jobs: GET /api/jobs)"


def test_the_route_is_the_capability_unless_it_is_named() -> None:
    assert strict({"kind": "a"}).terms.route == strict({"kind": "b"}).terms.route == "POST /api/v1/jobs/query"
    assert make(Request("GET", "/api/jobs?kind=a")).terms.route == "GET /api/jobs"
    assert make(Request("GET", "/api/jobs/7"), route="GET /api/jobs/{id}").terms.route == "GET /api/jobs/{id}"


@pytest.mark.parametrize("cadence", [0.0, -1.0, float("inf"), float("nan"), 3601.0])
def test_a_cadence_is_finite_positive_and_at_most_an_hour(cadence: float) -> None:
    with pytest.raises(ValueError, match="cadence must be above 0 and at most 3600 seconds"):
        make(Request("GET", "/api/jobs"), cadence=cadence)


@pytest.mark.parametrize("body", ["", "{", "[" * 100_000])
def test_a_body_that_is_not_json_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match="the body of a read must be JSON"):
        make(Request("POST", "/api/v1/jobs/query", body))


def test_a_mark_on_a_scope_covers_all_below_it_and_nothing_beside_it() -> None:
    def job(scope: str) -> bool:
        return covers("jobs", make(Request("GET", "/x"), scope=scope).key)

    assert [job("jobs"), job("jobs/7"), job("jobs-count"), job("job"), job("dlq/jobs")] == [
        True,
        True,
        False,
        False,
        False,
    ]
