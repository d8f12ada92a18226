"""The places of the page: which address shows what, under which heading. Server and tab read the same table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode

_LARGEST_ID = 2**53 - 1
BEFORE = "before"
"""The parameter of a listing's address that holds a cursor: once for each page after the first, the last one's last."""


class PageName(StrEnum):
    BOARD = "board"
    JOBS = "jobs"
    JOB = "job"
    DEAD_LETTERS = "dead_letters"
    QUEUES = "queues"
    QUEUE = "queue"
    WORKERS = "workers"
    SCHEDULES = "schedules"
    OPERATIONS = "operations"
    OPERATION = "operation"
    STATISTICS = "statistics"
    ABOUT = "about"


@dataclass(frozen=True, slots=True)
class PageInfo:
    """`path` holds "{id}" where a page shows one row; `heading` then names the kind of row.

    `what`: what the page reads, as its sentences name it.
    """

    name: PageName
    path: str
    heading: str
    what: str

    @property
    def of_one_row(self) -> bool:
        return "{id}" in self.path


PAGES = {
    page.name: page
    for page in (
        PageInfo(PageName.BOARD, "/board", "Board", "the board"),
        PageInfo(PageName.JOBS, "/jobs", "Todos", "the todos"),
        PageInfo(PageName.JOB, "/jobs/{id}", "Todo", "the todo"),
        PageInfo(PageName.QUEUES, "/queues", "Queues", "the queues"),
        PageInfo(PageName.QUEUE, "/queues/{id}", "Queue", "the queue"),
        PageInfo(PageName.DEAD_LETTERS, "/dead-letters", "Dead letters", "the dead letters"),
        PageInfo(PageName.WORKERS, "/workers", "Workers", "the workers"),
        PageInfo(PageName.SCHEDULES, "/schedules", "Schedules", "the schedules"),
        PageInfo(PageName.OPERATIONS, "/operations", "Operations", "the operations"),
        PageInfo(PageName.OPERATION, "/operations/{id}", "Operation", "the operation"),
        PageInfo(PageName.STATISTICS, "/statistics", "Statistics", "the statistics"),
        PageInfo(PageName.ABOUT, "/about", "About", "the server's capabilities"),
    )
}
# A page of one row belongs to the list that leads to it.
_LISTS = {PageName.JOB: PageName.JOBS, PageName.QUEUE: PageName.QUEUES, PageName.OPERATION: PageName.OPERATIONS}


@dataclass(frozen=True, slots=True)
class Place:
    """A page, the row that it shows if it shows one, and the parameters of its address in their order."""

    page: PageName
    id: int | None = None
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> str:
        return PAGES[self.page].path.replace("{id}", str(self.id))

    @property
    def address(self) -> str:
        return self.path + ("?" + urlencode(self.parameters) if self.parameters else "")

    @property
    def heading(self) -> str:
        """ "Todos", or "Todo 7"."""
        heading = PAGES[self.page].heading
        return heading if self.id is None else f"{heading} {self.id}"

    @property
    def cursors(self) -> tuple[str, ...]:
        """The cursors of a listing's pages up to this one, of which the first has none."""
        return self.get_all(BEFORE)

    @property
    def title(self) -> str:
        """Of the document: "Todos, page 2"."""
        page = f", page {len(self.cursors) + 1}" if self.cursors else ""
        return f"{self.heading}{page} - Switchboard"

    @property
    def caption(self) -> str:
        """The id of the caption of the page's listing."""
        return f"{self.page}-caption"

    @property
    def what(self) -> str:
        return PAGES[self.page].what

    @property
    def listed_under(self) -> PageName:
        """The page of the navigation that this one belongs to."""
        return _LISTS.get(self.page, self.page)

    def get(self, name: str) -> str | None:
        """The first value of a parameter, None when it is absent."""
        return next((value for known, value in self.parameters if known == name), None)

    def with_parameters(self, parameters: tuple[tuple[str, str], ...]) -> Place:
        """The same page and row with another query in its address."""
        return replace(self, parameters=parameters)

    def with_cursors(self, cursors: Sequence[str]) -> Place:
        """Another page of the same listing."""
        kept = tuple(pair for pair in self.parameters if pair[0] != BEFORE)
        return self.with_parameters(kept + tuple((BEFORE, cursor) for cursor in cursors))

    def get_all(self, name: str) -> tuple[str, ...]:
        return tuple(value for known, value in self.parameters if known == name)


def place_of(address: str) -> Place | None:
    """The place at a path with an optional query; None for an address that is no page of ours."""
    path, _, query = address.partition("#")[0].partition("?")
    for page in PAGES.values():
        match = re.fullmatch(page.path.replace("{id}", r"([1-9][0-9]{0,15})"), path)
        if match is None:
            continue
        row = int(match[1]) if page.of_one_row else None
        if row is not None and row > _LARGEST_ID:
            return None
        return Place(page.name, row, tuple(parse_qsl(query, keep_blank_values=True)))
    return None
