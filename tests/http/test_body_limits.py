"""A body's limit is checked while it arrives: the answer comes before the rest is sent (413, REQ security)."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.support.raw_http import chunk, head, raw_connection

from .conftest import Site, bearer

KIB = 1024


async def worker(site: Site) -> tuple[str, str, str, int]:
    endpoint = await site.endpoint("q")
    return "POST", "/api/v1/worker/enqueue", endpoint.credential, 1024 * KIB


async def policy(site: Site) -> tuple[str, str, str, int]:
    endpoint = await site.endpoint("q")
    token = await site.world.operator_token(endpoint.owner)
    return "PUT", f"/api/v1/admission/endpoint:{endpoint.slug}/q", token, 16 * KIB


async def strict_read(site: Site) -> tuple[str, str, str, int]:
    human = await site.world.human(f"reader{next(site.numbers)}")
    return "POST", "/api/v1/jobs/query", await site.world.operator_token(human), 64 * KIB


ALL = [worker, policy, strict_read]


def too_large(body: bytes, limit: int) -> bool:
    return json.loads(body) == {
        "error": {
            "code": "payload_too_large",
            "message": f"The body is larger than {limit} bytes.",
            "limit": limit,
        }
    }


@pytest.mark.parametrize("kind", ALL)
async def test_a_declared_length_beyond_the_limit_is_refused_before_a_byte_of_it(site: Site, kind: object) -> None:
    method, path, credential, limit = await kind(site)  # type: ignore[operator]
    async with raw_connection(site.url) as connection:
        await connection.send(
            head(
                method,
                path,
                authorization=f"Bearer {credential}",
                content_type="application/json",
                content_length=str(limit + 1),
            )
        )
        answer = await connection.answer()
    assert answer.status == 413
    assert answer.headers["content-type"] == "application/json"
    assert too_large(answer.body, limit)


@pytest.mark.parametrize("kind", ALL)
async def test_a_body_without_a_length_is_refused_as_soon_as_it_passes_the_limit(site: Site, kind: object) -> None:
    method, path, credential, limit = await kind(site)  # type: ignore[operator]
    async with raw_connection(site.url) as connection:
        await connection.send(
            head(
                method,
                path,
                authorization=f"Bearer {credential}",
                content_type="application/json",
                transfer_encoding="chunked",
            )
        )
        await connection.send(chunk(b" " * limit))
        await connection.send(chunk(b"{"))  # one byte too many; neither the JSON nor the body is at its end
        answer = await connection.answer()
    assert answer.status == 413
    assert too_large(answer.body, limit)


@pytest.mark.parametrize("kind", ALL)
async def test_a_body_of_exactly_the_limit_is_read(site: Site, kind: object) -> None:
    method, path, credential, limit = await kind(site)  # type: ignore[operator]
    async with raw_connection(site.url) as connection:
        await connection.send(
            head(
                method,
                path,
                authorization=f"Bearer {credential}",
                content_type="application/json",
                transfer_encoding="chunked",
            )
        )
        await connection.send(chunk(b" " * (limit - 2)) + chunk(b"[]") + b"0\r\n\r\n")
        answer = await connection.answer()
    assert (answer.status, json.loads(answer.body)["error"]["field"]) == (400, "body")


async def test_a_body_is_not_even_asked_for_from_who_is_nobody(site: Site) -> None:
    async with raw_connection(site.url) as connection:
        await connection.send(
            head("POST", "/api/v1/worker/enqueue", content_type="application/json", content_length="500000")
        )
        assert (await connection.answer()).status == 401


async def test_a_form_beyond_16_kib_is_refused(site: Site) -> None:
    async with httpx.AsyncClient(base_url=site.url) as browser:
        answer = await browser.post("/sign-in", data={"name": "x" * 16 * KIB})
    assert answer.status_code == 413
    assert "The body is larger than 16384 bytes." in answer.text


async def test_a_policy_within_16_kib_is_taken_with_all_its_blanks(site: Site) -> None:
    endpoint = await site.endpoint("q")
    headers = await site.operator(endpoint.owner) | {"content-type": "application/json"}
    body = b'{"max_in_flight":1}'.ljust(16 * KIB)
    path = f"/api/v1/admission/endpoint:{endpoint.slug}/q"
    assert (await site.http.put(path, content=body, headers=headers)).status_code == 200
    assert (await site.http.put(path, content=body + b" ", headers=headers)).status_code == 413


async def test_after_a_refused_body_the_server_goes_on(site: Site) -> None:
    endpoint = await site.endpoint("q")
    big = {"queue": "q", "kind": "k", "payload": "x" * 1024 * KIB}
    assert (await site.verb(endpoint, "enqueue", **big)).status_code == 413
    assert (await site.http.post("/api/v1/worker/claim_next", headers=bearer(endpoint.credential))).status_code == 200
