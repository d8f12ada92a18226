"""Strict reads refuse, with exactly the documented status, code and field, everything that is not the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Site

QUERY, COUNT = "/api/v1/jobs/query", "/api/v1/jobs/count"
OK: tuple[int, str | None, str | None] = (200, None, None)


def bad(field: str) -> tuple[int, str, str]:
    return 400, "invalid_argument", field


def of_filter(text: str) -> bytes:
    return b'{"version":1,"filter":' + text.encode("utf-8", "surrogatepass") + b',"page":{}}'


def of_page(text: str) -> bytes:
    return b'{"version":1,"filter":{},"page":' + text.encode() + b"}"


def numbers(count: int) -> str:
    return json.dumps(list(range(1, count + 1)))


def texts(count: int) -> str:
    return json.dumps([f"t{number}" for number in range(count)])


LONGEST = "x" * 200
# What every field of its kind refuses in the same way: null, and every other JSON type.
NOT_A_STRING = ["null", '""', "7", "1.5", "true", "[]", '["x"]', "{}"]
NOT_AN_ARRAY = ["null", "[]", '""', '"x"', "7", "1.5", "true", "{}"]
NOT_AN_INSTANT = [
    *("null", '""', "7", "1.5", "true", "[]", "{}", '"2026-11-02"', '"2026-11-02T08:00:00"', '"2026-13-02T08:00:00Z"'),
    *('"2026-11-02T25:00:00Z"', '"2026-11-02 08:00:00Z"', '"now"', '"1762070400"', '"2026-11-02T08:00:00+99:00"'),
]

FILTERS: list[tuple[str, tuple[int, str | None, str | None]]] = [
    ("{}", OK),
    *((text, bad("filter")) for text in ("null", "[]", '""', "1", "true")),
    *((f'{{"{name}":1}}', bad(f"filter.{name}")) for name in ("state", "id", "Kind", "limit", "", "ids ", "$ne")),
    *((f'{{"kind":{text}}}', bad("filter.kind")) for text in NOT_A_STRING),
    *((f'{{"queue":{text}}}', bad("filter.queue")) for text in NOT_A_STRING),
    (f'{{"kind":"{LONGEST}","queue":"{LONGEST}"}}', OK),
    (f'{{"kind":"{LONGEST}x"}}', bad("filter.kind")),
    (f'{{"queue":"{LONGEST}x"}}', bad("filter.queue")),
    ('{"kind":"a\\u0000b"}', bad("body")),
    ('{"kind":"a","kind":"a"}', bad("kind")),
    *((f'{{"ids":{text}}}', bad("filter.ids")) for text in NOT_AN_ARRAY),
    *(
        (f'{{"ids":[{text}]}}', bad("filter.ids[0]"))
        for text in ("null", '"1"', "1.0", "1e0", "true", "[]", "{}", "0", "-1")
    ),
    ('{"ids":[9223372036854775807]}', OK),
    ('{"ids":[9223372036854775808]}', bad("filter.ids[0]")),
    ('{"ids":[1,2,1]}', bad("filter.ids[2]")),
    (f'{{"ids":{numbers(1000)}}}', OK),
    (f'{{"ids":{numbers(1001)}}}', bad("filter.ids")),
    *((f'{{"states":{text}}}', bad("filter.states")) for text in NOT_AN_ARRAY),
    *(
        (f'{{"states":[{text}]}}', bad("filter.states[0]"))
        for text in ("null", '"Pending"', '"available"', '""', "1", "true")
    ),
    ('{"states":["pending","pending"]}', bad("filter.states[1]")),
    ('{"states":["scheduled","pending","claimed","done","failed","dead","canceled"]}', OK),
    *((f'{{"tags":{text}}}', bad("filter.tags")) for text in NOT_AN_ARRAY),
    *((f'{{"tags":[{text}]}}', bad("filter.tags[0]")) for text in ("null", '""', "1", "1.5", "true", "[]", "{}")),
    ('{"tags":["a","b","a"]}', bad("filter.tags[2]")),
    (f'{{"tags":{texts(20)}}}', OK),
    (f'{{"tags":{texts(21)}}}', bad("filter.tags")),
    (f'{{"tags":["{LONGEST}x"]}}', bad("filter.tags[0]")),
    *((f'{{"created_at_gte":{text}}}', bad("filter.created_at_gte")) for text in NOT_AN_INSTANT),
    *((f'{{"created_at_lt":{text}}}', bad("filter.created_at_lt")) for text in NOT_AN_INSTANT[:6]),
    ('{"created_at_gte":"2026-11-02T08:00:00Z","created_at_lt":"2026-11-02T08:00:00.000001Z"}', OK),
    ('{"created_at_gte":"2026-11-02T08:00:00Z","created_at_lt":"2026-11-02T08:00:00Z"}', bad("filter.created_at_lt")),
    (
        '{"created_at_gte":"2026-11-02T08:00:00Z","created_at_lt":"2026-11-02T09:59:00+02:00"}',
        bad("filter.created_at_lt"),
    ),
    ('{"kind":"\ud800"}', bad("body")),  # a lone surrogate is no UTF-8
    ('{"kind":"\\ud800"}', bad("body")),
    ('{"kind":' + "[" * 16 + "]" * 16 + "}", bad("body")),
    ('{"ids":[NaN]}', bad("body")),
    ('{"ids":[Infinity]}', bad("body")),
    ('{"ids":[-Infinity]}', bad("body")),
    ('{"ids":[1e999]}', bad("body")),
    ('{"ids":[01]}', bad("body")),
    ('{"ids":[1,]}', bad("body")),
    ("{'kind':'x'}", bad("body")),
    ('{"kind":"x" /* */}', bad("body")),
]

PAGES: list[tuple[str, tuple[int, str | None, str | None]]] = [
    ("{}", OK),
    *((text, bad("page")) for text in ("null", "[]", "1", '"x"', "true")),
    ('{"after_id":1}', bad("page.after_id")),
    *((f'{{"limit":{text}}}', bad("page.limit")) for text in ("null", "0", "-1", "1001", "1.0", "true", '"5"', "[]")),
    ('{"limit":1}', OK),
    ('{"limit":1000}', OK),
    *(
        (f'{{"before_id":{text}}}', bad("page.before_id"))
        for text in ("null", "0", "1.5", "false", '"1"', "9223372036854775808")
    ),
    ('{"before_id":9223372036854775807}', OK),
]

WHOLE: list[tuple[bytes, tuple[int, str | None, str | None]]] = [
    (b'{"version":1,"filter":{},"page":{}}', OK),
    (b' {"page":{},\n"filter":{},"version":1}\r\n', OK),
    (b"", (415, "unsupported_media_type", None)),
    *((text, bad("body")) for text in (b"{", b"nothing", b"{} {}", b'{"version":1}x', b"\xff", b"\xef\xbb\xbf{}")),
    *((text, bad("body")) for text in (b"null", b"[]", b"1", b'"x"', b"true")),
    (b"{}", bad("version")),
    (b'{"version":1}', bad("filter")),
    (b'{"version":1,"filter":{}}', bad("page")),
    (b'{"filter":{},"page":{}}', bad("version")),
    (b'{"version":1,"filter":{},"page":{},"extra":1}', bad("extra")),
    *(
        (b'{"version":' + text + b',"filter":{},"page":{}}', bad("version"))
        for text in (
            b"0",
            b"2",
            b"-1",
            b"1.0",
            b"1e0",
            b"true",
            b"null",
            b'"1"',
            b"[1]",
            b"{}",
            b"10",
            b"99999999999999999999",
        )
    ),
    (b'{"version":2,"anything":"else"}', bad("version")),
    (b'{"version":1,"version":1,"filter":{},"page":{}}', bad("version")),
    (b'{"version":1,"filter":{},"filter":{},"page":{}}', bad("filter")),
]

CASES = [
    *((QUERY, of_filter(text), told) for text, told in FILTERS),
    *((QUERY, of_page(text), told) for text, told in PAGES),
    *((QUERY, text, told) for text, told in WHOLE),
    # The count takes the same filters and no page.
    *((COUNT, of_filter(text).replace(b',"page":{}}', b"}"), told) for text, told in FILTERS),
    (COUNT, b'{"version":1,"filter":{},"page":{}}', bad("page")),
    (COUNT, b'{"version":1}', bad("filter")),
    (COUNT, b'{"version":2,"filter":{}}', bad("version")),
]  # fmt: skip


def test_there_are_enough_of_them() -> None:
    assert len({case[:2] for case in CASES}) >= 250


async def test_each_body_has_its_one_answer(site: Site) -> None:
    endpoint = await site.endpoint("q")
    headers = {"content-type": "application/json"} | await site.operator(endpoint.owner)
    wrong = []
    for path, body, expected in CASES:
        sent = headers if body else {name: value for name, value in headers.items() if name != "content-type"}
        answer = await site.http.post(path, content=body, headers=sent)
        told: Any = answer.json().get("error", {})
        if (answer.status_code, told.get("code"), told.get("field")) != expected:
            wrong.append((path, body[:80], expected, answer.status_code, told))
        assert answer.headers["content-type"] == "application/json"
    assert wrong == []


@pytest.mark.parametrize("mime", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", None])
async def test_another_mime_type_is_refused(site: Site, mime: str | None) -> None:
    endpoint = await site.endpoint("q")
    headers = await site.operator(endpoint.owner) | ({} if mime is None else {"content-type": mime})
    answer = await site.http.post(QUERY, content=b'{"version":1,"filter":{},"page":{}}', headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


PARAMETERS: list[tuple[str, tuple[int, str | None]]] = [
    ("", (200, None)),
    ("queue=q&kind=k&state=pending&tag=t&before_id=9&limit=1000", (200, None)),
    ("queue=a%2Fb%20c+d", (200, None)),
    ("queue=", (400, "queue")),
    ("queue", (400, "queue")),
    ("&", (400, "query")),
    ("queue=a&queue=a", (400, "queue")),
    ("states=pending", (400, "states")),
    ("state=Pending", (400, "state")),
    ("limit=0", (400, "limit")),
    ("limit=1001", (400, "limit")),
    ("limit=1.0", (400, "limit")),
    ("limit=+5", (400, "limit")),
    ("limit=%D9%A5", (400, "limit")),  # a digit, but not of ours
    ("before_id=9223372036854775808", (400, "before_id")),
    ("before_id=99999999999999999999", (400, "before_id")),
    ("queue=%ff", (400, "queue")),
    ("queue=%00", (400, "queue")),
    (f"queue={'x' * 201}", (400, "queue")),
]


@pytest.mark.parametrize(("query", "expected"), PARAMETERS, ids=[query[:40] or "none" for query, _ in PARAMETERS])
async def test_parameters_of_a_get_are_strict(site: Site, query: str, expected: tuple[int, str | None]) -> None:
    endpoint = await site.endpoint("q")
    answer = await site.http.get(f"/api/jobs?{query}", headers=await site.operator(endpoint.owner))
    told = answer.json().get("error", {})
    assert (answer.status_code, told.get("field") if told else None) == expected
