"""Mutations from the tab: once, with the session's token, and a mark on what they concern."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from switchboard_ui.core.actions import Actions as RealActions
from switchboard_ui.core.actions import Done, Mutation, Refused
from switchboard_ui.core.session_query import session_query
from switchboard_ui.ports import NetworkError, Request, Response
from switchboard_wire.session import Session, SessionHuman

from .fakes import JSON, Page, ok, query

ADA = Session(SessionHuman(1, "ada", False), "csrf-of-ada")


@dataclass(frozen=True)
class Retried:
    retried: int


RETRY = Mutation("POST", "/api/jobs/retry", Retried, ("jobs",), {"ids": [7]})


class Reads:
    """What Actions needs of TabReads."""

    def __init__(self, session: Session | None = ADA) -> None:
        self.session = session
        self.marked: list[tuple[str, ...]] = []

    def snapshot(self, _: object) -> object:
        return type("Seen", (), {"data": self.session})

    def mark_dirty(self, scopes: tuple[str, ...]) -> None:
        self.marked.append(scopes)


class Actions:
    def __init__(self, answer: Response | NetworkError, session: Session | None = ADA) -> None:
        self.sent: list[Request] = []
        self.reads = Reads(session)

        async def fetch(request: Request) -> Response:
            self.sent.append(request)
            if isinstance(answer, NetworkError):
                raise answer
            return answer

        self.real = RealActions(fetch, self.reads, session_query())  # type: ignore[arg-type]

    async def send(self) -> Done[Retried] | Refused:
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Done[Retried] | Refused] = loop.create_future()
        self.real.send(RETRY, outcome.set_result)
        return await outcome


def refusal(status: int, code: str, message: str) -> Response:
    return Response(status, f'{{"error": {{"code": "{code}", "message": "{message}", "field": "ids[0]"}}}}', JSON)


async def test_it_is_sent_once_with_the_token_and_marks_what_it_concerns() -> None:
    actions = Actions(Response(200, '{"retried": 1}', JSON))
    assert await actions.send() == Done(Retried(1))
    assert [(one.method, one.path, one.body, one.csrf_token) for one in actions.sent] == [
        ("POST", "/api/jobs/retry", '{"ids":[7]}', "csrf-of-ada")
    ]
    assert actions.reads.marked == [("jobs",)]


async def test_a_refusal_is_told_in_the_servers_words_and_marks_nothing() -> None:
    actions = Actions(refusal(409, "conflict", "It is claimed."))
    assert await actions.send() == Refused("It is claimed.", "conflict", "ids[0]")
    assert actions.reads.marked == []


async def test_what_is_not_there_any_more_is_told_in_the_servers_words() -> None:
    actions = Actions(refusal(404, "not_found", "There is no such job."))
    assert await actions.send() == Refused("There is no such job.", "not_found", "ids[0]")


async def test_a_server_without_the_action_is_told_so() -> None:
    actions = Actions(Response(404, "<p>Not found</p>", {"content-type": "text/html"}))
    refused = await actions.send()
    assert isinstance(refused, Refused)
    assert refused.text == "This server does not know this action. Nothing was changed."


@pytest.mark.parametrize(
    "answer", [NetworkError("cut"), refusal(500, "internal", "x"), Response(200, '{"retried": "one"}', JSON)]
)
async def test_when_nobody_knows_what_happened_that_is_said_and_everything_is_read_again(
    answer: Response | NetworkError,
) -> None:
    actions = Actions(answer)
    refused = await actions.send()
    assert isinstance(refused, Refused)
    assert "It may or may not have happened: look before you repeat it." in refused.text
    assert len(actions.sent) == 1
    assert actions.reads.marked == [("jobs",)]


async def test_without_a_known_session_nothing_is_sent() -> None:
    actions = Actions(Response(200, '{"retried": 1}', JSON), session=None)
    refused = await actions.send()
    assert isinstance(refused, Refused)
    assert actions.sent == []


async def test_an_answer_for_another_human_blanks_the_tab_and_is_read_again() -> None:
    page = Page()
    page.show("jobs")
    page.show("queues")
    await page.answer("jobs", _for("1", ok("of ada")))
    await page.answer("queues", _for("1", ok("of ada")))
    page.reads.refresh(query("jobs").key)
    await page.wait(2.0)
    await page.answer("jobs", _for("2", ok("of bob")))
    assert page.reads.snapshot(query("queues").key).data is None
    assert page.reads.snapshot(query("jobs").key).data is None
    await page.wait(5.0)
    await page.answer("jobs", _for("2", ok("of bob")))
    assert page.reads.snapshot(query("jobs").key).data == "of bob"


def _for(reader: str, response: Response) -> Response:
    return Response(response.status, response.text, dict(response.headers) | {"observed-for": reader})
