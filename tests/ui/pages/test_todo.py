"""The page of one todo."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from switchboard_ui.ports import Response
from switchboard_wire.reads import JobDetail
from switchboard_wire.todo import Todo, TodoState
from switchboard_wire.worker import Attempt, Changed
from tests.ui.pages.screen import JSON, Screen, Surroundings, opened
from tests.ui.views.samples import FULL, NOW, todo

PATH = "/api/jobs/7"
GONE = Response(404, '{"error": {"code": "not_found", "message": "There is no such job."}}', JSON)
ENDED = Attempt(1, "agents", "w-1", NOW - timedelta(minutes=10), NOW - timedelta(minutes=7), "failed", 185_000)
RUNNING = Attempt(2, "agents", None, NOW, None, None, None)


def whole(**more: Any) -> Todo:
    contents = {"payload": {"to": "ada", "n": [1]}, "result": None, "idempotency_key": None}
    known = {name: getattr(todo(7, **more), name) for name in todo(7).__dataclass_fields__}
    return Todo(**known, **contents)


def detail(*attempts: Attempt, manageable: bool = True, **more: Any) -> JobDetail:
    return JobDetail(whole(**more), attempts, manageable)


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/jobs/7"
    surroundings.answers[PATH] = detail(ENDED, RUNNING)
    return surroundings


def fact(screen: Screen, name: str) -> str:
    return screen.html.split(f"<dt>{name}</dt><dd>")[1].split("</dd>")[0]


async def test_its_facts_its_payload_and_its_attempts(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("heading") == "Todo 7"
        assert fact(screen, "Title") == "Todo 7"
        assert fact(screen, "Tags") == "none"
        assert fact(screen, "Created") == '<time datetime="2026-12-01T07:00:00Z">08:00:00 CET</time>'
        assert screen.text("payload") == '{\n  "to": "ada",\n  "n": [\n    1\n  ]\n}'
        assert "1failedagentsw-108:20:00 CET08:23:00 CET3 min 5 s" in screen.text("attempts")
        assert "2runningagentsnot named08:30:00 CETnot yet" in screen.text("attempts")
        assert "Result: none." in screen.html


async def test_why_it_waits_is_told_with_the_hint_named_a_hint(around: Surroundings) -> None:
    around.answers[PATH] = detail(admission=FULL)
    async with opened(around) as screen:
        assert "deferred · in flight · possibly eligible from 09:00 CET" in screen.html.replace("</span>", "").replace(
            '<span class="part">', ""
        ).replace('<time datetime="2026-12-01T08:00:00Z">', "").replace("</time>", "")
        assert screen.text("attempts-empty") == "Nobody has claimed it yet."


async def test_what_the_state_does_not_allow_is_not_sent_but_explained(around: Surroundings) -> None:
    around.answers[PATH] = detail(state=TodoState.DONE)
    async with opened(around) as screen:
        for name, words in (
            ("retry", "Only failed and dead todos can be retried."),
            ("claim", "Only pending todos can be claimed."),
            ("cancel", "A todo that is claimed, done or canceled cannot be canceled."),
        ):
            assert screen.element(name)["attributes"]["aria-disabled"] == "true"
            await screen.click(name)
            assert screen.text(f"{name}-outcome") == words
        assert [request for request in around.sent if request.method == "POST"] == []


async def test_retrying_is_one_press_and_the_answer_outlives_the_state_that_allowed_it(around: Surroundings) -> None:
    around.answers[PATH] = detail(ENDED, state=TodoState.DEAD, finished_at=NOW)
    around.answers[f"{PATH}/retry"] = Changed(whole())
    async with opened(around) as screen:
        await screen.click("retry")
        around.answers[PATH] = detail(ENDED)
        await screen.pass_time(4)
        assert screen.text("todo-state") == "pending"
        assert screen.text("retry-outcome") == "Todo 7 is pending again."
        posts = [request for request in around.sent if request.method == "POST"]
        assert [(post.path, post.csrf_token) for post in posts] == [("/api/jobs/7/retry", "csrf-of-ada")]


async def test_cancelling_asks_and_names_the_todo(around: Surroundings) -> None:
    around.answers[PATH] = detail()
    async with opened(around) as screen:
        await screen.click("cancel")
        assert screen.text("cancel-dialog-heading") == "Cancel todo 7?"
        assert "“Todo 7” of queue investigations will not be done." in screen.text("cancel-dialog")
        await screen.click("cancel-no")
        assert [request for request in around.sent if request.method == "POST"] == []


async def test_who_may_not_manage_its_queue_is_told_so(around: Surroundings) -> None:
    around.answers[PATH] = detail(manageable=False)
    async with opened(around) as screen:
        assert screen.text("not-yours").startswith("You may see this todo and not change it")
        assert not screen.has("retry")


async def test_a_todo_that_is_gone_stays_readable_as_no_longer_found(around: Surroundings) -> None:
    async with opened(around) as screen:
        around.answers[PATH] = GONE
        await screen.pass_time(6)
        assert screen.text("no-longer-found").startswith("This todo is no longer found")
        assert fact(screen, "Title") == "Todo 7"
        assert not screen.has("retry")


async def test_a_todo_that_never_was_is_said_and_nothing_is_made_up(around: Surroundings) -> None:
    around.answers[PATH] = GONE
    async with opened(around) as screen:
        assert screen.text("no-longer-found") == "There is no such todo that you may see."
        assert not screen.has("attempts")


@pytest.mark.parametrize(
    ("copied", "words"), [(True, "Payload copied."), (False, "The browser does not let this page")]
)
async def test_the_payload_can_be_copied(around: Surroundings, copied: bool, words: str) -> None:
    taken: list[str] = []

    def copy(text: str, told: Any) -> None:
        taken.append(text)
        told(copied)

    around.copy = copy  # type: ignore[attr-defined]
    async with opened(around) as screen:
        await screen.click("payload-copy")
        assert taken == [screen.text("payload")]
        assert words in screen.html
