"""What happens elsewhere shows here within one refresh."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from e2e.support.board import JOBS, QUEUES, REFRESH_MS, Board
from e2e.support.witness import Witness
from e2e.support.world import Operator, World, budget
from tests.support.servers import Server


@pytest.fixture
def operator(world: World) -> Operator:
    one = world.operator(["investigations"])
    world.set_policy(one, "investigations", budget(3))
    world.enqueue(one, "investigations", "Look into sensor {n}", times=4)
    return one


def test_a_workers_claims_move_the_figures(
    clocked_board: Board, world: World, operator: Operator, witness: Witness
) -> None:
    board = clocked_board
    expect(board.figure("investigations", "used")).to_have_text("0 of 3 used")
    expect(board.todos("investigations")).to_have_count(4)
    before = witness.reads(QUEUES)
    claimed = world.claim(operator, "investigations", 2)
    board.refreshed()
    expect(board.figure("investigations", "used")).to_have_text("2 of 3 used", timeout=REFRESH_MS)
    # a read that was under way when the claim came may still have told the old figure
    assert witness.reads(QUEUES) - before <= 2
    expect(board.figure("investigations", "in-flight")).to_have_text("2 in flight")
    expect(board.todos("investigations")).to_have_count(2)
    world.complete(operator, claimed)
    world.claim(operator, "investigations")
    board.refreshed()
    expect(board.status("investigations")).to_have_text("■budget used up", timeout=REFRESH_MS)
    expect(board.figure("investigations", "used")).to_have_text("3 of 3 used")
    expect(board.figure("investigations", "in-flight")).to_have_text("1 in flight")
    expect(board.todos("investigations").locator("[data-reason=window_exhausted]")).to_have_count(1)
    assert witness.reads(QUEUES) >= witness.reads(JOBS) - 1


def test_a_policy_edit_from_the_command_line_shows(
    board: Board, server: Server, operator: Operator, witness: Witness
) -> None:
    expect(board.figure("investigations", "used")).to_have_text("0 of 3 used")
    before = witness.reads(QUEUES)
    budget_command(server, operator, "set", "--in-flight", "0")
    expect(board.status("investigations")).to_have_text("■paused", timeout=REFRESH_MS)
    assert witness.reads(QUEUES) - before <= 2
    expect(board.figure("investigations", "in-flight")).to_have_text("0 of 0 in flight")
    expect(board.figure("investigations", "used")).to_have_count(0)
    expect(board.todos("investigations").locator("[data-reason=paused]")).to_have_count(4)
    budget_command(server, operator, "clear")
    expect(board.status("investigations")).to_have_text("no policy", timeout=REFRESH_MS)
    expect(board.todos("investigations").locator("[data-reason]")).to_have_count(0)


def budget_command(server: Server, operator: Operator, verb: str, *options: str) -> None:
    command = [sys.executable, "-m", "switchboard.main", "queue", "budget", verb, operator.scope, "investigations"]
    environment = os.environ | {"SWITCHBOARD_URL": server.url, "SWITCHBOARD_TOKEN": operator.token}
    done = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
