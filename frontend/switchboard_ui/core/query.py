"""What a view asks for: one read with its exact key and the terms under which it is refreshed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from switchboard_ui.core.outcomes import Decoded
from switchboard_ui.ports import Request, Response

T = TypeVar("T")
MAX_CADENCE = 3600.0


class Floor(StrEnum):
    """Which least pause between two reads of the key applies."""

    CACHED = "cached"
    UNCACHED = "uncached"


@dataclass(frozen=True, slots=True, repr=False)
class QueryKey:
    """The exact identity of a read: read scope, route, full normalised filter and page.

    The backend is not a part of it, since the scheduler fences on the backend's epoch. Equal keys share one read.
    """

    scope: str
    method: str
    path: str
    body: str

    def __repr__(self) -> str:
        # Filters must not reach a log by way of an error message.
        return f"QueryKey({self.scope}: {self.method} {self.path.partition('?')[0]})"


@dataclass(frozen=True, slots=True)
class Terms:
    """How the scheduler treats a key.

    `cadence`: seconds from a success to the next periodic read, None for the watchdog alone. `manual`: read when
    registered and on request only. `route`: the capability the read needs; keys of one route share its reprobe time.
    """

    floor: Floor
    cadence: float | None
    manual: bool
    route: str


@dataclass(frozen=True, slots=True)
class Query(Generic[T]):
    """One read of a view.

    `scope` names what is read, in segments ("jobs", "jobs/7"), and is what a mutation marks dirty. `decode` turns an
    answer into data and raises ProtocolError when it is not what the protocol promises. `may_be_gone`: the path names
    one row, so a structured 404 with the code "not_found" means that the row is gone, not that the route is missing.
    Raises ValueError for a cadence that is not finite, positive and at most an hour, or a body that is not JSON.
    """

    scope: str
    request: Request
    decode: Callable[[Response], Decoded[T]] = field(repr=False)
    floor: Floor
    cadence: float | None
    manual: bool = False
    may_be_gone: bool = False
    route: str = ""
    key: QueryKey = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if self.cadence is not None and not (math.isfinite(self.cadence) and 0 < self.cadence <= MAX_CADENCE):
            raise ValueError(f"cadence must be above 0 and at most {MAX_CADENCE:g} seconds, not {self.cadence!r}")
        request = self.request
        body = "" if request.body is None else _normal_body(request.body)
        key = QueryKey(self.scope, request.method, _normal_path(request.path), body)
        object.__setattr__(self, "key", key)
        if not self.route:
            object.__setattr__(self, "route", f"{request.method} {request.path.partition('?')[0]}")

    @property
    def terms(self) -> Terms:
        return Terms(self.floor, self.cadence, self.manual, self.route)


def strict_request(path: str, job_filter: Mapping[str, Any], page: Mapping[str, Any] | None = None) -> Request:
    """The request of a strict read: version 1, the filter, and the page unless it is a count.

    Its body is normalised, so that one population has one key, in whatever order its parts were chosen.
    """
    envelope: dict[str, Any] = {"version": 1, "filter": dict(job_filter)}
    if page is not None:
        envelope["page"] = dict(page)
    return Request("POST", path, _normal(envelope))


def covers(scope: str, key: QueryKey) -> bool:
    """Whether a mark on `scope` concerns `key`: "jobs" covers "jobs" and "jobs/7", "job" covers neither."""
    return key.scope == scope or key.scope.startswith(scope + "/")


def _normal_body(body: str) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError("the body of a read must be JSON") from error
    return _normal(value)


def _normal(value: Any) -> str:
    if isinstance(value, dict) and isinstance(value.get("filter"), dict):
        # Every list of a filter is a set (D27): any of the states, all of the tags.
        chosen = {name: _sorted(part) if isinstance(part, list) else part for name, part in value["filter"].items()}
        value = {**value, "filter": chosen}
    return _dump(value)


def _sorted(values: list[Any]) -> list[Any]:
    if all(type(value) is int for value in values):
        return sorted(values)
    return sorted(values, key=_dump)


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _normal_path(path: str) -> str:
    bare, mark, parameters = path.partition("?")
    return bare + mark + "&".join(sorted(parameters.split("&")))
