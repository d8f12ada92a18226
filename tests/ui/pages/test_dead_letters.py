"""The page of the dead letters."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from switchboard_wire.dead_letters import DeadLetter, DlqCursor, DlqDepth, DlqPageAnswer, QueueDepth
from switchboard_wire.operations import OperationPreview
from switchboard_wire.todo import TodoState
from tests.ui.pages.screen import Surroundings, opened
from tests.ui.views.samples import NOW, todo

QUERY, DEPTH, PREVIEW = "/api/v1/dlq/query", "/api/dlq/depth", "/api/operations/preview"


def letter(number: int, minutes_ago: int) -> DeadLetter:
    dead = todo(number, state=TodoState.DEAD, error="no route to host")
    known = {name: getattr(dead, name) for name in dead.__dataclass_fields__}
    return DeadLetter(**known, dlq_at=NOW - timedelta(minutes=minutes_ago))


def depth(*queues: QueueDepth, total: int, capped: bool = False) -> DlqDepth:
    return DlqDepth(queues, total, capped, 10_000, NOW - timedelta(hours=1))


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/dead-letters"
    surroundings.answers[QUERY] = DlqPageAnswer((letter(2, 1), letter(5, 2)), DlqCursor(NOW, 5))
    surroundings.answers[DEPTH] = depth(
        QueueDepth(1, "endpoint:research", "mail", 12, False, NOW - timedelta(hours=1)),
        QueueDepth(2, "endpoint:research", "idle", 0, False, None),
        total=12,
    )
    return surroundings


def bodies(around: Surroundings, path: str) -> list[dict[str, Any]]:
    return [json.loads(request.body or "{}") for request in around.sent if request.path == path]


async def test_who_died_last_comes_first_with_its_time_and_error(around: Surroundings) -> None:
    async with opened(around) as screen:
        text = screen.text("dead_letters")
        assert text.index("#2") < text.index("#5")
        assert "dead died 08:29:00 CET no route to host" in text
        assert bodies(around, QUERY) == [{"version": 1, "filter": {}, "page": {"limit": 50}}]


async def test_the_next_page_begins_where_this_one_ends(around: Surroundings) -> None:
    async with opened(around) as screen:
        link = "/dead-letters?before=2026-12-01T07%3A30%3A00Z~5"
        assert screen.element("page-next")["attributes"]["href"] == link
        await screen.go(link)
        page = {"limit": 50, "before_dlq_at": "2026-12-01T07:30:00Z", "before_id": 5}
        assert bodies(around, QUERY)[-1]["page"] == page


async def test_the_depth_leads_to_each_queue_that_has_any(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("depth").startswith("12 dead letters in 1 queue")
        assert "mail endpoint:research1207:30:00 CET" in screen.text("depths")
        assert "idle" not in screen.text("depths")
        assert 'href="/dead-letters?queue=mail"' in screen.html


async def test_no_dead_letters_is_said_and_unknown_is_not_none(around: Surroundings) -> None:
    around.answers[QUERY] = DlqPageAnswer((), None)
    around.answers[DEPTH] = depth(total=0)
    async with opened(around) as screen:
        assert screen.text("depth") == "No dead letters."
        assert screen.text("dead_letters-empty") == "There are no dead letters."
    around.hanging = DEPTH
    async with opened(around) as screen:
        assert screen.text("depth") == "Counting…"


async def test_bulk_work_here_is_about_the_dead_alone(around: Surroundings) -> None:
    around.answers[PREVIEW] = OperationPreview(12, False, 12, False, 10_000, (5, 2))
    around.address = "/dead-letters?queue=mail"
    async with opened(around) as screen:
        await screen.click("bulk-purge")
        assert screen.text("bulk-purge-dialog-heading") == "Delete all dead todos of queue mail?"
        assert bodies(around, PREVIEW) == [{"kind": "purge", "filter": {"queue": "mail", "states": ["dead"]}}]
        assert not screen.has("bulk-cancel")


@pytest.mark.parametrize("query", ["state=dead", "before=5", "before=2026-12-01~5", "before=2026-12-01T07:30:00Z~x"])
async def test_an_address_that_asks_for_what_there_is_not_lists_nothing(around: Surroundings, query: str) -> None:
    around.address = f"/dead-letters?{query}"
    async with opened(around) as screen:
        assert screen.has("refused-address")
        assert bodies(around, QUERY) == []
