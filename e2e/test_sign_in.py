"""In and out: two forms that need no script."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from e2e.support.board import START_MS
from e2e.support.witness import Witness
from e2e.support.world import PASSWORD, Operator, World
from tests.support.servers import Server

REFUSED = "Name and password do not match. Check both and try again."
STATUS_401 = r"Failed to load resource: the server responded with a status of 401"


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    return world.operator(["builds"])


def sign_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def test_every_page_leads_to_the_form_and_the_form_to_the_board(
    anonymous: Page, server: Server, operator: Operator
) -> None:
    for path in ("/", "/board", "/plain/board", "/sign-out"):
        anonymous.goto(server.url + path)
        assert urlsplit(anonymous.url).path == "/sign-in"
    expect(anonymous).to_have_title("Sign in - Switchboard")
    expect(anonymous.get_by_label("Name", exact=True)).to_be_focused()
    sign_in(anonymous, operator.human.name, PASSWORD)
    anonymous.wait_for_url("**/board", timeout=START_MS)
    expect(anonymous.get_by_role("heading", level=1)).to_have_text("Board")
    expect(anonymous.get_by_role("region", name=re.compile("^builds"))).to_be_visible(timeout=START_MS)


@pytest.mark.parametrize("known", [True, False])
def test_a_wrong_password_and_an_unknown_name_are_refused_alike(
    anonymous: Page, server: Server, operator: Operator, witness: Witness, known: bool
) -> None:
    witness.allow(STATUS_401)
    name = operator.human.name if known else "nobody"
    anonymous.goto(server.url + "/sign-in")
    sign_in(anonymous, f" {name} ", "not the password")
    expect(anonymous).to_have_title("Error: Sign in - Switchboard")
    summary = anonymous.get_by_role("group", name="There is a problem")
    expect(summary).to_be_focused()
    assert anonymous.locator("main > *").first.get_attribute("id") == "problem"
    link = summary.get_by_role("link")
    expect(link).to_have_text(REFUSED)
    field, password = anonymous.get_by_label("Name", exact=True), anonymous.get_by_label("Password")
    for one in (field, password):
        expect(one).to_have_accessible_description(f"Error: {REFUSED}")
        expect(one).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value(name)
    expect(password).to_have_value("")
    link.click()
    expect(field).to_be_focused()


def test_a_mended_password_signs_in(anonymous: Page, server: Server, operator: Operator, witness: Witness) -> None:
    witness.allow(STATUS_401)
    anonymous.goto(server.url + "/sign-in")
    sign_in(anonymous, operator.human.name, "")
    expect(anonymous).to_have_title(re.compile("^Error: "))
    anonymous.get_by_label("Password").fill(PASSWORD)
    anonymous.get_by_role("button", name="Sign in").click()
    anonymous.wait_for_url("**/board")


def test_who_is_signed_in_is_not_asked_again(page: Page, server: Server) -> None:
    page.goto(server.url + "/sign-in")
    assert urlsplit(page.url).path == "/board"


def test_signing_out_ends_the_session_everywhere(
    anonymous: Page, server: Server, operator: Operator, witness: Witness
) -> None:
    witness.allow(STATUS_401)
    anonymous.goto(server.url + "/sign-in")
    sign_in(anonymous, operator.human.name, PASSWORD)
    anonymous.wait_for_url("**/board")
    cookies = anonymous.context.cookies()
    (session,) = [cookie for cookie in cookies if cookie["name"] == "switchboard_session"]
    assert session["httpOnly"]
    assert session["sameSite"] == "Lax"
    anonymous.get_by_role("link", name="Sign out").click()
    expect(anonymous.get_by_role("main")).to_contain_text(f"You are signed in as {operator.human.name}.")
    anonymous.get_by_role("button", name="Sign out").click()
    anonymous.wait_for_url("**/sign-in")
    anonymous.goto(server.url + "/board")
    assert urlsplit(anonymous.url).path == "/sign-in"
    # not only is the cookie gone: the session is
    anonymous.context.add_cookies([session])
    assert anonymous.request.get(server.url + "/api/queues").status == 401
