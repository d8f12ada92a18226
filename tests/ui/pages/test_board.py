"""The live board as a whole: what it reads, remembers, shows and says."""

from __future__ import annotations

import re

import pytest
from reactpy.core.layout import Layout

from switchboard.http.html import render, serialise
from switchboard_ui.core.places import PageName, Place
from switchboard_ui.pages.root import root
from switchboard_ui.shell import document, page_shell
from tests.ui.pages.screen import Surroundings, opened
from tests.ui.views.samples import ADMITTED, EXHAUSTED, PAUSED, budget, jobs, overview, queues, todo

QUEUES, JOBS = "/api/queues", "/api/v1/jobs/query"


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.queues = queues(
        overview("builds", queue_id=1),
        overview("investigations", queue_id=2, policy=budget(100), status=ADMITTED, used=99, pending=1),
    )
    surroundings.jobs = jobs(todo(7, queue_id=2))
    return surroundings


def exhaust(around: Surroundings) -> None:
    around.queues = queues(
        overview("builds", queue_id=1),
        overview("investigations", queue_id=2, policy=budget(100), status=EXHAUSTED, used=100, pending=1),
    )


async def test_the_first_render_is_the_shell_that_the_server_sent(around: Surroundings) -> None:
    """Nothing moves and nothing flickers when the page takes over."""
    shell = await render(document(page_shell(Place(PageName.BOARD), "/boot.mjs"), stylesheet="/s.css", icon="/i.svg"))
    async with Layout(root(around.ports())) as layout:
        first = serialise((await layout.render())["model"])
    assert first
    assert f'<div id="app">{first}</div>' in shell


async def test_the_shell_knows_nothing_of_anybody(around: Surroundings) -> None:
    shell = await render(document(page_shell(Place(PageName.BOARD), "/boot.mjs"), stylesheet="/s.css", icon="/i.svg"))
    assert "investigations" not in shell
    assert not re.search(r"<[a-z]+ [^>]*data-queue", shell)
    assert shell.count("<h1") == shell.count("<main") == 1
    assert '<script type="module" src="/boot.mjs"></script>' in shell


async def test_a_shell_without_a_runtime_says_so_and_leads_to_the_plain_board() -> None:
    shell = await render(document(page_shell(Place(PageName.BOARD), None), stylesheet="/s.css", icon="/i.svg"))
    assert "<script" not in shell
    status = re.search(r'<p id="runtime-status"[^>]*>(.*?)</p>', shell)
    assert status is not None
    assert "is not built" in status[1]
    assert '<a href="/plain/board">' in status[1]


async def test_the_board_shows_what_was_read(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("queue-2") == "investigations endpoint:research"
        assert "99 of 100 used" in screen.html
        assert "#7 · investigation · since " in screen.html
        assert screen.text("freshness") == "●Up to date as of 08:30:00, 0 s ago."


async def test_figures_and_todos_appear_together_but_figures_do_not_wait_for_long(around: Surroundings) -> None:
    around.hanging = JOBS
    async with opened(around) as screen:
        assert 'aria-busy="true"' in screen.html
        await screen.pass_time(1)
        assert "99 of 100 used" in screen.html
        assert "The waiting todos are not known yet." in screen.html


async def test_both_reads_are_refreshed_every_five_seconds(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert (around.asked.count(QUEUES), around.asked.count(JOBS)) == (1, 1)
        await screen.pass_time(16)
        assert (around.asked.count(QUEUES), around.asked.count(JOBS)) == (4, 4)


async def test_an_unchanged_poll_renders_nothing_but_the_age(around: Surroundings) -> None:
    async with opened(around) as screen:
        before = screen.updates
        await screen.pass_time(20)
        assert screen.updates - before <= 20 + 8, "one sentence a second, and the moments of the reads themselves"
        assert screen.text("announcements") == ""


async def test_pause_is_text_is_kept_and_stops_the_reads(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.click("pause")
        assert screen.text("pause") == "Resume updates"
        assert around.remembered == {"updates": "paused"}
        asked = len(around.asked)
        exhaust(around)
        await screen.pass_time(60)
        assert [path for path in around.asked[asked:] if path in (QUEUES, JOBS)] == []
        assert screen.text("freshness").startswith("▲Updates are paused. Shown as of 08:30:00, 1 min ago.")
        assert "99 of 100 used" in screen.html
        await screen.click("pause")
        assert screen.text("pause") == "Pause updates"
        assert around.remembered == {"updates": "running"}
        await screen.pass_time(6)
        assert "100 of 100 used" in screen.html


async def test_a_remembered_pause_still_shows_the_board_once(around: Surroundings) -> None:
    around.remembered["updates"] = "paused"
    async with opened(around) as screen:
        assert screen.text("pause") == "Resume updates"
        assert "99 of 100 used" in screen.html
        await screen.pass_time(60)
        assert (around.asked.count(QUEUES), around.asked.count(JOBS)) == (1, 1)


async def test_refresh_now_reads_once_while_paused(around: Surroundings) -> None:
    around.remembered["updates"] = "paused"
    async with opened(around) as screen:
        await screen.pass_time(30)
        exhaust(around)
        await screen.click("refresh")
        await screen.pass_time(1)
        assert "100 of 100 used" in screen.html
        assert screen.text("freshness").startswith("▲Updates are paused.")
        assert around.asked.count(QUEUES) == 2


async def test_the_filter_narrows_and_says_how_far(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.type("queue-filter", "inv")
        assert 'data-queue="investigations"' in screen.html
        assert 'data-queue="builds"' not in screen.html
        await screen.pass_time(1)
        assert screen.text("announcements") == "Showing 1 of 2 queues."
        await screen.type("queue-filter", "nothing like it")
        assert "No queue has a name that contains this." in screen.html
        await screen.type("queue-filter", "")
        await screen.pass_time(1)
        assert screen.text("announcements") == "Showing all 2 queues."


async def test_a_queue_that_runs_dry_is_told_in_one_sentence_and_then_silence(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.pass_time(3)
        exhaust(around)
        said = set()
        for _ in range(40):
            await screen.pass_time(1)
            said.add(screen.text("announcements"))
        assert said == {
            "",
            "Queue investigations: budget used up, "
            "resets at Tue 1 Dec 00:00 PST (America/Los_Angeles) · 09:00 your time.",
        }


async def test_a_server_that_fails_leaves_the_data_and_says_why(around: Surroundings) -> None:
    async with opened(around) as screen:
        around.status = 503
        await screen.pass_time(7)
        assert screen.text("freshness").startswith("▲Stale: the server is overloaded. Shown as of 08:30:00, 7 s ago.")
        assert "99 of 100 used" in screen.html
        around.status = 200
        exhaust(around)
        await screen.pass_time(60)
        assert screen.text("freshness").startswith("●Up to date")
        assert "100 of 100 used" in screen.html


async def test_a_lost_session_blanks_the_data(around: Surroundings) -> None:
    async with opened(around) as screen:
        around.status = 401
        await screen.pass_time(7)
        assert screen.text("freshness") == "▲You are signed out.Sign in"
        assert "investigations" not in screen.html
        asked = len(around.asked)
        await screen.pass_time(120)
        assert around.asked[asked:] == []


async def test_nobodys_board_says_that_it_is_empty(around: Surroundings) -> None:
    around.queues, around.jobs = queues(), jobs()
    async with opened(around) as screen:
        assert "You have no queues yet." in screen.html


async def test_a_paused_queue_is_not_a_paused_page(around: Surroundings) -> None:
    around.queues = queues(overview("builds", policy=budget(0), status=PAUSED, used=0))
    async with opened(around) as screen:
        assert 'data-status="paused"' in screen.html
        assert screen.element("freshness")["attributes"]["data-state"] == "fresh"
