"""What an answer means."""

from __future__ import annotations

import json
from typing import Any

import pytest

from switchboard_ui.core.outcomes import Consequence, Decoded, Failure, FailureKind, ProtocolError, classify
from switchboard_ui.core.retry_after import retry_after_seconds
from switchboard_ui.ports import Response

from .fakes import HTML, JSON, NOON, decode, error, ok

DEEP = pytest.param("[" * 100_000, id="nested without end")


def kind_of(response: Response, **options: Any) -> str:
    outcome = classify(response, decode, **options)
    return outcome.kind if isinstance(outcome, Failure) else "success"


def test_a_json_answer_that_the_decoder_accepts_is_a_success() -> None:
    assert classify(ok([1], age=700), decode) == Decoded([1], NOON, NOON, 700)


@pytest.mark.parametrize("mime", ["application/json", "Application/JSON; charset=utf-8", " application/json ;x=y"])
def test_the_json_mime_type_is_recognised_in_every_spelling(mime: str) -> None:
    assert kind_of(Response(200, '{"version": 1, "data": 0}', {"content-type": mime})) == "success"


@pytest.mark.parametrize("mime", ["text/html", "text/json", "application/jsonp", "application/problem+json", ""])
def test_any_other_mime_type_is_a_protocol_error_even_with_a_json_body(mime: str) -> None:
    assert kind_of(Response(200, '{"version": 1, "data": 0}', {"content-type": mime})) == "not_json"


def test_an_answer_without_a_mime_type_is_a_protocol_error() -> None:
    assert kind_of(Response(200, '{"version": 1, "data": 0}')) == "not_json"


def test_login_html_is_a_protocol_error_and_not_an_empty_result() -> None:
    assert kind_of(HTML) == "not_json"


def test_a_followed_redirect_is_a_protocol_error_whatever_it_led_to() -> None:
    for response in (ok([]), error(401, "unauthenticated"), HTML):
        assert kind_of(Response(response.status, response.text, response.headers, redirected=True)) == "redirected"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (204, "malformed"),
        (206, "malformed"),
        (304, "malformed"),
        (0, "network"),
        (400, "invalid"),
        (401, "signed_out"),
        (403, "forbidden"),
        (404, "route_absent"),
        (405, "route_absent"),
        (408, "network"),
        (409, "invalid"),
        (413, "invalid"),
        (415, "invalid"),
        (429, "overloaded"),
        (500, "server_error"),
        (501, "route_absent"),
        (502, "server_error"),
        (503, "overloaded"),
        (504, "server_error"),
        (599, "server_error"),
    ],
)
@pytest.mark.parametrize("structured", [True, False])
def test_each_status_has_one_meaning_with_or_without_a_structured_error(
    status: int, kind: str, structured: bool
) -> None:
    html = Response(status, "<h1>Oops</h1>", {"content-type": "text/html"})
    assert kind_of(error(status, "some_code") if structured else html) == kind


@pytest.mark.parametrize("kind", list(FailureKind))
def test_every_failure_has_a_consequence(kind: FailureKind) -> None:
    assert isinstance(kind.consequence, Consequence)


def test_the_servers_own_words_are_kept() -> None:
    assert classify(error(400, "invalid_filter", field="filter.states"), decode) == Failure(
        FailureKind.INVALID, "invalid_filter", "about invalid_filter", "filter.states"
    )


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        '{"error": "no"}',
        '{"error": {}}',
        '{"error": {"code": 7, "message": [], "field": 1}}',
        DEEP,
    ],
)
def test_an_error_body_that_is_not_structured_leaves_the_status_as_its_code(body: str) -> None:
    assert classify(Response(400, body, JSON), decode) == Failure(FailureKind.INVALID, "http_400")


def test_a_message_without_end_is_cut() -> None:
    body = {"error": {"code": "x", "message": "m" * 10_000}}
    failure = classify(Response(500, json.dumps(body), JSON), decode)
    assert isinstance(failure, Failure)
    assert failure.message == "m" * 500


def test_a_missing_row_is_told_from_a_missing_route() -> None:
    assert kind_of(error(404, "not_found"), may_be_gone=True) == "gone"
    assert kind_of(error(404, "not_found")) == "route_absent"
    assert kind_of(error(404, "unknown_route"), may_be_gone=True) == "route_absent"
    assert kind_of(error(405, "not_found"), may_be_gone=True) == "route_absent"
    html = Response(404, "<h1>Not found</h1>", {"content-type": "text/html"})
    assert kind_of(html, may_be_gone=True) == "route_absent"


def test_a_wrong_version_is_told_from_a_malformed_answer() -> None:
    assert kind_of(Response(200, '{"version": 2, "data": 0}', JSON)) == "wrong_version"

    def refuse(_: Response) -> Decoded[Any]:
        raise ProtocolError("observed_at is not an instant")

    assert classify(ok(0), refuse) == Failure(FailureKind.MALFORMED, "malformed", "observed_at is not an instant")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 1}', DEEP])
def test_a_decoder_that_trips_makes_a_malformed_answer(text: str) -> None:
    assert kind_of(Response(200, text, JSON)) == "malformed"


@pytest.mark.parametrize("age", [-1, 10**13, 10**400])
def test_a_negative_or_absurd_cache_age_is_malformed(age: int) -> None:
    assert kind_of(ok(0, age=age)) == "malformed"


@pytest.mark.parametrize(("status", "expected"), [(429, 7.0), (503, 7.0), (500, None), (400, None), (401, None)])
def test_retry_after_counts_with_429_and_503(status: int, expected: float | None) -> None:
    failure = classify(error(status, "x", {"retry-after": "7"}), decode)
    assert isinstance(failure, Failure)
    assert failure.retry_after == expected


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("5", 5.0),
        (" 120 ", 120.0),
        ("0005", 5.0),
        ("999999999", 999999999.0),
        ("1000000000", 1e9),
        pytest.param("9" * 5000, 1e9, id="5000 digits"),
        ("", None),
        ("-5", None),
        ("+5", None),
        ("1.5", None),
        ("1e3", None),
        ("inf", None),
        ("nan", None),
        ("5, 10", None),
        ("soon", None),
        ("٥", None),
        ("²", None),
        ("Mon, 99 Foo 2026 12:00:00 GMT", None),
        ("\x00", None),
    ],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after_seconds({"retry-after": value}) == seconds


def test_an_absent_retry_after_is_no_hint() -> None:
    assert retry_after_seconds({}) is None


@pytest.mark.parametrize(
    ("until", "seconds"),
    [
        ("Mon, 02 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 02 Nov 2026 11:00:00 GMT", 0.0),
        ("Mon, 02 Nov 9999 12:00:00 GMT", 1e9),
        ("Mon, 02 Nov 2026 12:00:30 -0000", None),
    ],
)
def test_retry_after_as_a_date_is_measured_by_the_servers_own_clock(until: str, seconds: float | None) -> None:
    headers = {"retry-after": until, "date": "Mon, 02 Nov 2026 12:00:00 GMT"}
    assert retry_after_seconds(headers) == seconds


@pytest.mark.parametrize("date", [{}, {"date": ""}, {"date": "yesterday"}])
def test_a_date_without_the_servers_clock_is_no_hint(date: dict[str, str]) -> None:
    assert retry_after_seconds({"retry-after": "Mon, 02 Nov 2026 12:00:30 GMT", **date}) is None
