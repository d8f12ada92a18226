"""What the board reads: the queues with their admission, and the jobs that wait."""

from __future__ import annotations

from typing import Any, TypeVar

from switchboard_ui.core.outcomes import Decoded, ProtocolError
from switchboard_ui.core.query import Floor, Query, strict_request
from switchboard_ui.ports import Request, Response
from switchboard_wire.decoder import decode_json
from switchboard_wire.envelope import EnvelopeError, decode_envelope, decode_observation_headers
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.job_filter import JobFilter, filter_to_plain
from switchboard_wire.reads import Capabilities, JobsPage, QueuesPage
from switchboard_wire.shape import decode
from switchboard_wire.todo import TodoState

T = TypeVar("T")

SAFE_INTEGER = 2**53 - 1
MAX_NESTING = 64
CADENCE_SECONDS = 5.0
SHOWN_JOBS = 200


def _json(response: Response) -> Any:
    try:
        return decode_json(response.text, max_nesting=MAX_NESTING, max_integer=SAFE_INTEGER)
    except SwitchboardError as error:
        raise ProtocolError(error.message) from error


def _payload(shape: type[T], value: Any) -> T:
    try:
        return decode(shape, value, "data", refuse_unknown=False)
    except SwitchboardError as error:
        raise ProtocolError(f"{error.field}: {error.message}") from error


def decode_owning_read(shape: type[T], response: Response) -> Decoded[T]:
    """A read whose observation is in its headers. Raises ProtocolError."""
    try:
        observation = decode_observation_headers(response.headers)
    except EnvelopeError as error:
        raise ProtocolError(str(error)) from error
    data = _payload(shape, _json(response))
    return Decoded(data, observation.observed_at, observation.served_at, observation.cache_age_ms)


def decode_strict_read(shape: type[T], response: Response) -> Decoded[T]:
    """A read in the versioned envelope. Raises ProtocolError."""
    try:
        data, observation = decode_envelope(_json(response))
    except EnvelopeError as error:
        raise ProtocolError(str(error), wrong_version=error.wrong_version) from error
    return Decoded(_payload(shape, data), observation.observed_at, observation.served_at, observation.cache_age_ms)


def queues_query() -> Query[QueuesPage]:
    return Query(
        scope="queues",
        request=Request("GET", "/api/queues"),
        decode=lambda response: decode_owning_read(QueuesPage, response),
        floor=Floor.CACHED,
        cadence=CADENCE_SECONDS,
    )


def waiting_jobs_query() -> Query[JobsPage]:
    """The newest pending jobs over all queues of the viewer."""
    waiting = JobFilter(states=(TodoState.PENDING,))
    return Query(
        scope="jobs",
        request=strict_request("/api/v1/jobs/query", filter_to_plain(waiting), {"limit": SHOWN_JOBS}),
        decode=lambda response: decode_strict_read(JobsPage, response),
        floor=Floor.CACHED,
        cadence=CADENCE_SECONDS,
    )


def capabilities_query() -> Query[Capabilities]:
    """Tells which database answers (D29). Advisory: each answer is checked on its own."""
    return Query(
        scope="capabilities",
        request=Request("GET", "/api/capabilities"),
        decode=lambda response: decode_owning_read(Capabilities, response),
        floor=Floor.CACHED,
        cadence=30.0,
    )
