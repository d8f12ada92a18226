"""What may be stored where, and what the shell gives away: nothing (D2)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from e2e.support.board import CAPABILITIES, JOBS, QUEUES
from e2e.support.world import Operator, World
from tests.support.servers import Server

QUERY = {"version": 1, "filter": {"states": ["pending"]}, "page": {"limit": 5}}


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["secret-project"])
    world.enqueue(one, "secret-project", "A secret title")
    return one


def test_the_shell_is_kept_for_back_but_checked_each_time_and_holds_no_data(
    page: Page, server: Server, operator: Operator
) -> None:
    answer = page.request.get(server.url + "/board")
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-cache"
    text = answer.text()
    for secret in ("secret-project", "A secret title", operator.human.name, operator.slug):
        assert secret not in text


@pytest.mark.parametrize("path", ["/plain/board", "/sign-out", QUEUES, CAPABILITIES, "/nothing-here"])
def test_whatever_holds_data_is_stored_nowhere(page: Page, server: Server, path: str) -> None:
    assert page.request.get(server.url + path).headers["cache-control"] == "no-store"


def test_the_strict_read_is_stored_nowhere(page: Page, server: Server) -> None:
    answer = page.request.post(server.url + JOBS, data=QUERY)
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-store"
    assert [job["title"] for job in answer.json()["data"]["jobs"]] == ["A secret title"]


def test_files_with_a_hash_in_their_name_are_kept_for_good(page: Page, server: Server) -> None:
    shell = page.request.get(server.url + "/board").text()
    files = re.findall(r'(?:src|href)="(/static/[^"]+)"', shell)
    assert len(files) == 3
    for file in files:
        answer = page.request.get(server.url + file)
        assert answer.status == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("path", ["/board", "/plain/board", "/nothing-here", QUEUES, "/static/switchboard.css"])
def test_every_answer_carries_the_security_headers(page: Page, server: Server, path: str) -> None:
    headers = page.request.get(server.url + path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "unsafe-inline" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
