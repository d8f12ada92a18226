"""Away and back: the page comes out of the browser's cache alive, with one scheduler, and asks once."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from e2e.support.board import JOBS, QUEUES, Board, Held
from e2e.support.witness import Witness
from e2e.support.world import Operator, World
from tests.support.servers import Server

AWAY = "/plain/board"
BORN = """
  window.born = Math.random();
  addEventListener("pageshow", (event) => { if (event.persisted) window.restored = (window.restored ?? 0) + 1; });
"""
# In the place of what the page gives Pyodide for it: counts the proxies that nobody has released.
COUNTED_PROXIES = """
  window.proxies = new Set();
  class Counting {
    register(target, held, token) { window.proxies.add(token ?? {}); }
    unregister(token) { window.proxies.delete(token); }
  }
  Object.defineProperty(window, "FinalizationRegistry", { get: () => Counting, set() {} });
"""


@pytest.fixture
def operator(world: World) -> Operator:
    one = world.operator(["builds"])
    world.enqueue(one, "builds", "Build {n}", times=2)
    return one


@pytest.fixture(scope="session")
def restoring(context: BrowserContext, server: Server) -> None:
    """Skips where the browser restores no page at all."""
    page = context.new_page()
    page.add_init_script(BORN)
    page.goto(server.url + "/sign-in")
    born = page.evaluate("born")
    page.goto(server.url + "/static/switchboard.css")
    if not _restored(page, born):
        pytest.skip(f"THIS BROWSER RESTORES NO PAGE, SO BACK IS NOT TESTED: {_reasons(page)}")
    page.close()


@pytest.fixture
def page(restoring: None, page: Page) -> Page:
    page.add_init_script(BORN)
    return page


def away(page: Page, origin: str) -> None:
    page.goto(origin + AWAY)
    # long enough for the page left behind to be asleep and its garbage to be collected
    for _ in range(5):
        page.reload()


def back(page: Page, born: float) -> None:
    assert _restored(page, born), f"the page was loaded anew: {_reasons(page)}"


def _restored(page: Page, born: float) -> bool:
    # No evaluation before the browser says that it is there: the sleeping page would be dropped for it.
    with page.expect_event("framenavigated"):
        page.go_back(wait_until="commit")
    return bool(page.evaluate("window.born") == born)


def _reasons(page: Page) -> object:
    return page.evaluate("performance.getEntriesByType('navigation')[0].notRestoredReasons")


def test_the_board_is_restored_and_reads_once(
    page: Page, server: Server, world: World, operator: Operator, witness: Witness
) -> None:
    board = Board(page, server.url).open()
    board.filter.fill("bui")
    born = page.evaluate("born")
    away(page, server.url)
    world.enqueue(operator, "builds", "Came while away")
    queues, jobs = witness.reads(QUEUES), witness.reads(JOBS)
    back(page, born)
    assert page.evaluate("restored") == 1
    expect(board.figure("builds", "pending")).to_have_text("3 waiting", timeout=15_000)
    board.expect_state("fresh")
    assert (witness.reads(QUEUES) - queues, witness.reads(JOBS) - jobs) == (1, 1)
    expect(board.filter).to_have_value("bui")
    # one scheduler: the next round again asks once each
    with page.expect_response(server.url + QUEUES, timeout=15_000), page.expect_response(server.url + JOBS):
        pass
    assert (witness.reads(QUEUES) - queues, witness.reads(JOBS) - jobs) == (2, 2)


def test_an_answer_from_before_is_never_shown_and_its_demand_is_kept(
    page: Page, server: Server, world: World, operator: Operator, witness: Witness
) -> None:
    board = Board(page, server.url).open()
    held = Held(page, QUEUES)
    with page.expect_request(server.url + QUEUES, timeout=15_000):
        pass
    born = page.evaluate("born")
    away(page, server.url)
    world.enqueue(operator, "builds", "Came while away", times=5)
    before = witness.reads(QUEUES)
    back(page, born)
    with page.expect_response(server.url + QUEUES, timeout=15_000):
        held.let_go()
    expect(board.figure("builds", "pending")).to_have_text("7 waiting")
    board.expect_state("fresh")
    assert witness.reads(QUEUES) - before == 1


def test_another_session_finds_nothing_of_the_first_ones(
    page: Page, server: Server, world: World, operator: Operator, witness: Witness
) -> None:
    witness.allow(r"Failed to load resource: the server responded with a status of 401")
    board = Board(page, server.url).open()
    born = page.evaluate("born")
    away(page, server.url)
    world.revoke_session(operator)
    back(page, born)
    board.expect_state("signed_out")
    expect(page.get_by_text("Build")).to_have_count(0)


def test_no_read_and_no_event_leaves_a_proxy_to_a_collector_that_would_wake_the_sleeping_page(
    page: Page, server: Server
) -> None:
    page.add_init_script(COUNTED_PROXIES)
    board = Board(page, server.url).open()

    def round_of_reads() -> int:
        with page.expect_response(server.url + QUEUES, timeout=15_000), page.expect_response(server.url + JOBS):
            board.filter.fill("bui")
            board.filter.fill("")
        board.expect_state("fresh")
        return int(page.evaluate("proxies.size"))

    first = round_of_reads()
    assert 0 < first < 100
    assert [round_of_reads() for _ in range(2)] == [first] * 2
