"""Mutations from the tab: sent once, never repeated by themselves, and followed by a mark on what they concern."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from switchboard_ui.core.decoding import decode_mutation
from switchboard_ui.core.driver import TabReads
from switchboard_ui.core.outcomes import Failure, FailureKind, classify, network_failure
from switchboard_ui.core.query import Query
from switchboard_ui.ports import Fetch, NetworkError, Request
from switchboard_wire.encode import encode_json
from switchboard_wire.session import Session

T = TypeVar("T")
DEADLINE_SECONDS = 20.0
_NOT_KNOWN_WHETHER = "It may or may not have happened: look before you repeat it."
_NO_ANSWER = {
    FailureKind.NETWORK: f"The server did not answer. {_NOT_KNOWN_WHETHER}",
    FailureKind.DEADLINE: f"The server did not answer in time. {_NOT_KNOWN_WHETHER}",
    FailureKind.SERVER_ERROR: f"The server had an error. {_NOT_KNOWN_WHETHER}",
    FailureKind.SIGNED_OUT: "You are signed out. Nothing was changed.",
}


@dataclass(frozen=True, slots=True)
class Mutation(Generic[T]):
    """`shape` is the answer's dataclass; `scopes` name the reads that show what it changes ("jobs", "queues")."""

    method: str
    path: str
    shape: type[T]
    scopes: tuple[str, ...]
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """The server's own account of what changed."""

    answer: T


@dataclass(frozen=True, slots=True)
class Refused:
    """`text` is a sentence for people; `field` the path of the refused field, if it was one."""

    text: str
    code: str
    field: str | None = None


class Actions:
    """Sends mutations with the session's CSRF token."""

    def __init__(self, fetch: Fetch, reads: TabReads, session: Query[Session]) -> None:
        self._fetch = fetch
        self._reads = reads
        self._session = session
        # The loop holds its tasks weakly.
        self._under_way: set[asyncio.Task[None]] = set()

    def send(self, mutation: Mutation[T], then: Callable[[Done[T] | Refused], None]) -> None:
        """Begin it, and call `then` with what became of it.

        Not a coroutine on purpose: a handler that waited for the answer would hold up later events of its control.
        """

        async def run() -> None:
            then(await self.outcome_of(mutation))

        task = asyncio.get_running_loop().create_task(run())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def outcome_of(self, mutation: Mutation[T]) -> Done[T] | Refused:
        """What became of it. The marks are set whenever something may have changed."""
        session: Session | None = self._reads.snapshot(self._session.key).data
        if session is None:
            return Refused("The page does not know yet who you are; try again in a moment.", "no_session")
        request = Request(
            mutation.method,
            mutation.path,
            encode_json(dict(mutation.body)),
            csrf_token=session.csrf_token,
            deadline=DEADLINE_SECONDS,
        )
        outcome = await self._outcome(request, mutation.shape)
        if not isinstance(outcome, Failure):
            self._reads.mark_dirty(mutation.scopes)
            return Done(outcome)
        if outcome.kind in (FailureKind.NETWORK, FailureKind.DEADLINE, FailureKind.SERVER_ERROR, FailureKind.MALFORMED):
            self._reads.mark_dirty(mutation.scopes)
        return Refused(_words(outcome), outcome.code, outcome.field)

    async def _outcome(self, request: Request, shape: type[T]) -> T | Failure:
        try:
            response = await self._fetch(request)
        except NetworkError:
            return network_failure()
        # The server's "not found" speaks of what was to be changed.
        return classify(response, lambda response: decode_mutation(shape, response), may_be_gone=True)


def _words(failure: Failure) -> str:
    if failure.kind in _NO_ANSWER:
        return _NO_ANSWER[failure.kind]
    if failure.message and not failure.kind.unsupported:
        return failure.message
    if failure.kind is FailureKind.MALFORMED:
        return f"The server's answer is not what this page can read. {_NOT_KNOWN_WHETHER}"
    return "This server does not know this action. Nothing was changed."
