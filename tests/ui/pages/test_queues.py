"""The pages of the queues and of one queue."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from switchboard_ui.ports import Response
from switchboard_wire.operator import AuditAction, AuditRecord
from switchboard_wire.operator_actions import Drained, QueueChanged
from switchboard_wire.policy import Policy
from switchboard_wire.queue_detail import QueueDetail, WindowUsage
from switchboard_wire.todo import TodoState
from tests.ui.pages.screen import JSON, Screen, Surroundings, opened
from tests.ui.views.samples import EXHAUSTED, NOW, PAUSED, budget, overview, queues, todo

PATH = "/api/queues/1"
GONE = Response(404, '{"error": {"code": "not_found", "message": "There is no such queue."}}', JSON)
DAY = timedelta(days=1)
STORED = {
    "max_in_flight": 5,
    "max_claims_per_window": 30,
    "window": {"period": "day", "tz": "America/Los_Angeles", "start": "00:00", "weekday": None},
}


def detail(**more: Any) -> QueueDetail:
    """A queue with 12 of 30 claims used, one todo in flight, two windows and one change."""
    held = todo(
        4, state=TodoState.CLAIMED, claimant="agents", worker="w-1", lease_expires_at=NOW + timedelta(minutes=1)
    )
    values: dict[str, Any] = {
        "queue": overview(policy=budget(30, in_flight=5), used=12, in_flight=1, pending=7),
        "oldest_waiting_at": NOW - timedelta(hours=2),
        "in_flight": (held,),
        "usage": (WindowUsage(NOW, 12, True), WindowUsage(NOW - DAY, 30, False)),
        "audit": (AuditRecord(NOW, AuditAction.CREATE, "ada", None, None, STORED),),
    }
    return QueueDetail(**(values | more))


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/queues/1"
    surroundings.answers[PATH] = detail()
    return surroundings


def fact(screen: Screen, name: str) -> str:
    return screen.html.split(f"<dt>{name}</dt><dd>")[1].split("</dd>")[0]


async def test_each_queue_is_a_row_with_its_figures_and_a_way_to_it(around: Surroundings) -> None:
    around.address = "/queues"
    around.queues = queues(
        overview("mail", queue_id=2, policy=budget(30), status=EXHAUSTED, used=30, pending=7),
        overview("builds", queue_id=3, in_flight=1),
    )
    async with opened(around) as screen:
        text = screen.text("queues")
        resets = "Tue 1 Dec 00:00 PST (America/Los_Angeles) · 09:00 your time"
        assert f"mail endpoint:research■budget used up7 waiting0 in flight30 of 30 used{resets}" in text
        assert "builds endpoint:researchno policy0 waiting1 in flightno limit" in text
        assert 'href="/queues/2"' in screen.html
        await screen.type("queue-filter", "BUI")
        assert "mail" not in screen.text("queues")
        await screen.type("queue-filter", "nothing of this name")
        assert screen.text("queues-empty") == "No queue has a name that contains this."


async def test_no_queues_and_unknown_queues_are_different(around: Surroundings) -> None:
    around.address = "/queues"
    async with opened(around) as screen:
        assert screen.text("queues-empty") == "You have no queues yet."
    around.status = 503
    async with opened(around) as screen:
        assert not screen.has("queues-empty")


async def test_its_budget_its_usage_and_what_it_holds(around: Surroundings) -> None:
    async with opened(around) as screen:
        words = "at most 5 at once, 30 claims a day from 00:00 in America/Los_Angeles"
        assert screen.text("queue-budget") == words
        assert "12 of 30 used" in screen.html
        assert 'href="/jobs?queue=investigations&amp;state=pending"' in screen.html
        assert "#4 Todo 4agents · w-108:31:00 CET" in screen.text("in-flight")
        assert f"08:30:00 CETadano limit{words}" in screen.text("audit")


async def test_usage_is_drawn_against_the_limit_and_said_in_words(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("usage-summary") == (
            "12 of 30 in this window so far. 1 earlier window with claims: 30 to 30. Times are those of "
            "America/Los_Angeles."
        )
        assert 'class="known" x="121" y="0.0" width="8" height="100.0"' in screen.html
        assert 'class="unfinished" x="131" y="60.0" width="8" height="40.0"' in screen.html
        assert 'y1="0.0"' in screen.html
        assert "Sun 29 Nov 23:3030" in screen.text("usage")


async def test_without_a_limit_per_window_nothing_is_drawn(around: Surroundings) -> None:
    around.answers[PATH] = detail(queue=overview(policy=Policy(max_in_flight=2)))
    async with opened(around) as screen:
        assert screen.text("no-window") == "Nothing limits its claims per window, so that none are counted."
        assert not screen.has("usage")


async def test_a_policy_that_cannot_be_evaluated_says_so_and_gives_no_figures(around: Surroundings) -> None:
    broken = overview(policy=budget(30), fault="There is no time zone Mars/Base.")
    around.answers[PATH] = detail(queue=broken, usage=(), oldest_waiting_at=None)
    async with opened(around) as screen:
        assert screen.text("queue-budget") == "not usable: There is no time zone Mars/Base."
        assert "unknown of 30 used" in screen.html
        assert screen.text("usage-summary").startswith("The usage of this window is not known.")
        assert fact(screen, "Oldest waiting since") == "nothing waits"


async def test_pausing_shows_what_stands_then(around: Surroundings) -> None:
    paused = overview(policy=Policy(max_in_flight=0), status=PAUSED)
    around.answers[f"{PATH}/pause"] = QueueChanged(paused.admission)
    async with opened(around) as screen:
        assert screen.element("resume-queue")["attributes"]["aria-disabled"] == "true"
        around.answers[PATH] = detail(queue=paused)
        await screen.click("pause-queue")
        await screen.pass_time(3)
        assert screen.text("pause-queue-outcome") == "Queue investigations is paused."
        assert screen.text("queue-status") == "■paused"
        await screen.click("pause-queue")
        assert screen.text("pause-queue-outcome") == "It is paused already."
        assert [request.path for request in around.sent if request.method == "POST"] == [f"{PATH}/pause"]


async def test_draining_asks_and_names_the_queue_and_tells_what_changed(around: Surroundings) -> None:
    around.answers[f"{PATH}/drain"] = Drained(7)
    async with opened(around) as screen:
        await screen.click("drain-queue")
        assert screen.text("drain-queue-dialog-heading") == "Drain queue investigations?"
        assert "7 waiting among them" in screen.text("drain-queue-dialog")
        await screen.click("drain-queue-yes")
        assert screen.text("drain-queue-outcome") == "7 todos canceled."


async def test_who_may_not_manage_it_is_told_so(around: Surroundings) -> None:
    around.answers[PATH] = detail(queue=replace(overview(), manageable=False))
    async with opened(around) as screen:
        assert screen.has("not-yours")
        assert not screen.has("drain-queue")


async def test_a_queue_that_is_gone_stays_readable(around: Surroundings) -> None:
    async with opened(around) as screen:
        around.answers[PATH] = GONE
        await screen.pass_time(6)
        assert screen.text("no-longer-found").startswith("This queue is no longer found:")
        assert screen.text("queue-name") == "investigations"
        assert not screen.has("drain-queue")
