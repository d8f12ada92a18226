"""Inputs that come close to the contract, and what the decoders make of them.

Standard library and the wire contract only: the same file runs in the server's Python and in the tab's, and both must
say the same. Its randomness is its own, so that every Python draws the same inputs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

from switchboard_wire.decoder import decode_json
from switchboard_wire.encode import encode_json, to_plain
from switchboard_wire.envelope import decode_envelope, decode_jobs_count, decode_jobs_query
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.operator import decode_policy
from switchboard_wire.parameters import decode_parameters
from switchboard_wire.reads import JobsParameters
from switchboard_wire.shape import decode
from switchboard_wire.worker import ClaimNext, Complete, Enqueue

SEEDS = [
    b'{"version":1,"filter":{},"page":{}}',
    b'{"version":1,"filter":{"ids":[1,2,9007199254740993],"kind":"k","queue":"q","states":["pending","dead"],'
    b'"tags":["a","b"],"created_at_gte":"2026-11-02T08:00:00Z","created_at_lt":"2026-11-03T08:00:00.5+01:00"},'
    b'"page":{"before_id":7,"limit":50}}',
    b'{"version":1,"data":{"jobs":[]},"observation":{"observed_at":"2026-11-02T08:00:00Z",'
    b'"served_at":"2026-11-02T08:00:00Z","cache_age_ms":0}}',
    b'{"max_in_flight":5,"max_claims_per_window":100,"window":{"period":"week","tz":"Europe/Berlin","start":"08:00",'
    b'"weekday":"Mon"}}',
    b'{"queue":"q","kind":"k","title":"\xc3\xa4\\u00e4","payload":{"deep":[[[1.5e3,-0,null,true]]]},"tags":["x"]}',
    b'{"queues":["a"],"max":10,"lease_seconds":60,"worker":"w","fence":true}',
    b'{"todos":[{"todo_id":1,"result":1,"fence":"00000000-0000-0000-0000-000000000000"}],"next":{"max":2}}',
    b"queue=a%2Fb&state=pending&before_id=9&limit=50&tag=%C3%A4",
]
# fmt: off
PIECES = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"/", b"null", b"NaN", b"-Infinity", b"1e999", b"01", b"1.", b"-0",
    b"9" * 330, b"\\u0000", b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\x", b"\x00", b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"version"', b'"filter"', b'"page"', b"[" * 20, b'{"a":' * 20, b"\t",
    b"\r\n", b"\xe2\x80\xa8", b"&", b"=", b"%", b"%00", b"%ff", b"+", b" ",
]
# What a token may become without breaking the JSON around it.
TOKENS = [
    b"null", b"true", b"false", b"0", b"-1", b"1", b"1.0", b"1e0", b"2", b"200", b"1001", b"9007199254740993",
    b"9223372036854775807", b"9223372036854775808", b"[]", b"{}", b'""', b'"x"', b"[1,2]", b'["a","a"]', b'["pending"]',
    b'"pending"', b'"week"', b'"2026-11-02T08:00:00Z"', b'"2026-02-30T00:00:00Z"', b'"0000-00-00T00:00:00Z"',
    b'"2026-11-02T08:00:60Z"', b'"2026-11-02T08:00:00+24:00"', b'"ids"', b'"states"', b'"tags"', b'"limit"',
    b'"todo_id"', b'"version"', b'"' + b"x" * 201 + b'"',
]
# fmt: on
_TOKEN = re.compile(rb'"[^"\\]*"|-?[0-9][0-9.e]*|true|false|null|\[\]|\{\}')
READERS: list[Callable[[Any], Any]] = [
    decode_jobs_query,
    decode_jobs_count,
    decode_envelope,
    decode_policy,
    lambda value: decode(Enqueue, value),
    lambda value: decode(ClaimNext, value),
    lambda value: decode(Complete, value).completions(),
]


class Inputs:
    """Endless, the same for the same seed: a seed of ours, mutated a few times in a row."""

    def __init__(self, seed: int) -> None:
        self._state = seed * 2 + 1
        self._current = SEEDS[0]

    def draw(self, below: int) -> int:
        # the multiplier of PCG; its low bits are poor, so that the high ones are taken
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self._state >> 33) % below

    def next(self) -> bytes:
        if self.draw(2) == 0 or len(self._current) > 2000:
            self._current = SEEDS[self.draw(len(SEEDS))]
        text = bytearray(self._current)
        for _ in range(1 + self.draw(2)):
            tokens = list(_TOKEN.finditer(text))
            if tokens and self.draw(12):
                token = tokens[self.draw(len(tokens))]
                text[token.start() : token.end()] = TOKENS[self.draw(len(TOKENS))]
                continue
            at = self.draw(len(text) + 1)
            match self.draw(5):
                case 0:
                    del text[at : at + 1 + self.draw(12)]
                case 1:
                    text[at:at] = PIECES[self.draw(len(PIECES))]
                case 2:
                    text[at : at + 1 + self.draw(6)] = PIECES[self.draw(len(PIECES))]
                case 3:
                    text[at : at + 1] = bytes([self.draw(256)])
                case _:
                    other = SEEDS[self.draw(len(SEEDS))]
                    cut = self.draw(len(other))
                    text[at:at] = other[cut : cut + self.draw(20)]
        self._current = bytes(text)
        return self._current


def outcome(text: bytes) -> str:
    """What every reader makes of it: a value in one spelling, or a refusal. Anything else is raised."""
    told = []
    for max_integer in (None, 2**53 - 1):
        try:
            value = decode_json(text, max_integer=max_integer)
        except SwitchboardError as refusal:
            told.append(f"{refusal.code.value} {refusal.field}")
            continue
        told.append(encode_json(value))
        told += [_of(lambda value=value, read=read: read(value)) for read in READERS]  # type: ignore[misc]
    query = text.decode("latin-1")
    told.append(_of(lambda: decode_parameters(JobsParameters, query)))
    return "\n".join(told)


def _of(read: Callable[[], Any]) -> str:
    try:
        return encode_json(to_plain(read()))
    except SwitchboardError as refusal:
        return f"{refusal.code.value} {refusal.field}: {refusal.message}"
    except ValueError as refusal:  # an answer that is not the protocol
        return f"{type(refusal).__name__}: {refusal}"


def digests(seed: int, blocks: int, block: int) -> list[str]:
    """One digest for each block of so many inputs. Raises AssertionError that shows the input of any other failure."""
    inputs = Inputs(seed)
    found = []
    for _ in range(blocks):
        digest = hashlib.sha256()
        for _ in range(block):
            text = inputs.next()
            try:
                digest.update(outcome(text).encode("utf-8", "surrogatepass"))
            except Exception as error:
                raise AssertionError(f"{text!r}: {type(error).__name__}: {error}") from error
        found.append(digest.hexdigest())
    return found
