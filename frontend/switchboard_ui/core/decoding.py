"""Answers to data: strict JSON, the observation, and the payload as its wire dataclass."""

from __future__ import annotations

from typing import Any, TypeVar

from switchboard_ui.core.outcomes import Decoded, ProtocolError
from switchboard_ui.ports import Response
from switchboard_wire.decoder import decode_json
from switchboard_wire.envelope import EnvelopeError, decode_envelope, decode_observation_headers
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.shape import decode

T = TypeVar("T")

SAFE_INTEGER = 2**53 - 1
MAX_NESTING = 64


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


def decode_mutation(shape: type[T], response: Response) -> T:
    """The answer of a mutation, which is no observation. Raises ProtocolError."""
    return _payload(shape, _json(response))
