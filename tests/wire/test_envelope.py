"""The strict read's envelope and the observation headers, as a client of this version must judge them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard_wire.envelope import (
    EnvelopeError,
    Observation,
    decode_envelope,
    decode_observation_headers,
    observation_headers,
)

OBSERVATION = {
    "observed_at": "2026-09-22T17:00:00Z",
    "served_at": "2026-09-22T17:00:00.250000Z",
    "cache_age_ms": 250,
}
OBSERVED = Observation(datetime(2026, 9, 22, 17, tzinfo=UTC), datetime(2026, 9, 22, 17, 0, 0, 250_000, tzinfo=UTC), 250)


def test_an_envelope_gives_its_data_untouched_and_its_observation() -> None:
    data = {"jobs": [], "anything": {"nested": [1.5, None]}}
    assert decode_envelope({"version": 1, "data": data, "observation": OBSERVATION}) == (data, OBSERVED)


@pytest.mark.parametrize(
    ("envelope", "wrong_version"),
    [
        ({"version": 2, "data": {}, "observation": OBSERVATION}, True),
        ({"version": 1.0, "data": {}, "observation": OBSERVATION}, True),
        ({"version": True, "data": {}, "observation": OBSERVATION}, True),
        ({"version": "1", "data": {}, "observation": OBSERVATION}, True),
        ({"version": 2, "rows": []}, True),
        ({"data": {}, "observation": OBSERVATION}, True),
        ({"version": 1, "observation": OBSERVATION}, False),
        ({"version": 1, "data": {}}, False),
        ({"version": 1, "data": {}, "observation": None}, False),
        ({"version": 1, "data": {}, "observation": OBSERVATION, "more": 1}, False),
        ({"version": 1, "data": {}, "observation": OBSERVATION | {"served_at": "2026-09-22T17:00:00"}}, False),
        ({"version": 1, "data": {}, "observation": OBSERVATION | {"cache_age_ms": -1}}, False),
        ({"version": 1, "data": {}, "observation": OBSERVATION | {"cache_age_ms": 2**53}}, False),
        ({"version": 1, "data": {}, "observation": OBSERVATION | {"cache_age_ms": 0.5}}, False),
        ([], False),
        (None, False),
        ("<!doctype html>", False),
    ],
)
def test_anything_else_is_not_this_protocol(envelope: Any, wrong_version: bool) -> None:
    with pytest.raises(EnvelopeError) as error:
        decode_envelope(envelope)
    assert error.value.wrong_version is wrong_version


def test_the_headers_say_what_the_envelope_says() -> None:
    headers = observation_headers(OBSERVED)
    assert headers == {
        "observed-at": "2026-09-22T17:00:00Z",
        "served-at": "2026-09-22T17:00:00.250000Z",
        "cache-age-ms": "250",
    }
    assert decode_observation_headers(headers) == OBSERVED


@pytest.mark.parametrize(
    "wrong",
    [
        {"observed-at": None},
        {"served-at": None},
        {"cache-age-ms": None},
        {"observed-at": "yesterday"},
        {"cache-age-ms": ""},
        {"cache-age-ms": "-1"},
        {"cache-age-ms": "1.5"},
        {"cache-age-ms": "٣"},
        {"cache-age-ms": "1" * 17},
    ],
)
def test_an_answer_without_its_observation_is_not_taken(wrong: dict[str, str | None]) -> None:
    headers = {name: value for name, value in (observation_headers(OBSERVED) | wrong).items() if value is not None}
    with pytest.raises(EnvelopeError):
        decode_observation_headers(headers)
