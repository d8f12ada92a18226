"""Every way in which a body can be wrong is refused with invalid_argument and the path of what is wrong (D11, D27)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from switchboard_wire import worker
from switchboard_wire.decoder import decode_json
from switchboard_wire.envelope import decode_jobs_query
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.operator import decode_policy
from switchboard_wire.shape import decode


def jobs_query(text: bytes) -> Any:
    return decode_jobs_query(decode_json(text))


def with_filter(members: str) -> bytes:
    return f'{{"version":1,"filter":{{{members}}},"page":{{}}}}'.encode()


def with_tags(number: int) -> bytes:
    tags = ",".join(f'"{n}"' for n in range(number))
    return f'{{"queue":"q","kind":"k","tags":[{tags}]}}'.encode()


def with_page(members: str) -> bytes:
    return f'{{"version":1,"filter":{{}},"page":{{{members}}}}}'.encode()


def policy(text: bytes) -> Any:
    return decode_policy(decode_json(text))


def with_window(members: str) -> bytes:
    return f'{{"max_claims_per_window":5,"window":{{{members}}}}}'.encode()


def verb(shape: type[Any]) -> Callable[[bytes], Any]:
    return lambda text: decode(shape, decode_json(text))


enqueue = verb(worker.Enqueue)
claim = verb(worker.Claim)
claim_next = verb(worker.ClaimNext)
fail = verb(worker.Fail)
heartbeat = verb(worker.Heartbeat)
list_todos = verb(worker.ListTodos)
status = verb(worker.AskAdmissionStatus)

BAD: list[tuple[str, Callable[[bytes], Any], bytes, str]] = [
    # Text that is not JSON, or JSON that a permissive parser would let through.
    ("nothing", claim_next, b"", "body"),
    ("blanks", claim_next, b"  ", "body"),
    ("cut off", claim_next, b'{"max":1', "body"),
    ("two documents", claim_next, b"{}{}", "body"),
    ("trailing word", claim_next, b"{} x", "body"),
    ("trailing comma", claim_next, b'{"max":1,}', "body"),
    ("single quotes", claim_next, b"{'max':1}", "body"),
    ("comment", claim_next, b"{/* */}", "body"),
    ("byte order mark", claim_next, b"\xef\xbb\xbf{}", "body"),
    ("utf-16", claim_next, "{}".encode("utf-16-le"), "body"),
    ("latin-1", claim_next, b'{"worker":"\xe9"}', "body"),
    ("overlong utf-8", claim_next, b'{"worker":"\xc0\xaf"}', "body"),
    ("surrogate in utf-8", claim_next, b'{"worker":"\xed\xa0\x80"}', "body"),
    ("high surrogate alone", claim_next, rb'{"worker":"\ud800"}', "body"),
    ("low surrogate alone", claim_next, rb'{"worker":"\udc00x"}', "body"),
    ("surrogates in the wrong order", claim_next, rb'{"worker":"\ude00\ud83d"}', "body"),
    ("surrogate in a key", claim_next, rb'{"\ud800":1}', "body"),
    ("surrogate deep in a payload", enqueue, rb'{"queue":"q","kind":"k","payload":[{"a":["\udfff"]}]}', "body"),
    ("NUL as it is", claim_next, b'{"worker":"a\x00b"}', "body"),
    ("NUL escaped", claim_next, rb'{"worker":"a\u0000b"}', "body"),
    ("NUL in a key of a payload", enqueue, rb'{"queue":"q","kind":"k","payload":{"\u0000":1}}', "body"),
    ("line break in a string", claim_next, b'{"worker":"a\nb"}', "body"),
    ("NaN", claim_next, b'{"max":NaN}', "body"),
    ("Infinity", claim_next, b'{"max":Infinity}', "body"),
    ("minus Infinity", claim_next, b'{"max":-Infinity}', "body"),
    ("overflowing float", enqueue, b'{"queue":"q","kind":"k","payload":1e999}', "body"),
    ("overflowing negative float", enqueue, b'{"queue":"q","kind":"k","payload":-1e999}', "body"),
    ("integer of 321 digits", enqueue, b'{"queue":"q","kind":"k","payload":' + b"9" * 321 + b"}", "body"),
    ("leading zero", claim_next, b'{"max":01}', "body"),
    ("plus sign", claim_next, b'{"max":+1}', "body"),
    ("hexadecimal", claim_next, b'{"max":0x1}', "body"),
    ("duplicate key", claim_next, b'{"max":1,"max":1}', "max"),
    ("duplicate key by an escape", claim_next, rb'{"max":1,"m\u0061x":2}', "max"),
    ("duplicate key in a payload", enqueue, b'{"queue":"q","kind":"k","payload":{"a":1,"a":2}}', "a"),
    ("nested 17 deep", enqueue, b'{"payload":' + b"[" * 16 + b"]" * 16 + b"}", "body"),
    # A body that is not an object, or of members nobody knows.
    ("null", claim_next, b"null", "body"),
    ("array", claim_next, b"[]", "body"),
    ("string", claim_next, b'"claim"', "body"),
    ("number", claim_next, b"1", "body"),
    ("false", claim_next, b"false", "body"),
    ("unknown member", claim_next, b'{"Max":1}', "Max"),
    ("unknown member first", claim_next, b'{"nope":1,"max":"x"}', "nope"),
    ("unknown member of a filter", jobs_query, with_filter('"state":["pending"]'), "filter.state"),
    (
        "unknown member of a window",
        policy,
        with_window('"period":"day","tz":"UTC","start":"00:00","end":""'),
        "window.end",
    ),
    # Integers are integers, within their bounds; null is not absence.
    ("boolean for an integer", claim_next, b'{"max":true}', "max"),
    ("float for an integer", claim_next, b'{"max":1.0}', "max"),
    ("exponent for an integer", claim_next, b'{"max":1e1}', "max"),
    ("string for an integer", claim_next, b'{"max":"1"}', "max"),
    ("array for an integer", claim_next, b'{"max":[1]}', "max"),
    ("null for max", claim_next, b'{"max":null}', "max"),
    ("max below 1", claim_next, b'{"max":0}', "max"),
    ("max above 100", claim_next, b'{"max":101}', "max"),
    ("lease below 1", claim_next, b'{"lease_seconds":0}', "lease_seconds"),
    ("lease above a day", claim_next, b'{"lease_seconds":86401}', "lease_seconds"),
    ("null for a lease", heartbeat, b'{"todo_id":1,"lease_seconds":null}', "lease_seconds"),
    ("no todo", claim, b"{}", "todo_id"),
    ("todo 0", claim, b'{"todo_id":0}', "todo_id"),
    ("todo beyond 64 bits", claim, b'{"todo_id":9223372036854775808}', "todo_id"),
    ("negative todo", claim, b'{"todo_id":-1}', "todo_id"),
    ("null for a todo", claim, b'{"todo_id":null}', "todo_id"),
    ("attempts below 1", enqueue, b'{"queue":"q","kind":"k","max_attempts":0}', "max_attempts"),
    ("attempts above 100", enqueue, b'{"queue":"q","kind":"k","max_attempts":101}', "max_attempts"),
    ("null for attempts", enqueue, b'{"queue":"q","kind":"k","max_attempts":null}', "max_attempts"),
    ("limit above 200", list_todos, b'{"limit":201}', "limit"),
    ("string for a boolean", fail, b'{"todo_id":1,"retry":"no"}', "retry"),
    ("0 for a boolean", fail, b'{"todo_id":1,"retry":0}', "retry"),
    ("null for a boolean", fail, b'{"todo_id":1,"retry":null}', "retry"),
    # Strings and arrays within their lengths, items distinct and each at its own path.
    ("empty queue", enqueue, b'{"queue":"","kind":"k"}', "queue"),
    ("queue of 201 characters", enqueue, b'{"queue":"' + b"q" * 201 + b'","kind":"k"}', "queue"),
    ("number for a queue", enqueue, b'{"queue":1,"kind":"k"}', "queue"),
    ("null for a queue", status, b'{"queue":null}', "queue"),
    ("no kind", enqueue, b'{"queue":"q"}', "kind"),
    ("title of 201 characters", enqueue, b'{"queue":"q","kind":"k","title":"' + b"t" * 201 + b'"}', "title"),
    ("null for a title", enqueue, b'{"queue":"q","kind":"k","title":null}', "title"),
    ("empty key", enqueue, b'{"queue":"q","kind":"k","idempotency_key":""}', "idempotency_key"),
    ("error of 10001 characters", fail, b'{"todo_id":1,"error":"' + b"e" * 10_001 + b'"}', "error"),
    ("string for tags", enqueue, b'{"queue":"q","kind":"k","tags":"a"}', "tags"),
    (
        "21 tags",
        enqueue,
        with_tags(21),
        "tags",
    ),
    ("tag twice", enqueue, b'{"queue":"q","kind":"k","tags":["a","b","a"]}', "tags[2]"),
    ("empty tag", enqueue, b'{"queue":"q","kind":"k","tags":["a",""]}', "tags[1]"),
    ("null among tags", enqueue, b'{"queue":"q","kind":"k","tags":[null]}', "tags[0]"),
    ("no queues", claim_next, b'{"queues":[]}', "queues"),
    ("queue twice", claim_next, b'{"queues":["a","a"]}', "queues[1]"),
    ("null for queues", claim_next, b'{"queues":null}', "queues"),
    ("unknown state", list_todos, b'{"states":["pending","waiting"]}', "states[1]"),
    ("state twice", list_todos, b'{"states":["done","done"]}', "states[1]"),
    ("naive time", enqueue, b'{"queue":"q","kind":"k","not_before":"2026-09-22T10:00:00"}', "not_before"),
    ("seconds since 1970", enqueue, b'{"queue":"q","kind":"k","not_before":1790000000}', "not_before"),
    ("null for a time", enqueue, b'{"queue":"q","kind":"k","not_before":null}', "not_before"),
    # The strict read: exactly version 1, all three members, a filter by the rules of D27.
    ("no version", jobs_query, b'{"filter":{},"page":{}}', "version"),
    ("version 1.0", jobs_query, b'{"version":1.0,"filter":{},"page":{}}', "version"),
    ("version true", jobs_query, b'{"version":true,"filter":{},"page":{}}', "version"),
    ('version "1"', jobs_query, b'{"version":"1","filter":{},"page":{}}', "version"),
    ("version 2", jobs_query, b'{"version":2,"filter":{},"page":{}}', "version"),
    ("version 0", jobs_query, b'{"version":0,"filter":{},"page":{}}', "version"),
    ("version null", jobs_query, b'{"version":null,"filter":{},"page":{}}', "version"),
    ("version 2 of an unknown shape", jobs_query, b'{"version":2,"where":{}}', "version"),
    ("no filter", jobs_query, b'{"version":1,"page":{}}', "filter"),
    ("null for a filter", jobs_query, b'{"version":1,"filter":null,"page":{}}', "filter"),
    ("no page", jobs_query, b'{"version":1,"filter":{}}', "page"),
    ("array for a page", jobs_query, b'{"version":1,"filter":{},"page":[]}', "page"),
    ("unknown member of the query", jobs_query, b'{"version":1,"filter":{},"page":{},"order":"asc"}', "order"),
    ("no ids", jobs_query, with_filter('"ids":[]'), "filter.ids"),
    ("null for ids", jobs_query, with_filter('"ids":null'), "filter.ids"),
    ("1001 ids", jobs_query, with_filter(f'"ids":{list(range(1, 1002))}'), "filter.ids"),
    ("id 0", jobs_query, with_filter('"ids":[1,0]'), "filter.ids[1]"),
    ("id beyond 64 bits", jobs_query, with_filter('"ids":[9223372036854775808]'), "filter.ids[0]"),
    ("boolean id", jobs_query, with_filter('"ids":[true]'), "filter.ids[0]"),
    ("float id", jobs_query, with_filter('"ids":[1.0]'), "filter.ids[0]"),
    ("id twice", jobs_query, with_filter('"ids":[3,1,3]'), "filter.ids[2]"),
    ("empty kind", jobs_query, with_filter('"kind":""'), "filter.kind"),
    ("kind of 201 characters", jobs_query, with_filter(f'"kind":"{"k" * 201}"'), "filter.kind"),
    ("null for a kind", jobs_query, with_filter('"kind":null'), "filter.kind"),
    ("array for a queue", jobs_query, with_filter('"queue":["q"]'), "filter.queue"),
    ("no states", jobs_query, with_filter('"states":[]'), "filter.states"),
    ("state in capitals", jobs_query, with_filter('"states":["Pending"]'), "filter.states[0]"),
    ("string for states", jobs_query, with_filter('"states":"pending"'), "filter.states"),
    ("no tags", jobs_query, with_filter('"tags":[]'), "filter.tags"),
    ("tag twice in a filter", jobs_query, with_filter('"tags":["a","a"]'), "filter.tags[1]"),
    ("naive bound", jobs_query, with_filter('"created_at_gte":"2026-09-22T10:00:00"'), "filter.created_at_gte"),
    ("date for a bound", jobs_query, with_filter('"created_at_lt":"2026-09-22"'), "filter.created_at_lt"),
    (
        "bounds that meet",
        jobs_query,
        with_filter('"created_at_gte":"2026-09-22T10:00:00Z","created_at_lt":"2026-09-22T12:00:00+02:00"'),
        "filter.created_at_lt",
    ),
    (
        "bounds in the wrong order",
        jobs_query,
        with_filter('"created_at_gte":"2026-09-22T10:00:00Z","created_at_lt":"2026-09-22T09:00:00Z"'),
        "filter.created_at_lt",
    ),
    ("page of 0", jobs_query, with_page('"limit":0'), "page.limit"),
    ("page of 1001", jobs_query, with_page('"limit":1001'), "page.limit"),
    ("null for a limit", jobs_query, with_page('"limit":null'), "page.limit"),
    ("before job 0", jobs_query, with_page('"before_id":0'), "page.before_id"),
    ("null for before_id", jobs_query, with_page('"before_id":null'), "page.before_id"),
    ("unknown member of a page", jobs_query, with_page('"offset":10'), "page.offset"),
    # The policy: REQ-1, with 0, null and absent apart (D11).
    ("policy of nothing", policy, b"{}", "max_in_flight"),
    ("both limits null", policy, b'{"max_in_flight":null,"max_claims_per_window":null}', "max_in_flight"),
    ("in flight above 10000", policy, b'{"max_in_flight":10001}', "max_in_flight"),
    ("negative in flight", policy, b'{"max_in_flight":-1}', "max_in_flight"),
    ("float in flight", policy, b'{"max_in_flight":2.0}', "max_in_flight"),
    ("boolean in flight", policy, b'{"max_in_flight":false}', "max_in_flight"),
    (
        "claims above 1000000",
        policy,
        b'{"max_claims_per_window":1000001,"window":{"period":"day","tz":"UTC","start":"00:00"}}',
        "max_claims_per_window",
    ),
    ("claims without a window", policy, b'{"max_claims_per_window":5}', "window"),
    ("claims with a null window", policy, b'{"max_claims_per_window":0,"window":null}', "window"),
    (
        "window without claims",
        policy,
        b'{"max_in_flight":1,"window":{"period":"day","tz":"UTC","start":"00:00"}}',
        "window",
    ),
    ("string for a window", policy, b'{"max_claims_per_window":5,"window":"day"}', "window"),
    ("no period", policy, with_window('"tz":"UTC","start":"00:00"'), "window.period"),
    ("period of a month", policy, with_window('"period":"month","tz":"UTC","start":"00:00"'), "window.period"),
    ("null period", policy, with_window('"period":null,"tz":"UTC","start":"00:00"'), "window.period"),
    ("no zone", policy, with_window('"period":"day","start":"00:00"'), "window.tz"),
    ("empty zone", policy, with_window('"period":"day","tz":"","start":"00:00"'), "window.tz"),
    ("no start", policy, with_window('"period":"day","tz":"UTC"'), "window.start"),
    ("minutes for a start", policy, with_window('"period":"day","tz":"UTC","start":30'), "window.start"),
    ("week without weekday", policy, with_window('"period":"week","tz":"UTC","start":"00:00"'), "window.weekday"),
    (
        "week with null weekday",
        policy,
        with_window('"period":"week","tz":"UTC","start":"00:00","weekday":null'),
        "window.weekday",
    ),
    (
        "day with weekday",
        policy,
        with_window('"period":"day","tz":"UTC","start":"00:00","weekday":"Mon"'),
        "window.weekday",
    ),
    (
        "hour with weekday",
        policy,
        with_window('"period":"hour","tz":"UTC","start":"00:00","weekday":"Sun"'),
        "window.weekday",
    ),
    (
        "long weekday",
        policy,
        with_window('"period":"week","tz":"UTC","start":"00:00","weekday":"Monday"'),
        "window.weekday",
    ),
]


@pytest.mark.parametrize(("read", "text", "field"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_is_refused_and_named(read: Callable[[bytes], Any], text: bytes, field: str) -> None:
    with pytest.raises(SwitchboardError) as refusal:
        read(text)
    assert refusal.value.code is ErrorCode.INVALID_ARGUMENT
    assert refusal.value.status == 400
    assert refusal.value.field == field
    assert refusal.value.body()["error"]["field"] == field  # type: ignore[index]
    assert refusal.value.message.endswith(".")


GOOD: list[tuple[str, Callable[[bytes], Any], bytes]] = [
    ("empty object", claim_next, b"{}"),
    ("blanks around", claim_next, b' \r\n\t{ "max" : 1 } '),
    ("pair of surrogates", claim_next, rb'{"worker":"\ud83d\ude00"}'),
    ("200 emoji", claim_next, b'{"worker":"' + "\U0001f600".encode() * 200 + b'"}'),
    ("max 1", claim_next, b'{"max":1}'),
    ("max 100", claim_next, b'{"max":100}'),
    ("lease of a day", claim_next, b'{"lease_seconds":86400}'),
    ("greatest id", claim, b'{"todo_id":9223372036854775807}'),
    ("20 tags", enqueue, with_tags(20)),
    ("null payload", enqueue, b'{"queue":"q","kind":"k","payload":null}'),
    ("integer of 308 digits", enqueue, b'{"queue":"q","kind":"k","payload":' + b"9" * 308 + b"}"),
    ("nested 16 deep", enqueue, b'{"queue":"q","kind":"k","payload":' + b"[" * 15 + b"]" * 15 + b"}"),
    ("brackets in a string", enqueue, b'{"queue":"q","kind":"k","title":"' + b"[{" * 50 + rb"\"[" + b'"}'),
    ("same key in two objects", enqueue, b'{"queue":"q","kind":"k","payload":[{"a":1},{"a":1}]}'),
    ("1000 ids", jobs_query, with_filter(f'"ids":{list(range(1, 1001))}')),
    (
        "all seven states",
        jobs_query,
        with_filter('"states":["scheduled","pending","claimed","done","failed","dead","canceled"]'),
    ),
    (
        "bounds a microsecond apart",
        jobs_query,
        with_filter('"created_at_gte":"2026-09-22T10:00:00Z","created_at_lt":"2026-09-22T10:00:00.000001Z"'),
    ),
    ("limit 1000", jobs_query, with_page('"limit":1000')),
    ("in flight 0", policy, b'{"max_in_flight":0}'),
    ("in flight 10000", policy, b'{"max_in_flight":10000,"max_claims_per_window":null,"window":null}'),
    (
        "claims 1000000",
        policy,
        b'{"max_claims_per_window":1000000,"window":{"period":"hour","tz":"UTC","start":"00:30"}}',
    ),
    ("week", policy, with_window('"period":"week","tz":"UTC","start":"00:00","weekday":"Sun"')),
    ("day with null weekday", policy, with_window('"period":"day","tz":"UTC","start":"00:00","weekday":null')),
]


@pytest.mark.parametrize(("read", "text"), [row[1:] for row in GOOD], ids=[row[0] for row in GOOD])
def test_is_accepted(read: Callable[[bytes], Any], text: bytes) -> None:
    read(text)
