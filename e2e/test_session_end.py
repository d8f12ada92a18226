"""A session that ends elsewhere takes the data off the screen."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from e2e.support.board import Board
from e2e.support.witness import Witness
from e2e.support.world import PASSWORD, Operator, World
from tests.support.servers import Server


@pytest.fixture
def operator(world: World) -> Operator:
    one = world.operator(["secret-project"])
    world.enqueue(one, "secret-project", "A secret title", times=2)
    return one


@pytest.fixture
def board(clocked_board: Board) -> Board:
    return clocked_board


@pytest.fixture
def signed_out(board: Board, world: World, operator: Operator, witness: Witness) -> Board:
    witness.allow(r"Failed to load resource: the server responded with a status of 401")
    world.revoke_session(operator)
    # whichever read comes first finds it out, and no other follows
    board.pass_until("signed_out")
    return board


def test_the_data_is_blanked_and_nothing_more_is_asked(signed_out: Board, witness: Witness) -> None:
    page = signed_out.page
    expect(signed_out.freshness).to_contain_text("You are signed out.")
    expect(page.get_by_text("secret")).to_have_count(0)
    assert "secret" not in page.content()
    page.clock.fast_forward(1_000)
    expect(signed_out.announcements).to_have_text("You are signed out.")
    asked = len(witness.requests)
    page.clock.run_for(120_000)
    expect(signed_out.announcements).to_be_empty()
    assert len(witness.requests) == asked


def test_the_way_back_is_a_link(signed_out: Board, operator: Operator) -> None:
    page = signed_out.page
    signed_out.freshness.get_by_role("link", name="Sign in").click()
    assert urlsplit(page.url).path == "/sign-in"
    page.get_by_label("Name", exact=True).fill(operator.human.name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/board")
    signed_out.wait_until_started()
    expect(signed_out.todos("secret-project")).to_have_count(2)


def test_who_has_signed_in_in_another_tab_needs_only_to_refresh(
    signed_out: Board, world: World, operator: Operator, server: Server
) -> None:
    token = world.sign_in(operator)
    signed_out.page.context.add_cookies([{"name": "switchboard_session", "value": token, "url": server.url}])
    signed_out.button("Refresh now").click()
    signed_out.pass_until("fresh")
    expect(signed_out.todos("secret-project")).to_have_count(2)
