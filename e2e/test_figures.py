"""Every queue's header and its waiting todos, as SPEC-0030 REQ-11 asks for them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.support.board import Board
from e2e.support.expected_times import in_both_zones, in_policy_zone
from e2e.support.world import Operator, World, budget
from tests.support.servers import Server

POLICY = budget(5, in_flight=10)


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["investigations", "triage", "builds", "newsletters", "broken", "idle"])
    world.set_policy(one, "investigations", POLICY)
    world.enqueue(one, "investigations", "Look into sensor {n}", times=17, kind="investigation")
    world.complete(one, world.claim(one, "investigations", 5)[:4])
    world.enqueue(one, "triage", "Sort ticket {n}", times=2, kind="triage")
    world.set_policy(one, "builds", {"max_in_flight": 2})
    world.enqueue(one, "builds", "Build revision {n}", times=3)
    world.claim(one, "builds", 2)
    world.set_policy(one, "newsletters", {"max_in_flight": 0})
    world.enqueue(one, "newsletters", "", kind="newsletter")
    world.set_policy(one, "broken", budget(5))
    world.enqueue(one, "broken", "Stuck")
    world.execute(
        "update switchboard.policies set window_tz = 'Mars/Base' where queue_id = "
        "(select q.id from switchboard.queues q join switchboard.endpoints e on e.id = q.endpoint_id "
        "where e.slug = $1 and q.name = 'broken')",
        one.slug,
    )
    return one


@pytest.fixture(scope="module", params=["live", "plain"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def board(way: str, page: Page, server: Server) -> Board:
    """The same figures on the live board and on the one without scripts."""
    board = Board(page, server.url)
    if way == "live":
        board.open()
    else:
        page.goto(server.url + "/plain/board")
    return board


def chip(board: Board, queue: str) -> Locator:
    return board.todos(queue).first.locator("[data-reason]")


def test_an_exhausted_budget(board: Board, way: str) -> None:
    expect(board.status("investigations")).to_have_text("■budget used up")
    expect(board.status("investigations")).to_have_attribute("data-status", "window_exhausted")
    expect(board.figure("investigations", "used")).to_have_text("5 of 5 used")
    expect(board.figure("investigations", "in-flight")).to_have_text("1 of 10 in flight")
    expect(board.figure("investigations", "pending")).to_have_text("12 waiting")
    both = in_both_zones(POLICY["window"])
    if way == "plain":
        both = re.sub(r"\d\d:\d\d your time", "08:00 UTC", both)
    resets = board.figure("investigations", "resets")
    expect(resets).to_have_text(f"resets at {both}")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT08:00:00Z", resets.locator("time").get_attribute("datetime") or "")
    expect(board.todos("investigations")).to_have_count(12)
    chips = board.todos("investigations").locator("[data-reason=window_exhausted]")
    expect(chips).to_have_text([f"◷deferred · budget · eligible {in_policy_zone(POLICY['window'])}"] * 12)
    expect(board.todos("investigations").first).to_contain_text("Look into sensor 17")


def test_a_full_queue_promises_nothing(board: Board) -> None:
    expect(board.status("builds")).to_have_text("■in flight full")
    expect(board.figure("builds", "in-flight")).to_have_text("2 of 2 in flight")
    expect(board.figure("builds", "used")).to_have_count(0)
    expect(board.figure("builds", "resets")).to_have_count(0)
    expect(chip(board, "builds")).to_have_text(re.compile(r"^◷deferred · in flight · possibly eligible from .*:\d\d "))


def test_a_paused_queue_has_no_time(board: Board) -> None:
    expect(board.status("newsletters")).to_have_text("■paused")
    expect(board.figure("newsletters", "in-flight")).to_have_text("0 of 0 in flight")
    expect(chip(board, "newsletters")).to_have_text("◷deferred · paused")
    expect(board.todos("newsletters").first.locator(".title")).to_have_text("newsletter")


def test_a_policy_that_cannot_be_evaluated_shows_its_fault_and_no_zero(board: Board) -> None:
    expect(board.status("broken")).to_have_text("■unavailable")
    expect(board.queue("broken")).to_contain_text("The policy cannot be evaluated: ")
    expect(board.queue("broken")).to_contain_text("Mars/Base")
    expect(board.figure("broken", "used")).to_have_count(0)
    expect(chip(board, "broken")).to_have_text("◷deferred · unavailable")


def test_a_queue_without_a_policy_and_one_without_work(board: Board) -> None:
    expect(board.status("triage")).to_have_text("no policy")
    expect(board.figure("triage", "in-flight")).to_have_text("0 in flight")
    expect(board.todos("triage").locator("[data-reason]")).to_have_count(0)
    expect(board.todos("triage").first).to_contain_text(re.compile(r"#\d+ · triage · since .*\d\d:\d\d (CET|CEST|UTC)"))
    expect(board.queue("idle")).to_contain_text("Nothing waits.")


def test_deferred_queues_are_distinct_without_colour(board: Board) -> None:
    """By text and by mark, not by colour alone."""
    marks = {name: board.status(name).inner_text() for name in ("investigations", "builds", "newsletters", "broken")}
    assert len(set(marks.values())) == 4
    assert all(text.startswith("■") for text in marks.values())
