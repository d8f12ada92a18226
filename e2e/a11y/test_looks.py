"""Nothing moves while the page starts, and nothing is told by colour or motion alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.support.board import Board
from e2e.support.world import Operator, World, budget
from tests.support.servers import Server

SHIFTS = """
  window.shifts = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => shifts.push(
    { at: entry.startTime, value: entry.value, what: entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 80)) })))
    .observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def operator(world: World) -> Operator:
    one = world.operator(["investigations", "builds", "triage", "newsletters"])
    world.set_policy(one, "investigations", budget(3))
    world.enqueue(one, "investigations", "Look into sensor {n}", times=9)
    world.claim(one, "investigations", 3)
    world.set_policy(one, "newsletters", {"max_in_flight": 0})
    world.enqueue(one, "newsletters", "Send issue {n}", times=2)
    return one


@pytest.mark.parametrize("size", [(1280, 900), (320, 640)])
def test_nothing_moves_when_the_page_takes_over_and_little_when_data_comes(
    page: Page, server: Server, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.add_init_script(SHIFTS)
    Board(page, server.url).open()
    expect(page.locator("#runtime-status")).to_be_empty()
    # two frames later every shift has been told
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    drawn = page.evaluate("performance.getEntriesByName('switchboard:first-render')[0].startTime")
    shifts = page.evaluate("shifts")
    assert sum(one["value"] for one in shifts if one["at"] <= drawn + 20) < 0.01, shifts
    assert sum(one["value"] for one in shifts) < 0.05, shifts


def test_a_refresh_moves_nothing(clocked_page: Page, server: Server, world: World, operator: Operator) -> None:
    page = clocked_page
    page.add_init_script(SHIFTS)
    board = Board(page, server.url).open()
    before = len(page.evaluate("shifts"))
    world.enqueue(operator, "builds", "Build")
    world.claim(operator, "builds")
    board.refreshed()
    expect(board.figure("builds", "in-flight")).to_have_text("1 in flight")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("shifts")[before:] == []


def test_in_forced_colours_states_differ_by_more_than_colour(board: Board) -> None:
    board.page.emulate_media(forced_colors="active")
    widths = {
        name: board.queue(name).evaluate("node => parseFloat(getComputedStyle(node).borderInlineStartWidth)")
        for name in ("investigations", "newsletters", "triage")
    }
    assert widths["investigations"] == widths["newsletters"] > widths["triage"] > 0
    chip = board.todos("investigations").first.locator("[data-reason]")
    assert chip.evaluate("node => getComputedStyle(node).borderStyle") == "solid"
    board.filter.focus()
    outline = board.filter.evaluate("node => getComputedStyle(node).outlineStyle")
    assert outline == "solid"


def test_nothing_is_animated(board: Board) -> None:
    board.page.emulate_media(reduced_motion="reduce")
    moving = board.page.evaluate(
        "() => [...document.querySelectorAll('*')].filter((node) => { const style = getComputedStyle(node); "
        "return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0; }).length"
    )
    assert moving == 0
