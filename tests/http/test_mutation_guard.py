"""Who may change things from a browser: a session that proves the page was ours."""

from __future__ import annotations

import pytest

from .conftest import Site


async def csrf_of(site: Site, name: str) -> str:
    token = await site.sql.fetchval(
        "select s.csrf_token from switchboard.browser_sessions s join switchboard.humans h on h.id = s.human_id"
        " where h.name = $1",
        name,
    )
    return str(token)


async def test_a_session_with_its_csrf_token_changes_a_todo(site: Site) -> None:
    async with site.signed_in("vera") as browser:
        endpoint = await site.endpoint("q", owner="vera")
        todo_id = await site.world.enqueue(endpoint, "q")
        headers = {"x-csrf-token": await csrf_of(site, "vera"), "origin": site.url}
        answer = await browser.post(f"/api/jobs/{todo_id}/cancel", headers=headers)
        assert (answer.status_code, answer.json()["todo"]["state"]) == (200, "canceled")


@pytest.mark.parametrize(
    ("headers", "field"),
    [({}, "X-CSRF-Token"), ({"x-csrf-token": "wrong"}, "X-CSRF-Token"), ({"origin": "https://evil.example"}, "Origin")],
)
async def test_a_session_alone_or_from_elsewhere_changes_nothing(
    site: Site, headers: dict[str, str], field: str
) -> None:
    name = f"wanda{abs(hash(str(headers))) % 10_000}"
    async with site.signed_in(name) as browser:
        endpoint = await site.endpoint("q", owner=name)
        todo_id = await site.world.enqueue(endpoint, "q")
        answer = await browser.post(f"/api/jobs/{todo_id}/cancel", headers=headers)
        assert (answer.status_code, answer.json()["error"]["field"]) == (403, field)
        assert (await site.world.todo(todo_id))["state"] == "pending"
