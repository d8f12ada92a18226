"""Signing in and out: CSRF on both forms, a session cookie that scripts cannot read, a shell without data."""

from __future__ import annotations

from http.cookies import SimpleCookie
from urllib.parse import quote

import httpx
import pytest

from tests.support.databases import Databases
from tests.support.servers import running_server

from .conftest import PASSWORD, Site, sign_in


def cookies(answer: httpx.Response) -> dict[str, dict[str, object]]:
    """Every cookie that the answer sets, with its attributes that are set."""
    found: dict[str, dict[str, object]] = {}
    for line in answer.headers.get_list("set-cookie"):
        for name, morsel in SimpleCookie(line).items():
            found[name] = {"value": morsel.value} | {key: value for key, value in morsel.items() if value}
    return found


async def test_signing_in_opens_the_board_and_signing_out_closes_it(site: Site) -> None:
    async with site.signed_in("in-and-out") as browser:
        board = await browser.get("/board")
        assert board.status_code == 200
        form = await browser.get("/sign-out")
        assert "in-and-out" in form.text
        assert form.headers["cache-control"] == "no-store"
        token = form.text.partition('name="csrf_token" value="')[2].partition('"')[0]
        session = browser.cookies["switchboard_session"]
        out = await browser.post("/sign-out", data={"csrf_token": token})
        assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
        assert "switchboard_session" not in browser.cookies
        browser.cookies.set("switchboard_session", session)
        assert (await browser.get("/api/queues")).status_code == 401  # ended on the server, too


async def test_the_session_cookie_is_for_this_origins_requests_only(site: Site) -> None:
    await site.world.service.accounts.add_human("cookies", PASSWORD, operator=False)
    async with httpx.AsyncClient(base_url=site.url) as browser:
        answer = await sign_in(browser, "cookies", PASSWORD)
    assert (answer.status_code, answer.headers["location"], answer.headers["cache-control"]) == (
        303,
        "/board",
        "no-store",
    )
    session = cookies(answer)["switchboard_session"]
    value = session.pop("value")
    assert str(value).startswith("sbs_")
    assert len(str(value)) == 47  # 32 random bytes
    assert session == {"path": "/", "httponly": True, "samesite": "lax"}
    assert (
        await site.sql.fetchval(
            "select count(*) from switchboard.browser_sessions where token_hash = $1", str(value).encode()
        )
        == 0
    )  # only its hash is stored


async def test_behind_tls_both_cookies_are_secure(databases: Databases) -> None:
    async with databases.fresh() as url:
        with running_server(url, {"SWITCHBOARD_PUBLIC_ORIGINS": "https://board.example.org"}) as server:
            async with httpx.AsyncClient(base_url=server.url) as browser:
                form = cookies(await browser.get("/sign-in"))["switchboard_form"]
                assert form["secure"] is True
                assert form["httponly"] is True
                headers = {"cookie": f"switchboard_form={form['value']}", "origin": "https://board.example.org"}
                data = {"csrf_token": str(form["value"]), "name": "nobody", "password": "x"}
                assert (await browser.post("/sign-in", data=data, headers=headers)).status_code == 401
                foreign = headers | {"origin": server.url}
                assert (await browser.post("/sign-in", data=data, headers=foreign)).status_code == 403


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("known", "wrong password"),
        ("known", ""),
        ("known", PASSWORD + "x"),
        ("unknown", PASSWORD),
        ("", ""),
        ("KNOWN", PASSWORD),
        ("known", "x" * 10_000),
        ("n" * 5_000, PASSWORD),
        ("k\u0000own", PASSWORD),
        ("known", "pass\u0000word"),
        ("\U0001f600", "\U0001f601"),
    ],
)
async def test_what_does_not_match_is_one_answer_that_keeps_the_name(site: Site, name: str, password: str) -> None:
    if not await site.sql.fetchval("select count(*) from switchboard.humans where name = 'known'"):
        await site.world.service.accounts.add_human("known", PASSWORD, operator=False)
    async with httpx.AsyncClient(base_url=site.url) as browser:
        answer = await sign_in(browser, name, password)
        assert answer.status_code == 401
        assert "Name and password do not match. Check both and try again." in answer.text
        assert "<title>Error: Sign in - Switchboard</title>" in answer.text
        assert "switchboard_session" not in browser.cookies
        assert password not in answer.text or not password


async def test_a_human_without_a_password_cannot_sign_in(site: Site) -> None:
    await site.world.human("passwordless")
    async with httpx.AsyncClient(base_url=site.url) as browser:
        for password in ("", "None", "null"):
            assert (await sign_in(browser, "passwordless", password)).status_code == 401


async def test_a_form_without_its_token_or_from_elsewhere_signs_nobody_in(site: Site) -> None:
    await site.world.service.accounts.add_human("victim", PASSWORD, operator=False)
    right = {"name": "victim", "password": PASSWORD}
    async with httpx.AsyncClient(base_url=site.url) as browser:
        assert (await browser.post("/sign-in", data=right)).status_code == 403
        await browser.get("/sign-in")
        token = {"csrf_token": browser.cookies["switchboard_form"]}
        for data, headers in (
            (right, {}),
            (right | {"csrf_token": ""}, {}),
            (right | {"csrf_token": "x" * 43}, {}),
            (right | {"csrf_token": "\U0001f600"}, {}),
            (right | token, {"origin": "https://evil.example"}),
            (right | token, {"origin": "null"}),
        ):
            answer = await browser.post("/sign-in", data=data, headers=headers)
            assert (answer.status_code, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")
            assert "switchboard_session" not in browser.cookies
        ours = await browser.post("/sign-in", data=right | token, headers={"origin": site.url})
        assert ours.status_code == 303


async def test_a_form_of_another_session_signs_nobody_out(site: Site) -> None:
    async with site.signed_in("stays") as browser, site.signed_in("other") as other:
        form = (await other.get("/sign-out")).text
        token = form.partition('name="csrf_token" value="')[2].partition('"')[0]
        for data in ({"x": ""}, {"csrf_token": token}, {"csrf_token": browser.cookies["switchboard_session"]}):
            assert (await browser.post("/sign-out", data=data)).status_code == 403
        assert (await browser.get("/api/queues")).status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"name=a&name=b", b"name=%FF", b"name=%ED%A0%80", b"\xff", b"&".join(b"f%d=1" % n for n in range(51))],
)
async def test_a_form_that_is_not_one_is_refused(site: Site, body: bytes) -> None:
    answer = await site.http.post(
        "/sign-in", content=body, headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert answer.status_code in (400, 403)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_the_name_that_was_typed_comes_back_as_text(site: Site) -> None:
    async with httpx.AsyncClient(base_url=site.url) as browser:
        answer = await sign_in(browser, '"><script>alert(1)</script>', "x")
    assert answer.status_code == 401
    assert "<script>" not in answer.text


@pytest.mark.parametrize("path", ["/board", "/plain/board", "/sign-out"])
async def test_a_page_sends_nobody_to_the_sign_in_form(site: Site, path: str) -> None:
    answer = await site.http.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert answer.content == b""


async def test_who_is_signed_in_is_sent_on_from_the_form(site: Site) -> None:
    async with site.signed_in("already") as browser:
        answer = await browser.get("/sign-in")
        assert (answer.status_code, answer.headers["location"]) == (303, "/board")


async def test_the_shell_holds_no_data_and_the_plain_board_does(site: Site) -> None:
    async with site.signed_in("shell") as browser:
        endpoint = await site.endpoint("a-queue-of-mine", owner="shell")
        await site.world.enqueue(endpoint, "a-queue-of-mine", title="a-title-of-mine", kind="a-kind-of-mine")
        shell, plain = await browser.get("/board"), await browser.get("/plain/board")
        for secret in ("a-queue-of-mine", "a-title-of-mine", "a-kind-of-mine", endpoint.slug + '"', "shell<"):
            assert secret not in shell.text
        assert shell.headers["cache-control"] == "no-cache"
        assert "a-queue-of-mine" in plain.text
        assert plain.headers["cache-control"] == "no-store"
        again = await browser.get("/board")
        assert again.text == shell.text  # the same for everybody and at every time
    async with site.signed_in("somebody-else") as other:
        assert (await other.get("/board")).text == shell.text


async def test_titles_on_the_plain_board_are_text(site: Site) -> None:
    async with site.signed_in("markup") as browser:
        endpoint = await site.endpoint("<b>q</b>", owner="markup")
        await site.world.enqueue(endpoint, "<b>q</b>", title="<script>alert(1)</script>")
        plain = (await browser.get("/plain/board")).text
    assert "<script>alert" not in plain
    assert "<b>q</b>" not in plain
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in plain


async def test_home_is_the_board(site: Site) -> None:
    answer = await site.http.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/board")
    deep = await site.http.get("/board?next=" + quote("https://evil.example"))
    assert deep.headers["location"] == "/sign-in"
