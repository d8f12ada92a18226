"""The security headers stand on every answer, whoever made it and however it failed."""

from __future__ import annotations

import httpx
import pytest

from .conftest import Site

EXPECTED = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 303),
        ("GET", "/board", 303),
        ("GET", "/plain/board", 303),
        ("GET", "/sign-in", 200),
        ("POST", "/sign-in", 415),
        ("GET", "/sign-out", 303),
        ("GET", "/nothing", 404),
        ("DELETE", "/board", 405),
        ("GET", "/static/switchboard.css", 200),
        ("GET", "/static/icon.svg", 200),
        ("GET", "/static/runtime/none.mjs", 404),
        ("GET", "/api/queues", 401),
        ("GET", "/api/capabilities", 401),
        ("POST", "/api/v1/jobs/query", 401),
        ("POST", "/api/v1/worker/claim_next", 401),
        ("GET", "/api/v1/worker/claim_next", 405),
        ("PUT", "/api/v1/admission/endpoint:x/y", 401),
        ("GET", "/api/nothing", 404),
    ],
)
async def test_on_every_kind_of_answer(site: Site, method: str, path: str, status: int) -> None:
    answer = await site.http.request(method, path)
    assert answer.status_code == status
    assert {name: answer.headers[name] for name in EXPECTED} == EXPECTED
    assert "server" not in answer.headers
    assert not any(name.startswith("access-control-") for name in answer.headers)


async def test_on_what_a_signed_in_human_and_a_worker_get(site: Site) -> None:
    endpoint = await site.endpoint("q")
    async with site.signed_in("headers") as browser:
        answers: list[httpx.Response] = [
            await browser.get("/board"),
            await browser.get("/plain/board"),
            await browser.get("/api/queues"),
            await browser.get("/sign-out"),
            await site.verb(endpoint, "claim_next"),
            await site.verb(endpoint, "claim", todo_id="x"),
        ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 200, 400]
    for answer in answers:
        assert {name: answer.headers[name] for name in EXPECTED} == EXPECTED
