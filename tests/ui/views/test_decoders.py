"""The page believes only what is whole and of the protocol; anything else it names and shows nothing of."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard_ui.core.board_queries import queues_query, waiting_jobs_query
from switchboard_ui.core.capabilities_query import capabilities_query
from switchboard_ui.core.decoding import SAFE_INTEGER
from switchboard_ui.core.outcomes import Decoded, Failure, FailureKind, classify
from switchboard_ui.core.query import Query
from switchboard_ui.ports import Response
from switchboard_wire.encode import to_plain
from tests.ui.views.samples import EXHAUSTED, budget, overview, queues, todo

QUEUES, JOBS, CAPABILITIES = queues_query(), waiting_jobs_query(), capabilities_query()
JSON = {"content-type": "application/json"}
HEADERS = JSON | {
    "observed-at": "2026-12-01T07:30:00Z",
    "served-at": "2026-12-01T07:30:01Z",
    "cache-age-ms": "1000",
}
OBSERVATION = {"observed_at": "2026-12-01T07:30:00Z", "served_at": "2026-12-01T07:30:01Z", "cache_age_ms": 1000}


def queues_answer() -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(queues(overview(policy=budget(100), status=EXHAUSTED, used=100, pending=12)))
    return plain


def jobs_answer(**more: Any) -> dict[str, Any]:
    data = {"jobs": [to_plain(todo(7, admission=EXHAUSTED))], "next_before_id": None}
    return {"version": 1, "data": data, "observation": OBSERVATION} | more


def read(query: Query[Any], body: Any, headers: dict[str, str] | None = None) -> Decoded[Any] | Failure:
    text = body if isinstance(body, str) else json.dumps(body)
    return classify(Response(200, text, headers or (HEADERS if query is not JOBS else JSON)), query.decode)


def refused(query: Query[Any], body: Any, headers: dict[str, str] | None = None) -> Failure:
    outcome = read(query, body, headers)
    assert isinstance(outcome, Failure)
    return outcome


def test_what_the_server_writes_is_read_back_whole() -> None:
    outcome = read(QUEUES, queues_answer())
    assert isinstance(outcome, Decoded)
    assert outcome.data == queues(overview(policy=budget(100), status=EXHAUSTED, used=100, pending=12))
    assert outcome.observed_at == datetime(2026, 12, 1, 7, 30, tzinfo=UTC)
    assert outcome.cache_age_ms == 1000
    listed = read(JOBS, jobs_answer())
    assert isinstance(listed, Decoded)
    assert listed.data.jobs == (todo(7, admission=EXHAUSTED),)
    assert (listed.observed_at, listed.cache_age_ms) == (outcome.observed_at, 1000)


def test_the_largest_exact_integer_is_taken_and_the_next_refused_with_a_message() -> None:
    answer = jobs_answer()
    answer["data"]["jobs"][0]["id"] = SAFE_INTEGER
    outcome = read(JOBS, answer)
    assert isinstance(outcome, Decoded)
    assert outcome.data.jobs[0].id == 9_007_199_254_740_991
    answer["data"]["jobs"][0]["id"] = SAFE_INTEGER + 1
    failure = refused(JOBS, answer)
    assert failure.kind is FailureKind.MALFORMED
    assert failure.message == (
        "The number 9007199254740992 is beyond 9007199254740991, which this client holds exactly."
    )


@pytest.mark.parametrize("query", [QUEUES, JOBS, CAPABILITIES], ids=["queues", "jobs", "capabilities"])
def test_a_page_instead_of_data_is_not_the_protocol(query: Query[Any]) -> None:
    html = Response(200, "<!doctype html><title>Sign in</title>", HEADERS | {"content-type": "text/html"})
    outcome = classify(html, query.decode)
    assert isinstance(outcome, Failure)
    assert (outcome.kind, outcome.kind.unsupported) == (FailureKind.NOT_JSON, True)


def test_a_page_that_calls_itself_data_is_malformed() -> None:
    assert refused(QUEUES, "<!doctype html>").kind is FailureKind.MALFORMED


@pytest.mark.parametrize("version", [0, 2, 1.0, True, "1", None])
def test_another_version_is_named_as_such(version: Any) -> None:
    failure = refused(JOBS, jobs_answer(version=version))
    assert failure.kind is FailureKind.WRONG_VERSION
    assert "version" in failure.message


@pytest.mark.parametrize("name", ["version", "data", "observation"])
def test_an_envelope_with_a_part_missing_is_refused(name: str) -> None:
    answer = jobs_answer()
    del answer[name]
    failure = refused(JOBS, answer)
    assert failure.kind in (FailureKind.MALFORMED, FailureKind.WRONG_VERSION)
    assert name in failure.message


def test_an_unknown_member_of_the_envelope_is_refused() -> None:
    failure = refused(JOBS, jobs_answer(next="elsewhere"))
    assert (failure.kind, "next" in failure.message) == (FailureKind.MALFORMED, True)
    answer = jobs_answer()
    answer["observation"] = OBSERVATION | {"region": "eu"}
    assert "observation.region" in refused(JOBS, answer).message


def test_unknown_members_of_the_payload_are_tolerated() -> None:
    answer = queues_answer()
    answer["total"] = 1
    answer["queues"][0]["colour"] = "green"
    answer["queues"][0]["admission"]["status"]["since"] = "2026-12-01T00:00:00Z"
    assert isinstance(read(QUEUES, answer), Decoded)
    listed = jobs_answer()
    listed["data"]["jobs"][0]["priority"] = 3
    assert isinstance(read(JOBS, listed), Decoded)


@pytest.mark.parametrize("name", ["observed-at", "served-at", "cache-age-ms"])
@pytest.mark.parametrize("value", [None, "", "yesterday", "-1", "1.5", "2026-12-01T07:30:00"])
def test_an_owning_read_without_its_observation_is_refused(name: str, value: str | None) -> None:
    headers = {key: text for key, text in HEADERS.items() if key != name} | ({} if value is None else {name: value})
    failure = refused(QUEUES, queues_answer(), headers)
    assert failure.kind is FailureKind.MALFORMED
    assert failure.message.startswith("The answer does not tell when it was observed")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("pending",), "12"),
        (("pending",), None),
        (("pending",), 1.5),
        (("pending_capped",), 0),
        (("admission", "queue"), 7),
        (("admission", "status", "state"), "perhaps"),
        (("admission", "status", "reason"), "bored"),
        (("admission", "window_resets_at"), "2026-12-01T08:00:00"),
        (("admission", "policy", "window", "period"), "month"),
    ],
)
def test_a_member_of_the_wrong_kind_is_named_by_its_path(path: tuple[str, ...], value: Any) -> None:
    answer = queues_answer()
    member = answer["queues"][0]
    for step in path[:-1]:
        member = member[step]
    member[path[-1]] = value
    failure = refused(QUEUES, answer)
    assert failure.kind is FailureKind.MALFORMED
    assert failure.message.startswith(f"data.queues[0].{'.'.join(path)}: ")


def test_a_missing_member_of_the_payload_is_named_by_its_path() -> None:
    answer = queues_answer()
    del answer["queues"][0]["admission"]["used"]
    assert refused(QUEUES, answer).message.startswith("data.queues[0].admission.used: ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '{"queues": []',
        '{"queues": [], "queues": []}',
        '{"queues": NaN}',
        '{"queues": [1e999]}',
        '{"queues": "\\ud800"}',
        '{"queues": ' + "[" * 200 + "]" * 200 + "}",
        '{"queues": [], "x": ' + "9" * 400 + "}",
    ],
)
def test_text_that_a_lenient_parser_would_take_is_refused(text: str) -> None:
    assert refused(QUEUES, text).kind is FailureKind.MALFORMED


def test_an_empty_list_is_an_answer() -> None:
    outcome = read(QUEUES, {"queues": []})
    assert isinstance(outcome, Decoded)
    assert outcome.data.queues == ()


def test_the_reads_are_those_of_the_protocol() -> None:
    assert (QUEUES.request.method, QUEUES.request.path) == ("GET", "/api/queues")
    assert (JOBS.request.method, JOBS.request.path) == ("POST", "/api/v1/jobs/query")
    assert json.loads(JOBS.request.body or "") == {
        "version": 1,
        "filter": {"states": ["pending"]},
        "page": {"limit": 200},
    }
