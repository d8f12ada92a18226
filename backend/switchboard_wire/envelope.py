"""The versioned envelope of the strict reads (observation contract), both ways, and the observation headers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from .errors import SwitchboardError, invalid
from .instants import format_instant, parse_instant
from .job_filter import JobFilter, JobPage, decode_job_filter
from .shape import Between, decode

VERSION = 1
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Observation:
    """When the source was read, when this answer was given, and the age of a cached observation in milliseconds."""

    observed_at: datetime
    served_at: datetime
    cache_age_ms: Annotated[int, Between(0, 2**53 - 1)]


@dataclass(frozen=True, slots=True)
class JobsQuery:
    """The body of POST /api/v1/jobs/query."""

    filter: JobFilter
    page: JobPage


@dataclass(frozen=True, slots=True)
class _QueryBody:
    version: int
    filter: dict[str, Any]
    page: JobPage


def decode_jobs_query(value: Any) -> JobsQuery:
    """`{"version": 1, "filter": {}, "page": {}}`, all three required. Raises SwitchboardError(invalid_argument)."""
    body = decode_versioned(_QueryBody, value)
    return JobsQuery(filter=decode_job_filter(body.filter), page=body.page)


@dataclass(frozen=True, slots=True)
class _CountBody:
    version: int
    filter: dict[str, Any]


def decode_jobs_count(value: Any) -> JobFilter:
    """`{"version": 1, "filter": {}}`, both required. Raises SwitchboardError(invalid_argument)."""
    return decode_job_filter(decode_versioned(_CountBody, value).filter)


def decode_versioned(shape: type[T], value: Any) -> T:
    """The version goes first: a body of another version is not to be judged by this version's rules."""
    if isinstance(value, dict) and "version" in value:
        check_version(value["version"])
    return decode(shape, value)


def check_version(version: Any) -> None:
    """Exactly the integer 1. Raises SwitchboardError(invalid_argument) that names `version`."""
    if not isinstance(version, int) or isinstance(version, bool) or version != VERSION:
        raise invalid("version", f"This server speaks version {VERSION} of this read only.")


@dataclass(frozen=True, slots=True)
class _Envelope:
    version: int
    data: Any
    observation: Observation


class EnvelopeError(ValueError):
    """An answer that is not this protocol, although it may be HTTP 200."""

    def __init__(self, message: str, *, wrong_version: bool = False) -> None:
        super().__init__(message)
        self.wrong_version = wrong_version


def decode_envelope(value: Any) -> tuple[Any, Observation]:
    """Data and observation of a strict read's answer. Raises EnvelopeError."""
    try:
        envelope = decode_versioned(_Envelope, value)
    except SwitchboardError as error:
        raise EnvelopeError(f"{error.field}: {error.message}", wrong_version=error.field == "version") from error
    return envelope.data, envelope.observation


OBSERVED_AT, SERVED_AT, CACHE_AGE_MS = "observed-at", "served-at", "cache-age-ms"


def observation_headers(observation: Observation) -> dict[str, str]:
    """The same facts as headers, for reads whose payload keeps its shape."""
    return {
        OBSERVED_AT: format_instant(observation.observed_at),
        SERVED_AT: format_instant(observation.served_at),
        CACHE_AGE_MS: str(observation.cache_age_ms),
    }


def decode_observation_headers(headers: Mapping[str, str]) -> Observation:
    """The observation of an owning read; header names in lower case. Raises EnvelopeError."""
    try:
        age = headers[CACHE_AGE_MS]
        if not (age.isascii() and age.isdigit() and len(age) <= 16):
            raise ValueError("not a whole number of milliseconds")
        return Observation(parse_instant(headers[OBSERVED_AT]), parse_instant(headers[SERVED_AT]), int(age))
    except (KeyError, ValueError) as error:
        raise EnvelopeError(f"The answer does not tell when it was observed ({error}).") from error
