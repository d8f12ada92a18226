"""The pages in each state in which a person can meet them, opened once for all checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from e2e.conftest import session_cookie
from e2e.support.board import JOBS, QUEUES, START_MS, Board
from e2e.support.witness import Witness
from e2e.support.world import POLICY_ZONE, Operator, World, budget
from switchboard_wire.schedules import NewSchedule
from tests.support.servers import Server


@pytest.fixture(scope="session")
def operator(world: World) -> Operator:
    """Queues in every state that a board can show."""
    one = world.operator(["investigations", "triage", "builds", "newsletters", "broken", "idle"])
    world.set_policy(one, "investigations", budget(5, in_flight=10))
    world.enqueue(one, "investigations", "Look into the odd reading at sensor {n}", times=12, kind="investigation")
    world.claim(one, "investigations", 5)
    world.enqueue(one, "triage", "Sort ticket {n}", times=2, kind="triage")
    world.set_policy(one, "builds", {"max_in_flight": 1})
    world.enqueue(one, "builds", "Build-the-release-candidate-with-a-name-that-has-no-place-to-break-" * 2, times=3)
    world.claim(one, "builds")
    world.set_policy(one, "newsletters", {"max_in_flight": 0})
    world.enqueue(one, "newsletters", "Send issue {n}", kind="newsletter")
    world.set_policy(one, "broken", budget(5))
    world.execute(
        "update switchboard.policies set window_tz = 'Mars/Base' where queue_id = "
        "(select q.id from switchboard.queues q join switchboard.endpoints e on e.id = q.endpoint_id "
        "where e.slug = $1 and q.name = 'broken')",
        one.slug,
    )
    world.loop.run(_schedules(world, one))
    # One that has ended: an executor would write into the log of whichever test comes then.
    world.execute(
        "insert into switchboard.operations (human_id, key, kind, filter, everything, state, through_id, total, "
        "changed, skipped, created_at, finished_at) "
        """values ($1, 'a', 'retry', '{"queue": "idle"}', false, 'canceled', 0, 40, 12, 1, now(), now())""",
        one.human.id,
    )
    return one


async def _schedules(world: World, one: Operator) -> None:
    """Schedules that fire and wait."""
    schedules = world.services.schedules
    template = {"kind": "sweep", "title": "Sweep", "cron": "0 2 1 1 *", "tz": POLICY_ZONE}
    for name in ("nightly", "paused", "a-name-with-no-place-to-break" * 5):
        made = await schedules.create(one.human, NewSchedule(name=name, scope=one.scope, queue="idle", **template))
        if name == "paused":
            await schedules.pause(one.human, made.id)


@dataclass(frozen=True)
class State:
    """How one state of one page comes about. `quiet`: patterns of console messages that belong to it."""

    reach: Callable[[Page, str], None]
    signed_in: bool = True
    clocked: bool = False
    quiet: tuple[str, ...] = ()


def answering(status: int) -> Callable[[Route], None]:
    body = '{"error": {"code": "x", "message": "x"}}'
    return lambda route: route.fulfill(status=status, content_type="application/json", body=body)


def sign_in(page: Page, origin: str) -> None:
    page.goto(origin + "/sign-in")


def failed_sign_in(page: Page, origin: str) -> None:
    page.goto(origin + "/sign-in")
    page.get_by_label("Name", exact=True).fill("nobody")
    page.get_by_label("Password").fill("whatever it is")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_be_focused()


def loading(page: Page, origin: str) -> None:
    page.route("**/static/runtime/boot*.mjs", lambda route: None)
    page.goto(origin + "/board", wait_until="commit")
    expect(page.get_by_text("Starting the page.")).to_be_visible()
    expect(page.locator("footer")).to_be_visible()


def broken(page: Page, origin: str) -> None:
    page.route("**/static/runtime/pyodide.asm*.mjs", answering(404))
    page.goto(origin + "/board")
    expect(page.get_by_text("This page could not start.")).to_be_visible(timeout=START_MS)


def fresh(page: Page, origin: str) -> None:
    Board(page, origin).open()


def first_read(page: Page, origin: str) -> None:
    page.route("**" + QUEUES, lambda route: None)
    Board(page, origin).open(wait_for_data=False)


def stale(page: Page, origin: str) -> None:
    board = Board(page, origin).open()
    page.route("**/api/**", answering(503))
    board.pass_until("stale")


def paused(page: Page, origin: str) -> None:
    board = Board(page, origin).open()
    board.button("Pause updates").click()
    board.expect_state("paused")


def unsupported(page: Page, origin: str) -> None:
    page.route("**" + JOBS, lambda route: route.fulfill(status=200, content_type="text/html", body="<p>page</p>"))
    board = Board(page, origin).open(wait_for_data=False)
    board.expect_state("unsupported")


def signed_out(page: Page, origin: str) -> None:
    page.route("**/api/**", answering(401))
    board = Board(page, origin).open(wait_for_data=False)
    board.expect_state("signed_out")


def narrowed(page: Page, origin: str) -> None:
    board = Board(page, origin).open()
    board.filter.fill("nothing of this name")
    expect(page.get_by_text("No queue has a name that contains this.")).to_be_visible()


def place(path: str) -> Callable[[Page, str], None]:
    """A page of the tab with its first data."""

    def reach(page: Page, origin: str) -> None:
        Board(page, origin).open(path)

    return reach


def one_todo(page: Page, origin: str) -> None:
    Board(page, origin).open("/jobs?queue=investigations")
    page.locator("[data-todo] th a").first.click()
    expect(page.locator("#todo-state")).to_be_visible()


def one_queue(page: Page, origin: str) -> None:
    Board(page, origin).open("/queues")
    page.get_by_role("link", name="investigations").click()
    expect(page.locator("#usage")).to_be_visible()


def chosen(page: Page, origin: str) -> None:
    Board(page, origin).open("/jobs?queue=investigations")
    page.get_by_role("checkbox", name="Select all on this page").check()
    page.get_by_role("button", name="Retry…").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("match")


def new_schedule(page: Page, origin: str) -> None:
    Board(page, origin).open("/schedules")
    page.get_by_role("button", name="New schedule…").click()
    page.get_by_role("button", name="Make the schedule").click()
    expect(page.locator("#schedule-queue-error")).to_be_visible()


def one_operation(page: Page, origin: str) -> None:
    Board(page, origin).open("/operations")
    page.locator("[data-operation] th a").first.click()
    expect(page.locator("#operation-state")).to_be_visible()


def at(path: str) -> Callable[[Page, str], None]:
    def reach(page: Page, origin: str) -> None:
        page.goto(origin + path)

    return reach


LOST = r"Failed to load resource: the server responded with a status of \d+"
STATES = {
    "sign-in": State(sign_in, signed_in=False),
    "sign-in-failed": State(failed_sign_in, signed_in=False, quiet=(LOST,)),
    "sign-out": State(at("/sign-out")),
    "board-loading": State(loading),
    "board-broken": State(broken, quiet=(LOST, "Switchboard: ")),
    "board-first-read": State(first_read),
    "board-fresh": State(fresh),
    "board-stale": State(stale, clocked=True, quiet=(LOST,)),
    "board-paused": State(paused),
    "board-unsupported": State(unsupported),
    "board-signed-out": State(signed_out, quiet=(LOST,)),
    "board-narrowed": State(narrowed),
    "queues": State(place("/queues")),
    "queue": State(one_queue),
    "statistics": State(place("/statistics")),
    "about": State(place("/about")),
    "workers": State(place("/workers")),
    "todos": State(place("/jobs?state=pending&tag=eu&created_from=2026-11-30T00:00:00Z")),
    "todos-chosen": State(chosen),
    "todo": State(one_todo),
    "dead-letters": State(place("/dead-letters")),
    "schedules": State(place("/schedules")),
    "schedules-new-with-a-fault": State(new_schedule),
    "operations": State(place("/operations")),
    "operation": State(one_operation),
    "plain-board": State(at("/plain/board")),
    "not-found": State(at("/nothing-here"), quiet=(LOST,)),
}


@pytest.fixture(scope="module", params=STATES)
def shown(request: pytest.FixtureRequest, server: Server, operator: Operator) -> Iterator[Page]:
    """A page in one of the states. What a check changes about it (media, size) the check sets itself."""
    state = STATES[request.param]
    witness = Witness(server)
    for pattern in state.quiet:
        witness.allow(pattern)
    context: BrowserContext = request.getfixturevalue("clocked_context" if state.clocked else "context")
    context.clear_cookies()
    if state.signed_in:
        context.add_cookies([session_cookie(operator, server.url)])
    page = context.new_page()
    witness.watch(page)
    state.reach(page, server.url)
    yield page
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate("localStorage.clear()")
    page.close()
    witness.check()
