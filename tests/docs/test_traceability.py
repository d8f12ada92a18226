"""The map of scenarios to tests names every scenario once, and only tests that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAP = ROOT / "docs" / "reference" / "traceability.md"

# How many rows each has: its named scenarios first, then what no named scenario covers.
REQUIREMENTS = {1: 6, 2: 4, 3: 10, 4: 10, 5: 8, 6: 6, 7: 7, 8: 5, 9: 4, 10: 12, 11: 6, 12: 4, 13: 7}
INCREMENTS = {1: 21, 2: 15, 3: 6, 4: 10, 5: 3}
SECURITY, ACCESSIBILITY, DECISIONS, FAULTS = 20, 8, 37, 44
# The scenarios that SPEC-0030 names, each the beginning of its row.
NAMED = {
    "REQ-1.1": "No policy, no change",
    "REQ-1.2": "A daily budget",
    "REQ-1.3": "Zero pauses the queue",
    "REQ-1.4": "Unknown zone is refused",
    "REQ-2.1": "A pool shares one budget",
    "REQ-2.2": "Same name, different owners",
    "REQ-2.3": "A fan-out copy is governed by its own endpoint",
    "REQ-3.1": "A retry is charged",
    "REQ-3.2": "A takeover is charged",
    "REQ-3.3": "Release does not refund",
    "REQ-3.4": "A redelivery is free",
    "REQ-4.1": "Concurrent claimers cannot exceed the limit",
    "REQ-4.2": "In-flight cap",
    "REQ-4.3": "Takeover at the in-flight cap",
    "REQ-4.4": "One deferred queue does not starve the others",
    "REQ-5.1": "A Pacific day",
    "REQ-5.2": "The fall-back day",
    "REQ-5.3": "Hourly window",
    "REQ-6.1": "An exhausted day keeps its work",
    "REQ-6.2": "Deferral outlives the retry backoff",
    "REQ-7.1": "A worker is told to wait, not to poll",
    "REQ-7.2": "Headroom on a successful claim",
    "REQ-7.3": "A specific claim in a deferred queue",
    "REQ-7.4": "Status is scoped to the caller",
    "REQ-8.1": "No wake-up for work that cannot be claimed",
    "REQ-8.2": "One ring at midnight",
    "REQ-8.3": "Reopening while clocked out",
    "REQ-9.1": "A policy that cannot be evaluated",
    "REQ-10.1": "By default an agent cannot raise its own ceiling",
    "REQ-10.2": "An owner opts an agent in",
    "REQ-10.3": "Another human's queue is opaque",
    "REQ-10.4": "Lowering mid-window",
    "REQ-11.1": "The owner sees why work waits",
    "REQ-12.1": "A budget shows up in Grafana",
    "REQ-12.2": "Charges match claims",
    "REQ-13.1": "A cancelled claim charges nothing",
}
EXPECTED = [
    *(f"REQ-{number}.{place}" for number, rows in REQUIREMENTS.items() for place in range(1, rows + 1)),
    *(f"SEC-{place}" for place in range(1, SECURITY + 1)),
    *(f"A11Y-{place}" for place in range(1, ACCESSIBILITY + 1)),
    *(f"INC-{number}.{place}" for number, rows in INCREMENTS.items() for place in range(1, rows + 1)),
    *(f"D{place}" for place in range(1, DECISIONS + 1)),
    *(f"FAULT-{place}" for place in range(1, FAULTS + 1)),
]
# What these promise is built, all of it.
WHOLE = [f"REQ-{number}." for number in (1, 2, 3, 4, 5, 6, 7, 9, 13)]
WHOLE_DECISIONS = {f"D{number}" for number in (*range(4, 24), 32, 36, 37)}

_ROW = re.compile(r"\| ([A-Z0-9]+(?:-[0-9.]+)?) (.+?) \| (.+) \|")
_TEST = re.compile(r"`((?:tests|e2e)/[\w/]+\.py)::((?:\w+::)?test_\w+)`")


def rows() -> dict[str, tuple[str, list[str]]]:
    """By id: the sentence, and what stands in the second cell."""
    found = {}
    for line in MAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| scenario |"):
            match = _ROW.fullmatch(line)
            assert match is not None, line
            found[match[1]] = (match[2], match[3].split("<br>"))
    return found


@cache
def names_in(file: str) -> frozenset[str]:
    """`function` and `Class::function` of one file, without what only the long form runs."""
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    places = [("", module.body), *((f"{one.name}::", one.body) for one in module.body if isinstance(one, ast.ClassDef))]
    return frozenset(
        prefix + node.name
        for prefix, body in places
        for node in body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not any("mark.slow" in ast.unparse(decorator) for decorator in node.decorator_list)
    )


def test_every_scenario_has_exactly_one_row_and_they_stand_in_order() -> None:
    ids = [line.split()[1] for line in MAP.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    ids = [one for one in ids if one != "scenario"]
    assert [one for one, number in Counter(ids).items() if number > 1] == []
    assert ids == EXPECTED


def test_the_named_scenarios_of_the_specification_come_first_by_their_names() -> None:
    found = rows()
    assert {id_: name for id_, name in NAMED.items() if not found[id_][0].startswith(name)} == {}


@pytest.mark.parametrize("id_", EXPECTED)
def test_a_row_names_tests_that_exist_or_says_what_is_missing(id_: str) -> None:
    _, cell = rows()[id_]
    assert len(cell) == len(set(cell))
    for one in cell:
        if one.startswith("Not yet: "):
            assert one.endswith(".")
            continue
        match = _TEST.fullmatch(one)
        assert match is not None, one
        assert match[2] in names_in(match[1]), one


@pytest.mark.parametrize("id_", [one for one in EXPECTED if one.startswith(tuple(WHOLE)) or one in WHOLE_DECISIONS])
def test_what_is_built_is_shown_by_tests_alone(id_: str) -> None:
    assert [one for one in rows()[id_][1] if one.startswith("Not yet")] == []
